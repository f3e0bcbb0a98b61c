"""The two models of a comparison on the same rows, and what can be compared.

Each model reads its own columns of X. The classes of both are put in one list, those of the old model first; a class
that a model does not have gets probability 0. Differences are named in `problems`, and omitted or noted where they
matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.explain.rows import column_names, open_model, read_rows, some_rows
from softwood.formats.models import look_inside
from softwood.formats.overview import used_inputs
from softwood.tree import Tree
from softwood.tree.labels import plain_label
from softwood.tree.spelling import spell_label, spell_list

MOST_NAMED = 8  # inputs or classes in a sentence


@dataclass(frozen=True)
class Side:
    """One model: its tree with the names to print, the rows as the tree reads them, and what it predicts.

    Attributes
    ----------
    probability : (rows, classes of either model); None for regression.
    decided : for classes, codes in the joint list; for regression, the first target; None without rows.
    """

    model: Any
    tree: Tree
    rows: Floats | None = None
    probability: Floats | None = None
    decided: npt.NDArray[Any] | None = None


@dataclass(frozen=True)
class Pair:
    """Both models, the actual values and their differences.

    Attributes
    ----------
    old, new : the models.
    names : their names.
    classes : of either model, as labels; empty for regression.
    y : actual values: codes in `classes`, or numbers; None if unknown or not comparable.
    problems : differences of the models, in sentences.
    """

    old: Side
    new: Side
    names: tuple[str, str]
    classes: tuple[Any, ...]
    y: npt.NDArray[Any] | None
    problems: tuple[str, ...]

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.old, self.new

    @property
    def is_classifier(self) -> bool:
        return bool(self.classes)

    @property
    def has_scores(self) -> bool:
        """Whether both models predict the same rows on the same scale."""
        return self.old.decided is not None and self.new.decided is not None

    @property
    def labels(self) -> list[str]:
        return [spell_label(each) for each in self.classes]

    @property
    def probabilities(self) -> tuple[Floats, Floats]:
        """Probabilities of every row and class, from both models."""
        return np.asarray(self.old.probability), np.asarray(self.new.probability)

    def scores(self) -> list[tuple[str, Floats, Floats]]:
        """The compared score of every row: the probability of the second of two classes, of every class, or a
        number.
        """
        old, new = self.sides
        if not self.is_classifier:
            return [(str(old.tree.schema.answers[0]), np.asarray(old.decided), np.asarray(new.decided))]
        chosen = [1] if len(self.classes) == 2 else range(len(self.classes))
        before, after = self.probabilities
        return [(f"probability of {self.labels[k]}", before[:, k], after[:, k]) for k in chosen]


def read_pair(old: Any, new: Any, X: Any, y: Any, names: tuple[str, str], feature_names: Sequence[str] | None) -> Pair:
    """Both models on the rows X, checked; X and y may be None."""
    first, second = (
        look_inside(model, feature_names, wanted_by=f"compare_models, {name},").tree
        for model, name in zip((old, new), names, strict=True)
    )
    trees = (first, second)
    if X is not None:
        require_same_task(first, second, names)
    problems = [*_other_inputs(first, second, names), *_other_answers(first, second, names)]
    classes = _either(first, second) if {tree.schema.task for tree in trees} == {"classification"} else ()
    if y is not None and X is None:
        raise ValueError("y without X: actual values belong to rows; pass both or neither.")
    if X is None:
        sides = [Side(model, tree) for model, tree in zip((old, new), trees, strict=True)]
        return Pair(sides[0], sides[1], names, classes, None, tuple(problems))
    sides = [_answer(model, tree, X, name, classes) for model, tree, name in zip((old, new), trees, names, strict=True)]
    rows = [len(np.asarray(side.rows)) for side in sides]
    known = None if y is None else _known(y, rows[0], classes)
    return Pair(sides[0], sides[1], names, classes, known, tuple(problems))


def require_same_task(old: Tree, new: Tree, names: tuple[str, str]) -> None:
    """Raise an error if one model predicts classes and the other numbers."""
    if old.schema.task != new.schema.task:
        raise ValueError(
            f"the {names[0]} model is for {old.schema.task} and the {names[1]} model for {new.schema.task}: their "
            "predictions cannot be compared. Without rows their trees can."
        )


def _answer(model: Any, tree: Tree, X: Any, name: str, classes: tuple[Any, ...]) -> Side:
    """The predictions of a model from its own columns of X."""
    rows = some_rows(read_rows(model, own_columns(model, X, name)), "X")
    inside = open_model(model, "compare_models")
    predicted = inside.predict(rows)
    if not classes:
        return Side(model, tree, rows, None, predicted[:, 0])
    places = np.array([classes.index(answer) for answer in tree.schema.answers])
    probability = np.zeros((len(rows), len(classes)))
    probability[:, places] = np.clip(predicted, 0.0, 1.0)
    return Side(model, tree, rows, probability, places[inside.decide(rows)])


def own_columns(model: Any, X: Any, name: str) -> Any:
    """The columns of X that a model was fitted on; X itself if either has no names."""
    had, wanted = column_names(X), _fitted_names(model)
    if not had or not wanted:
        width = np.shape(X)[1] if len(np.shape(X)) == 2 else None
        n = getattr(model, "n_features_in_", width)
        if width is not None and n != width:
            raise ValueError(
                f"the {name} model takes {n} columns and X has {width}; pass a data frame with the columns of both "
                "models, which must have been fitted on data frames."
            )
        return X
    lacking = [column for column in wanted if column not in had]
    if lacking:
        raise ValueError(
            f"X lacks {_named(lacking)}, which the {name} model takes; pass a table with the columns of both models."
        )
    return X.select(wanted) if not hasattr(X, "__getitem__") or hasattr(X, "column_names") else X[wanted]


def _fitted_names(model: Any) -> list[str]:
    if isinstance(model, Tree):
        return list(model.schema.features)
    return [str(name) for name in getattr(model, "feature_names_in_", ())]


def _known(y: Any, n: int, classes: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Codes in the classes of either model, or numbers of the first target."""
    given = np.asarray(y, object if classes else np.float64)
    if len(given) != n:
        raise ValueError(f"y must have a value for each of {n} rows, got {len(given)}.")
    if not classes:
        numbers = given.reshape(len(given), -1)[:, 0]
        if not np.isfinite(numbers).all():
            raise ValueError("y must be finite numbers, got NaN or infinity; drop such rows.")
        return np.asarray(numbers)
    codes = {answer: code for code, answer in enumerate(classes)}
    flat = [plain_label(label) for label in given.ravel()]
    unknown = [label for label in flat if label not in codes]
    if unknown:
        raise ValueError(
            f"y has the label {unknown[0]!r:.60}, which is a class of neither model: {list(codes)!r:.200}."
        )
    return np.array([codes[label] for label in flat], np.int64)


