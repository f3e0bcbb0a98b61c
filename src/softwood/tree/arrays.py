"""The arrays of a tree: its fields, its shape, and views of one node at a time.

`Tree` (tree.py) adds checks and predictions. Checks, wording and views depend only on the arrays, which avoids circular
imports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Bytes, Floats, Ints
from softwood.kernels.kinds import Link, Missing, Score, Squash
from softwood.tree.basis import Basis
from softwood.tree.curve import Curve, make_curve
from softwood.tree.frozen import freeze, is_whole, restore, same_arrays
from softwood.tree.once import computed_once
from softwood.tree.provenance import Provenance
from softwood.tree.schema import Schema
from softwood.tree.surrogates import Surrogates
from softwood.tree.views import Gate, LinearGate, LinearResponse, Response, view_gate, view_response

# Fields with one entry per node: name -> (dtype, default).
PER_NODE: dict[str, tuple[type[np.generic], float]] = {
    "first_child": (np.int32, -1),
    "n_children": (np.int32, 0),
    "leafness": (np.float64, np.nan),  # derived: 1 for a leaf, 0 for a branch
    "score": (np.uint8, Score.NONE),
    "squash": (np.uint8, Squash.STEP),
    "feature": (np.int32, -1),
    "threshold": (np.float64, np.nan),
    "missing": (np.uint8, Missing.DIRECTION),
    "default": (np.int32, 0),
    "fraction": (np.float64, np.nan),
    "bias": (np.float64, 0.0),
    "slope_row": (np.int32, -1),
    "count": (np.float64, np.nan),
    "impurity": (np.float64, np.nan),
    "gain": (np.float64, np.nan),
}
# Ragged fields: where each node begins, the flat values, their dtype.
RAGGED: tuple[tuple[str, str, type[np.generic]], ...] = (
    ("group_begin", "group", np.int32),
    ("cut_begin", "cut", np.float64),
    ("weight_begin", "weight", np.float64),
)
# Fields of other shapes.
SHAPED: dict[str, type[np.generic]] = {
    **dict.fromkeys(("response", "softness", "slope", "mean", "arrived"), np.float64),
    **dict.fromkeys(("column_mean", "weight_effect", "slope_effect"), np.float64),
    **dict.fromkeys(("group_begin", "group_level", "cut_begin", "weight_begin", "weight_column"), np.int32),
}
DTYPES: dict[str, type[np.generic]] = {
    **{name: dtype for name, (dtype, _) in PER_NODE.items()},
    **{flat: dtype for _, flat, dtype in RAGGED},
    **SHAPED,
}
NO_SURROGATES, NO_BASIS = Surrogates(), Basis()


def _empty() -> Any:
    return field(default_factory=lambda: np.zeros(0))


def _constant(shape: int | tuple[int, int], value: float, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """A read-only array of one value; zeros take no memory until written."""
    array = np.full(shape, value, dtype) if value else np.zeros(shape, dtype)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False, repr=False)
class TreeArrays:
    """The fields of a `Tree`, which documents them, and properties that need no rows."""

    response: Floats
    schema: Schema
    link: Link = Link.IDENTITY
    first_child: Ints = _empty()
    n_children: Ints = _empty()
    leafness: Floats = _empty()
    score: Bytes = _empty()
    squash: Bytes = _empty()
    feature: Ints = _empty()
    threshold: Floats = _empty()
    softness: Floats = _empty()
    group_begin: Ints = _empty()
    group: Ints = _empty()
    group_level: Ints = _empty()
    cut_begin: Ints = _empty()
    cut: Floats = _empty()
    bias: Floats = _empty()
    weight_begin: Ints = _empty()
    weight_column: Ints = _empty()
    weight: Floats = _empty()
    missing: Bytes = _empty()
    default: Ints = _empty()
    fraction: Floats = _empty()
    surrogates: Surrogates = field(default_factory=lambda: NO_SURROGATES)  # frozen, so it can be shared
    basis: Basis = field(default_factory=lambda: NO_BASIS)
    slope_row: Ints = _empty()
    slope: Floats = _empty()
    count: Floats = _empty()
    impurity: Floats = _empty()
    gain: Floats = _empty()
    mean: Floats = _empty()
    arrived: Floats = _empty()
    column_mean: Floats = _empty()
    weight_effect: Floats = _empty()
    slope_effect: Floats = _empty()
    note: tuple[str, ...] = ()
    provenance: Provenance | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, kind in (("schema", Schema), ("surrogates", Surrogates), ("basis", Basis)):
            if not is_whole(getattr(self, name), kind):
                raise TypeError(f"{name} must be a whole {kind.__name__}, got {type(getattr(self, name)).__name__}.")
        freeze(self, "response", np.float64)
        if self.response.ndim != 2 or self.response.size == 0:
            raise ValueError(f"response must have shape (nodes, outputs), both at least 1, got {self.response.shape}.")
        n = self.n_nodes
        for name, (dtype, value) in PER_NODE.items():
            if np.size(getattr(self, name)) == 0:
                object.__setattr__(self, name, _constant(n, value, dtype))
            freeze(self, name, dtype)
        self._derive_leafness()
        self._fill("softness", _constant((n, 2), 0, np.float64))
        self._fill("slope", np.zeros((0, len(self.basis), self.n_outputs)))
        for begin, flat, dtype in RAGGED:
            self._fill(begin, _constant(n + 1, 0, np.int32))
            freeze(self, flat, dtype)
        freeze(self, "slope", np.float64)
        for name in ("mean", "arrived"):
            self._fill(name, np.zeros((0, self.n_answers)))
        self._fill("column_mean", np.zeros((0, len(self.basis))))
        self._fill("slope_effect", np.zeros((0, *self.slope.shape[1:])))
        for name, dtype in SHAPED.items():
            freeze(self, name, dtype)
        object.__setattr__(self, "link", Link(self.link))
        object.__setattr__(self, "note", tuple(map(str, self.note)))
        if not isinstance(self.provenance, Provenance | None):
            raise TypeError(f"provenance must be a Provenance or None, got {type(self.provenance).__name__}.")

    def _fill(self, name: str, value: npt.NDArray[Any]) -> None:
        if np.size(getattr(self, name)) == 0:
            object.__setattr__(self, name, value)

    def _derive_leafness(self) -> None:
        """Default leafness: a node with children is a branch, one without a leaf."""
        unsaid = np.isnan(self.leafness)
        object.__setattr__(self, "leafness", np.where(unsaid, np.where(self.n_children > 0, 0.0, 1.0), self.leafness))
        freeze(self, "leafness", np.float64)

    # -- sizes ---------------------------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Branches, buds and leaves together."""
        return int(self.response.shape[0])

    @property
    def n_outputs(self) -> int:
        """Columns of `output`."""
        return int(self.response.shape[1])

    @property
    def n_answers(self) -> int:
        """Columns of `predict`: the sigmoid of one output gives two classes."""
        return 2 if self.link == Link.SIGMOID and self.n_outputs == 1 else self.n_outputs

    @property
    def n_features(self) -> int:
        """Inputs that a row has."""
        return self.schema.n_features

    @computed_once
    def n_leaves(self) -> int:
        """Nodes without children."""
        return int(np.count_nonzero(self.n_children == 0))

    @computed_once
    def parent(self) -> Ints:
        """Parent of every node, -1 for the root."""
        parent = np.full(self.n_nodes, -1, np.int32)
        branch = np.flatnonzero(self.n_children)
        branch = branch[np.argsort(self.first_child[branch])]  # families lie side by side from node 1 on
        parent[1:] = np.repeat(branch, self.n_children[branch])
        parent.setflags(write=False)
        return parent

    @computed_once
    def node_depth(self) -> Ints:
        """Steps from the root to every node."""
        above = self.parent
        depth = (above >= 0).astype(np.int32)
        while (above >= 0).any():  # steps to `above`, which is twice as far each time
            depth += np.where(above >= 0, depth[above], 0)
            above = np.where(above >= 0, above[above], -1)
        depth.setflags(write=False)
        return depth

    @property
    def depth(self) -> int:
        """Longest path from the root to a leaf."""
        return int(self.node_depth.max())

    @computed_once
    def is_hard(self) -> bool:
        """Every row takes one path (unless a missing value splits it): steps only, no buds, no constant shares."""
        branch = self.n_children > 0
        steps = (self.squash[branch] == Squash.STEP) & (self.score[branch] != Score.CONSTANT)
        return bool(np.all(steps) and np.all(self.leafness[branch] == 0.0))

    @computed_once
    def is_whole(self) -> bool:
        """No row is ever split: it gets the constant of one leaf."""
        return self.is_hard and not np.any(self.missing == Missing.FRACTION) and bool(np.all(self.slope_row < 0))

    @computed_once
    def constant_share(self) -> Floats:
        """The share of a row that constant shares above each node let through: 1 except in a mean of trees."""
        own = np.ones(self.n_nodes)
        child = np.flatnonzero(self.parent >= 0)
        child = child[self.score[self.parent[child]] == Score.CONSTANT]
        own[child] = self.fraction[child]
        for node in np.flatnonzero(self.parent >= 0).tolist() if len(child) else ():  # parents come before children
            own[node] *= own[self.parent[node]]
        own.setflags(write=False)
        return own

    # -- structure -----------------------------------------------------------------------------------------------

    def children(self, node: int) -> range:
        """Ids of the children of `node`, in slot order."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def walk(self, start: int = 0) -> Iterator[int]:
        """Node ids from `start` down, a node before its children, the first child's subtree before the second's."""
        stack = [start]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(self.children(node)))

    # -- views ---------------------------------------------------------------------------------------------------

    def gate(self, node: int) -> Gate | None:
        """The gate of a node; None for a leaf.

        Examples
        --------
        >>> from softwood import Tree
        >>> stump = Tree(
        ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1],
        ...     n_children=[2, 0, 0], score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, 0, 0])
        >>> stump.gate(0).threshold, stump.gate(1)
        (2.5, None)
        """
        return view_gate(self, _inside("node", node, self.n_nodes))

    def response_at(self, node: int) -> Response:
        """The response of a node, before the link."""
        return view_response(self, _inside("node", node, self.n_nodes))

    def curve(self, node: int, feature: int, output: int | None = None) -> Curve:
        """What one input adds to the score of a linear gate, or (with `output`) to that output of a linear response."""
        _inside("feature", feature, self.n_features)
        if output is None:
            gate = self.gate(node)
            if not isinstance(gate, LinearGate):
                raise ValueError(f"node {node} has no linear gate and thus no curve; pass output=0 for its response.")
            terms = gate.terms
        else:
            _inside("output", output, self.n_outputs)
            response = self.response_at(node)
            if not isinstance(response, LinearResponse):
                raise ValueError(f"node {node} has no linear response and thus no curve.")
            terms = response.terms[output]
        mean = self.column_mean[node] if len(self.column_mean) else None
        return make_curve(terms, feature, self.schema.n_levels(feature), mean)

    # -- what nodes answer ---------------------------------------------------------------------------------------

    @property
    def answers(self) -> Floats:
        """Prediction, after the link, of every node with a constant response if it were a leaf; shape (nodes,
        outputs).
        """
        return kernels.apply_link(int(self.link), self.response)

    @property
    def mean_answers(self) -> Floats:
        """What arrives at every node (`arrived`): mean target or proportions of classes of the training rows there.

        If unknown (a file of version 1), the mean prediction there; if that is unknown, too, the response of the node,
        which is the same in a hard tree with constant leaves. `node_numbers` says which one it is.
        """
        return self.arrived if len(self.arrived) else self.mean if len(self.mean) else self.answers

    # -- identity ------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return same_arrays(self, other)

    __hash__ = None  # type: ignore[assignment]  # compares by content, arrays do not hash

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields: the native evaluator is rebuilt when needed."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    def __repr__(self) -> str:
        def number(n: int, noun: str, plural: str = "") -> str:
            return f"{n} {noun if n == 1 else plural or noun + 's'}"

        parts = [number(self.n_nodes, "node"), number(self.n_leaves, "leaf", "leaves"), f"depth {self.depth}"]
        parts += [number(self.n_features, "feature"), number(self.n_outputs, "output")]
        return f"Tree({', '.join(parts)}, {'hard' if self.is_hard else 'soft'})"


def _inside(name: str, value: int, end: int) -> int:
    if not 0 <= value < end:
        raise IndexError(f"{name} must be 0..{end - 1}, got {value}.")
    return value
