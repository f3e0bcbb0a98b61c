"""The meaning of the numbers of a tree: its inputs and their encoding, its answers and costs.

Predictions need only numbers; everything for people or other systems (text, pictures, exports, files) needs the schema.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.arithmetic import matmul
from softwood.tree.encoding import Codes, encode_plain, encode_rows, put_in_order
from softwood.tree.frozen import restore
from softwood.tree.labels import labels_from_dict, labels_to_dict, plain_labels
from softwood.tree.once import computed_once
from softwood.tree.summary import Summary

TASKS = ("classification", "regression")
UNSEEN = ("missing",)  # treatment of a category that did not occur at fit


class Kind(StrEnum):
    """The kind of an input; `encoding` defines its numbers."""

    NUMBER = "number"
    BOOLEAN = "boolean"
    CATEGORY = "category"
    ORDERED = "ordered"  # a category whose levels have an order

    @property
    def has_levels(self) -> bool:
        """Whether its numbers are codes of levels."""
        return self in (Kind.CATEGORY, Kind.ORDERED)


@dataclass(frozen=True)
class Input:
    """One input: its name, kind, levels in the order of their codes (None for a number or a boolean), and its summary
    in the training rows (None if unknown).
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] | None = None
    summary: Summary | None = None


@dataclass(frozen=True)
class Schema:
    """Names and meanings of the numbers of a tree.

    Attributes
    ----------
    features : name of every input.
    categories : per input its categories in the order of their codes, or None for a number.
    answers : class labels, or names of the targets.
    task : "classification" or "regression".
    kinds : of every input (`Kind`); by default an input with categories is a category and any other a number.
    summaries : per input its summary in the training rows, or None; by default unknown. Equality of schemas ignores
        them.
    costs : for classes: `costs[true][given]`, the cost of predicting one class when another is true; None: every error
        costs 1.
    target : the name of the target of classes; "" if it has none.
    unseen : treatment of a category that is not among its input's levels; "missing": as a missing value.

    Examples
    --------
    >>> schema = Schema(("age", "colour"), (None, ("blue", "red")), ("no", "yes"), "classification")
    >>> schema.encode([[31, "red"], [None, "pink"]])
    array([[31.,  1.],
           [nan, nan]])
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    """

    features: tuple[str, ...]
    categories: tuple[tuple[Any, ...] | None, ...]
    answers: tuple[Any, ...]
    task: str = "regression"
    kinds: tuple[Kind, ...] = ()
    summaries: tuple[Summary | None, ...] = field(default=(), compare=False)
    costs: tuple[tuple[float, ...], ...] | None = None
    target: str = ""
    unseen: str = "missing"

    def __post_init__(self) -> None:
        _set(self, "features", tuple(map(str, self.features)))
        _set(self, "categories", tuple(None if c is None else plain_labels(c) for c in self.categories))
        _set(self, "answers", plain_labels(self.answers))
        names, given = len(self.features), len(self.categories)
        if names != given:
            raise ValueError(f"a schema needs categories (or None) for each of {names} features, got {given}.")
        if self.task not in TASKS:
            raise ValueError(f"task must be 'classification' or 'regression', got {self.task!r}.")
        if self.unseen not in UNSEEN:
            raise ValueError(f"unseen must be 'missing', got {self.unseen!r}.")
        if not isinstance(self.target, str):
            raise ValueError(f"target must be text, the name of the target, got {self.target!r:.80}.")
        self._check_kinds()
        self._check_summaries()
        if self.costs is not None:
            _set(self, "costs", tuple(tuple(map(float, row)) for row in self.costs))
            self._check_costs()

    def _check_kinds(self) -> None:
        plain = (Kind.NUMBER if levels is None else Kind.CATEGORY for levels in self.categories)
        _set(self, "kinds", tuple(map(Kind, self.kinds)) if self.kinds else tuple(plain))
        if len(self.kinds) != len(self.features):
            raise ValueError(f"a schema needs a kind for each of {len(self.features)} features, got {len(self.kinds)}.")
        for name, kind, levels in zip(self.features, self.kinds, self.categories, strict=True):
            if kind.has_levels != (levels is not None):
                wrong = "no categories" if levels is None else "categories"
                raise ValueError(f"feature {name!r:.80} is a {kind} and has {wrong}.")

    def _check_summaries(self) -> None:
        _set(self, "summaries", tuple(self.summaries) or (None,) * len(self.features))
        given = self.summaries
        if len(given) != len(self.features):
            raise ValueError(
                f"a schema needs a summary (or None) for each of {len(self.features)} features, got {given}."
            )
        for name, summary, levels in zip(self.features, given, self.categories, strict=True):
            if not isinstance(summary, Summary | None):
                raise TypeError(f"a summary must be a Summary or None, got {type(summary).__name__}.")
            if summary is not None and len(summary.counts) != len(levels or ()):
                raise ValueError(
                    f"feature {name!r:.80} has {len(levels or ())} levels, got {len(summary.counts)} counts."
                )

    def _check_costs(self) -> None:
        table, k = self.costs or (), len(self.answers)
        if self.task != "classification":
            raise ValueError("costs are for classification; this schema is for regression.")
        if len(table) != k or any(len(row) != k for row in table):
            raise ValueError(f"costs must have shape ({k}, {k}), one row per true class, got {table}.")
        if not all(math.isfinite(cost) and cost >= 0 for row in table for cost in row):
            raise ValueError(f"costs must be finite and >= 0, got {table}.")
        if any(table[i][i] for i in range(k)):
            raise ValueError(f"costs must be 0 on the diagonal (a correct prediction costs nothing), got {table}.")

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields: the rest is recomputed when needed."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    @classmethod
    def plain(cls, n_features: int, n_answers: int, task: str = "regression") -> Schema:
        """Numbered names, all inputs numbers.

        Examples
        --------
        >>> Schema.plain(2, 1).features
        ('x0', 'x1')
        """
        answers = tuple(range(n_answers)) if task == "classification" else tuple(f"y{i}" for i in range(n_answers))
        return cls(tuple(f"x{i}" for i in range(n_features)), (None,) * n_features, answers, task)

    # -- inputs --------------------------------------------------------------------------------------------------

    @property
    def n_features(self) -> int:
        """Inputs that a row has."""
        return len(self.features)

    @computed_once
    def inputs(self) -> tuple[Input, ...]:
        """Every input with its kind, levels and summary."""
        parts = zip(self.features, self.kinds, self.categories, self.summaries, strict=True)
        return tuple(Input(*part) for part in parts)

    def n_levels(self, feature: int) -> int:
        """Number of categories of the input; 0 for a number."""
        levels = self.categories[feature]
        return 0 if levels is None else len(levels)

    @computed_once
    def level_counts(self) -> npt.NDArray[np.int32]:
        """Number of categories of each input; 0 for a number."""
        counts = np.array([0 if levels is None else len(levels) for levels in self.categories], np.int32)
        counts.setflags(write=False)
        return counts

    @computed_once
    def all_numbers(self) -> bool:
        """Whether no input is a category."""
        return all(levels is None for levels in self.categories)

    def encode(self, rows: Iterable[Sequence[Any] | Mapping[str, Any]]) -> Floats:
        """Rows of cells as the numbers that the tree reads, (rows, inputs).

        Parameters
        ----------
        rows : each a sequence of cells in the order of the inputs, or a mapping from names to cells (an absent one is
            missing). None and NaN are missing. `softwood.tree.encoding` has the rule.
        """
        table = put_in_order(self.features, rows)
        values = encode_plain(table, self._codes)
        return encode_rows(self.features, self.categories, table) if values is None else values

    @computed_once
    def _codes(self) -> Codes:
        """The code of every level, for inputs that have levels."""
        levels = enumerate(self.categories)
        return tuple((at, {level: code for code, level in enumerate(each)}) for at, each in levels if each is not None)

    def same_columns_and_answers(self, other: Schema) -> bool:
        """Whether trees of both schemas have the same inputs and answers."""
        names = ("features", "categories", "answers", "task")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    # -- answers -------------------------------------------------------------------------------------------------

    def decide(self, probability: Floats) -> npt.NDArray[np.int64]:
        """Class codes (positions in `answers`) from probabilities (rows, classes): of least expected cost, without
        costs the most probable; the first in a tie.

        Examples
        --------
        >>> Schema((), (), ("ok", "ill"), "classification", costs=((0, 1), (9, 0))).decide(np.array([[0.8, 0.2]]))
        array([1])
        """
        if self.task != "classification":
            raise ValueError("a regression tree has no classes to decide for; use `predict`.")
        if self.costs is None:
            return np.asarray(probability.argmax(axis=1), np.int64)
        return np.asarray(matmul(probability, self._cost_table).argmin(axis=1), np.int64)

    @computed_once
    def _cost_table(self) -> Floats:
        return np.array(self.costs, np.float64)

    # -- JSON ----------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The schema as JSON: dicts, lists, text and finite numbers; labels say their type."""
        return {
            "inputs": [_input_to_dict(each) for each in self.inputs],
            "task": self.task,
            "answers": labels_to_dict(self.answers),
            "target": self.target,
            "costs": None if self.costs is None else [list(row) for row in self.costs],
            "unseen": self.unseen,
        }

    @classmethod
    def from_dict(cls, stored: Any) -> Schema:
        """The schema that `to_dict` wrote; otherwise a ValueError that says what is wrong."""
        names = {"inputs", "task", "answers", "target", "costs", "unseen"}
        if not isinstance(stored, Mapping) or stored.keys() != names or not isinstance(stored["inputs"], list):
            raise ValueError(f"a schema must be a dict of {', '.join(sorted(names))}, got {stored!r:.80}.")
        inputs = [_input_from_dict(each) for each in stored["inputs"]]
        costs = stored["costs"]
        if costs is not None and not _is_table(costs):
            raise ValueError(f"costs must be None or a table of numbers, got {costs!r:.80}.")
        return cls(
            tuple(each.name for each in inputs),
            tuple(each.levels for each in inputs),
            _distinct("answers", labels_from_dict(stored["answers"])),
            stored["task"],
            tuple(each.kind for each in inputs),
            tuple(each.summary for each in inputs),
            costs,
            stored["target"],
            stored["unseen"],
        )