def _either(old: Tree, new: Tree) -> tuple[Any, ...]:
    """Classes of either model; two of the same classes in the order of the old one."""
    return tuple(dict.fromkeys((*old.schema.answers, *new.schema.answers)))


def _other_inputs(old: Tree, new: Tree, names: tuple[str, str]) -> list[str]:
    told = []
    for mine, other, name in ((old, new, names[0]), (new, old, names[1])):
        only = [each for each in mine.schema.features if each not in other.schema.features]
        used = [mine.schema.features[f] for f in used_inputs(mine)]
        unused = "" if any(each in used for each in only) else " (its tree does not use them)"
        if only:
            told.append(f"Only the {name} model takes {_named(only)}{unused}.")
    theirs = {each.name: each for each in new.schema.inputs}
    for mine_too in old.schema.inputs:
        it = theirs.get(mine_too.name)
        if it is None:
            continue
        if it.kind != mine_too.kind:
            told.append(f"{mine_too.name} is a {mine_too.kind} in the {names[0]} model and a {it.kind} in the other.")
        elif set(it.levels or ()) != set(mine_too.levels or ()):
            told += _other_levels(mine_too.name, mine_too.levels or (), it.levels or (), names)
    return told


def _other_levels(name: str, old: Sequence[Any], new: Sequence[Any], names: tuple[str, str]) -> list[str]:
    return [
        f"Only the {side} model has these levels of {name}: {_named([spell_label(each) for each in only])}."
        for side, only in (
            (names[0], [each for each in old if each not in new]),
            (names[1], [each for each in new if each not in old]),
        )
        if only
    ]


def _other_answers(old: Tree, new: Tree, names: tuple[str, str]) -> list[str]:
    if old.schema.task != new.schema.task:
        return [
            f"The {names[0]} model is for {old.schema.task}, the {names[1]} one for {new.schema.task}: only the "
            f"trees are compared."
        ]
    if old.schema.task == "regression":
        wide = max(len(old.schema.answers), len(new.schema.answers)) > 1
        return ["Only the first target is compared."] if wide else []
    told = []
    for mine, other, name in ((old, new, names[0]), (new, old, names[1])):
        only = [spell_label(each) for each in mine.schema.answers if each not in other.schema.answers]
        if only:
            told.append(f"Only the {name} model has the class{'es' * (len(only) > 1)} {_named(only)}.")
    if told:
        told.append("The other model gives these classes probability 0; log loss and Brier score are not compared.")
    return told


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return spell_list([*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
