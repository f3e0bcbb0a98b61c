"""The one tree of the whole family, hard or soft: a frozen struct of arrays.

    output(m, x) = leafness[m] * response[m](x) + (1 - leafness[m]) * sum_c share[m -> c](x) * output(c, x)

Children of a node are adjacent (`first_child`, `n_children`), parents come before children, node 0 is the root. Things
of varying length lie flat with begin/end: the entries of node m are `begin[m]:begin[m + 1]`. A tree checks itself when
built (invariants.py), never changes after, and knows nothing of how it was learned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.kernels.kinds import Link, Missing, Score, Squash
from softwood.tree.basis import Basis
from softwood.tree.frozen import freeze, is_whole, restore, same_arrays
from softwood.tree.invariants import check_tree
from softwood.tree.provenance import Provenance
from softwood.tree.schema import Schema
from softwood.tree.surrogates import Surrogates

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Kinds = npt.NDArray[np.uint8]

# Fields with one entry per node: name -> (dtype, value where the caller gave none).
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
NO_SURROGATES, NO_BASIS = Surrogates(), Basis()


def _empty() -> Any:
    return field(default_factory=lambda: np.zeros(0))


def _constant(shape: int | tuple[int, int], value: float, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """A read-only array of one value; one of zeros takes no memory until it is written, so never."""
    array = np.full(shape, value, dtype) if value else np.zeros(shape, dtype)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A decision tree with hard or soft gates.

    Only `response` is required; a field left out means "no node uses it".

    Attributes
    ----------
    response : (nodes, outputs) what each node answers. Every node has one, branches too.
    schema : names of inputs and answers.
    link : from output to answer (`Link`).
    first_child, n_children : children of m are `first_child[m] : first_child[m] + n_children[m]`; -1 and 0 for a leaf.
    leafness : the part a node keeps: 1 leaf, 0 branch, between: a bud.
    score, squash : the kind of gate (`Score`, `Squash`).
    feature, threshold : threshold gate: x[feature] <= threshold is the first child.
    softness : (nodes, 2) widths below and above the threshold. Ramp: share of the first child falls from 1 at
        threshold - softness[0] through 1/2 to 0 at threshold + softness[1]. Sigmoid: both equal, the share is
        1 / (1 + exp((x - threshold) / softness)).
    group_begin, group : category gate: the child slot of every category code, -1 for one the gate cannot place.
    cut_begin, cut : interval gate: rising cuts; x <= cut[0] is slot 0, x > cut[-1] the last slot.
    bias, weight_begin, weight_column, weight : linear gate: score = bias + sum weight * basis[weight_column], and
        score >= 0 (step) or 1 / (1 + exp(-score)) (sigmoid) is the first child.
    missing, default, fraction : what a threshold, category or interval gate does with a value it cannot read
        (`Missing`); `default` is a child slot, `fraction[child]` the child's part of such a row.
    surrogates : stand-in gates for `Missing.SURROGATE`.
    basis : the columns that linear gates and linear responses are made of.
    slope_row, slope : linear response: response[m] + basis(x) @ slope[slope_row[m]]; -1 for a constant one.
        slope has shape (rows, basis columns, outputs).
    count, impurity, gain : training rows (by weight) that reached the node, their impurity, and how much of it (times
        weight) the node's gate took away; NaN if unknown.
    mean : (nodes, answers) mean answer, after the link, of the training rows that arrive at each node, as the subtree
        there predicts it; empty if unknown (`mean_answers` then falls back on the responses).
    weight_effect : beside each weight, how much the term moves the score of its gate: the terms of one input add up to
        the standard deviation, among the rows that arrive, of what that input adds to the score; empty if unknown.
    slope_effect : (rows, basis columns, outputs) the same of linear responses; empty if unknown.
    note : what the learner has to say of each node, for print only; empty where it says nothing.
    provenance : who learned the tree, with which parameters, from how many rows; None if not known. Trees are equal
        whatever theirs is.

    Examples
    --------
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> stump.output([[2.0], [3.0]]).ravel()
    array([0., 1.])
    >>> stump
    Tree(3 nodes, 2 leaves, depth 1, 1 feature, 1 output, hard)
    """

    response: Floats
    schema: Schema
    link: Link = Link.IDENTITY
    first_child: Ints = _empty()
    n_children: Ints = _empty()
    leafness: Floats = _empty()
    score: Kinds = _empty()
    squash: Kinds = _empty()
    feature: Ints = _empty()
    threshold: Floats = _empty()
    softness: Floats = _empty()
    group_begin: Ints = _empty()
    group: Ints = _empty()
    cut_begin: Ints = _empty()
    cut: Floats = _empty()
    bias: Floats = _empty()
    weight_begin: Ints = _empty()
    weight_column: Ints = _empty()
    weight: Floats = _empty()
    missing: Kinds = _empty()
    default: Ints = _empty()
    fraction: Floats = _empty()
    surrogates: Surrogates = field(default_factory=lambda: NO_SURROGATES)  # frozen: one serves all
    basis: Basis = field(default_factory=lambda: NO_BASIS)
    slope_row: Ints = _empty()
    slope: Floats = _empty()
    count: Floats = _empty()
    impurity: Floats = _empty()
    gain: Floats = _empty()
    mean: Floats = _empty()
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
            freeze(self, begin, np.int32)
            freeze(self, flat, dtype)
        freeze(self, "weight_column", np.int32)
        freeze(self, "softness", np.float64)
        freeze(self, "slope", np.float64)
        self._fill("mean", np.zeros((0, self.n_answers)))
        self._fill("slope_effect", np.zeros((0, *self.slope.shape[1:])))
        for name in ("mean", "weight_effect", "slope_effect"):
            freeze(self, name, np.float64)
        object.__setattr__(self, "link", Link(self.link))
        object.__setattr__(self, "note", tuple(map(str, self.note)))
        if not isinstance(self.provenance, Provenance | None):
            raise TypeError(f"provenance must be a Provenance or None, got {type(self.provenance).__name__}.")
        check_tree(self)

    def _fill(self, name: str, value: npt.NDArray[Any]) -> None:
        if np.size(getattr(self, name)) == 0:
            object.__setattr__(self, name, value)

    def _derive_leafness(self) -> None:
        """Where the caller gave no leafness, a node with children is a branch and one without a leaf."""
        unsaid = np.isnan(self.leafness)
        object.__setattr__(self, "leafness", np.where(unsaid, np.where(self.n_children > 0, 0.0, 1.0), self.leafness))
        freeze(self, "leafness", np.float64)

    # -- sizes ---------------------------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        return int(self.response.shape[0])

    @property
    def n_outputs(self) -> int:
        return int(self.response.shape[1])

    @property
    def n_answers(self) -> int:
        """Columns of `predict`: the sigmoid of one output answers two classes."""
        return 2 if self.link == Link.SIGMOID and self.n_outputs == 1 else self.n_outputs

    @property
    def n_features(self) -> int:
        return self.schema.n_features

    @cached_property
    def n_leaves(self) -> int:
        """Nodes without children."""
        return int(np.count_nonzero(self.n_children == 0))

    @cached_property
    def parent(self) -> Ints:
        """Parent of every node, -1 for the root."""
        parent = np.full(self.n_nodes, -1, np.int32)
        branch = np.flatnonzero(self.n_children)
        branch = branch[np.argsort(self.first_child[branch])]  # families lie side by side from node 1 on
        parent[1:] = np.repeat(branch, self.n_children[branch])
        parent.setflags(write=False)
        return parent

    @cached_property
    def node_depth(self) -> Ints:
        """Steps from the root to every node."""
        depth = np.zeros(self.n_nodes, np.int32)
        above = self.parent
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)
        depth.setflags(write=False)
        return depth

    @property
    def depth(self) -> int:
        """Longest way from the root to a leaf."""
        return int(self.node_depth.max())

    @cached_property
    def is_hard(self) -> bool:
        """Every row takes one path (unless a missing value splits it): steps only, no buds."""
        branch = self.n_children > 0
        return bool(np.all(self.squash[branch] == Squash.STEP) and np.all(self.leafness[branch] == 0.0))

    @cached_property
    def is_whole(self) -> bool:
        """No row is ever split: one leaf answers it, with a constant."""
        return self.is_hard and not np.any(self.missing == Missing.FRACTION) and bool(np.all(self.slope_row < 0))

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

    # -- answers -------------------------------------------------------------------------------------------------

    def output(self, X: npt.ArrayLike, n_threads: int = 1) -> Floats:
        """Answers before the link, shape (rows, outputs). NaN in X is a missing value."""
        return self._evaluator.output(self._rows(X), n_threads)

    def predict(self, X: npt.ArrayLike, n_threads: int = 1) -> Floats:
        """Answers after the link, shape (rows, outputs)."""
        return kernels.apply_link(int(self.link), self.output(X, n_threads))

    @property
    def answers(self) -> Floats:
        """Answer after the link of every node with a constant response, were it a leaf; shape (nodes, outputs)."""
        return kernels.apply_link(int(self.link), self.response)

    @property
    def mean_answers(self) -> Floats:
        """Mean answer of the rows that arrive at every node; where that is unknown, what the node itself answers."""
        return self.mean if len(self.mean) else self.answers

    def reach(self, X: npt.ArrayLike, n_threads: int = 1) -> Floats:
        """Part of every row that arrives at every node, shape (rows, nodes)."""
        return self._evaluator.reach(self._rows(X), n_threads)

    def apply(self, X: npt.ArrayLike, n_threads: int = 1) -> Ints:
        """The node that keeps most of each row (reach times leafness; the lowest id on a tie)."""
        return self._evaluator.apply(self._rows(X), n_threads)

    def decide(self, X: npt.ArrayLike, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """Class of every row, as its place in `schema.answers`: of least expected cost, by `schema.costs`."""
        if self.is_whole:  # one class a leaf, found once
            return self._decisions[self.apply(X, n_threads)]
        return self.schema.decide(self.predict(X, n_threads))

    @cached_property
    def _decisions(self) -> npt.NDArray[np.int64]:
        """Of every node, were it a leaf."""
        return self.schema.decide(self.answers)

    @cached_property
    def _evaluator(self) -> kernels.Evaluator:
        return kernels.Evaluator(self)

    def _rows(self, X: npt.ArrayLike) -> Floats:
        rows = np.asarray(X, np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(f"X must have shape (rows, {self.n_features}), as the tree's inputs, got {rows.shape}.")
        return rows

    # -- identity ------------------------------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Tree:
        """A copy with some fields changed, checked anew."""
        return replace(self, **changes)

    def with_provenance(self, provenance: Provenance | None) -> Tree:
        """The same tree with another provenance; nothing is copied or checked again."""
        if provenance is not None and not isinstance(provenance, Provenance):
            raise TypeError(f"provenance must be a Provenance or None, got {type(provenance).__name__}.")
        other = object.__new__(type(self))
        vars(other).update(self.__getstate__(), provenance=provenance)
        return other

    def changed(self, change: str) -> Tree:
        """The same tree, whose provenance also tells of a change that was made."""
        return self if self.provenance is None else self.with_provenance(self.provenance.then(change))

    def __eq__(self, other: object) -> bool:
        return same_arrays(self, other)

    __hash__ = None  # type: ignore[assignment]  # compares by content, arrays do not hash

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields: the evaluator is native and is made again where needed."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    def __repr__(self) -> str:
        def number(n: int, noun: str, plural: str = "") -> str:
            return f"{n} {noun if n == 1 else plural or noun + 's'}"

        parts = [number(self.n_nodes, "node"), number(self.n_leaves, "leaf", "leaves"), f"depth {self.depth}"]
        parts += [number(self.n_features, "feature"), number(self.n_outputs, "output")]
        return f"Tree({', '.join(parts)}, {'hard' if self.is_hard else 'soft'})"

    def __str__(self) -> str:
        from softwood.tree.sketch import sketch  # here, not above: sketch needs Tree

        return sketch(self)