def _set(schema: Schema, name: str, value: Any) -> None:
    object.__setattr__(schema, name, value)


def _input_to_dict(one: Input) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": str(one.kind),
        "levels": None if one.levels is None else labels_to_dict(one.levels),
        "summary": None if one.summary is None else one.summary.to_dict(),
    }


def _input_from_dict(stored: Any) -> Input:
    names = {"name", "kind", "levels", "summary"}
    if not isinstance(stored, Mapping) or stored.keys() != names:
        raise ValueError(f"an input must be a dict of {', '.join(sorted(names))}, got {stored!r:.80}.")
    name, kind, levels, summary = (stored[key] for key in ("name", "kind", "levels", "summary"))
    if not isinstance(name, str):
        raise ValueError(f"the name of an input must be text, got {name!r:.80}.")
    if not isinstance(kind, str) or kind not in list(Kind):
        raise ValueError(f"the kind of input {name!r:.80} must be one of {', '.join(Kind)}, got {kind!r:.80}.")
    labels = None if levels is None else _distinct(f"levels of {name!r:.80}", labels_from_dict(levels))
    return Input(name, Kind(kind), labels, None if summary is None else Summary.from_dict(summary))


def _distinct(what: str, labels: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(labels)) < len(labels):
        raise ValueError(f"{what} must be distinct, got {labels!r:.80}.")
    return labels


def _is_table(costs: Any) -> bool:
    rows = costs if isinstance(costs, list) else [None]
    return all(isinstance(row, list) and all(type(cost) in (int, float) for cost in row) for row in rows)
