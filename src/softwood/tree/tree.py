"""The one tree of the whole family, hard or soft: a frozen struct of arrays.

    output(m, x) = leafness[m] * response[m](x) + (1 - leafness[m]) * sum_c share[m -> c](x) * output(c, x)

Children of a node are adjacent (`first_child`, `n_children`), parents come before children, node 0 is the root. Things
of varying length lie flat with begin/end: the entries of node m are `begin[m]:begin[m + 1]`. A tree checks itself when
built (invariants.py), never changes after, and knows nothing of how it was learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats, Ints
from softwood.kernels.sparse.table import SparseTable, answer_blocks
from softwood.tree.arrays import TreeArrays
from softwood.tree.invariants import check_tree
from softwood.tree.narrow import over_inputs, used_inputs
from softwood.tree.once import computed_once
from softwood.tree.provenance import Provenance
from softwood.tree.sketch import sketch

Rows = npt.ArrayLike | SparseTable


@dataclass(frozen=True, eq=False, repr=False)
class Tree(TreeArrays):
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
    group_level : beside each slot in `group` the code it is of, rising within a gate, which cannot place other codes.
        Empty: of every code in turn. Trees of categories with many levels have it (kernels/contracts/level_slots.py).
    cut_begin, cut : interval gate: rising cuts; x <= cut[0] is slot 0, x > cut[-1] the last slot.
    bias, weight_begin, weight_column, weight : linear gate: score = bias + sum weight * basis[weight_column], and
        score >= 0 (step) or 1 / (1 + exp(-score)) (sigmoid) is the first child.
    missing, default, fraction : what a threshold, category or interval gate does with a value it cannot read
        (`Missing`); `default` is a child slot, `fraction[child]` the child's part of such a row. A constant gate gives
        every child its `fraction` of every row (>= 0, their sum is 1): several trees in one (`join_trees`).
    surrogates : stand-in gates for `Missing.SURROGATE`.
    basis : the columns that linear gates and linear responses are made of.
    slope_row, slope : linear response: response[m] + basis(x) @ slope[slope_row[m]]; -1 for a constant one.
        slope has shape (rows, basis columns, outputs).
    count, impurity, gain : training rows (by weight) that reached the node, their impurity, and how much of it (times
        weight) the node's gate took away; NaN if unknown.
    mean : (nodes, answers) mean answer, after the link, of the training rows that arrive at each node, as the subtree
        there predicts it; empty if unknown (`mean_answers` then falls back on the responses).
    arrived : (nodes, answers) what the rows that arrive were: the mean of their target, or the proportions of classes,
        each row counted by the part of it that arrives; empty if unknown.
    column_mean : (nodes, basis columns) mean of every basis column among the rows that arrive: a curve less its mean
        there is centred; empty if unknown.
    weight_effect : beside each weight, how much the term moves the score of its gate: the terms of one input add up to
        the standard deviation, among the rows that arrive, of what that input adds to the score; empty if unknown.
    slope_effect : (rows, basis columns, outputs) the same of linear responses; empty if unknown.
    note : what the learner has to say of each node, for print only; empty where it says nothing.
    provenance : who learned the tree, with which parameters, from how many rows; None if not known. Trees are equal
        whatever theirs is.

    `gate(m)`, `response_at(m)` and `curve(m, feature)` show one node without any of these arrays.

    Examples
    --------
    >>> from softwood.kernels.kinds import Score
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> stump.output([[2.0], [3.0]]).ravel()
    array([0., 1.])
    >>> stump
    Tree(3 nodes, 2 leaves, depth 1, 1 feature, 1 output, hard)
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tree(self)

    # -- answers -------------------------------------------------------------------------------------------------

    def output(self, X: Rows, n_threads: int = 1) -> Floats:
        """Answers before the link, shape (rows, outputs). NaN in X is a missing value."""
        return self._answer("output", X, n_threads)

    def predict(self, X: Rows, n_threads: int = 1) -> Floats:
        """Answers after the link, shape (rows, outputs)."""
        return self._answer("predict", X, n_threads)

    def reach(self, X: Rows, n_threads: int = 1) -> Floats:
        """Part of every row that arrives at every node, shape (rows, nodes)."""
        return self._answer("reach", X, n_threads)

    def apply(self, X: Rows, n_threads: int = 1) -> Ints:
        """The node that keeps most of each row (reach times leafness; the lowest id on a tie)."""
        return self._answer("apply", X, n_threads)

    def decide(self, X: Rows, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """Class of every row, as its place in `schema.answers`: of least expected cost, by `schema.costs`."""
        if self.is_whole:  # one class a leaf, found once
            return self._decisions[self.apply(X, n_threads)]
        if self.schema.costs is None and self.schema.task == "classification":
            return self._answer("decide", X, n_threads)
        return self.schema.decide(self.predict(X, n_threads))

    def classify(self, X: Rows, n_threads: int = 1) -> npt.NDArray[Any]:
        """Class of every row, as its label: the one of `schema.answers` that `decide` has the place of."""
        return self._labels[self.decide(X, n_threads)]

    @computed_once
    def _labels(self) -> npt.NDArray[Any]:
        """The labels as an array: of their own type where they have one in NumPy, else of objects."""
        labels = self.schema.answers
        if len(set(map(type, labels))) == 1 and isinstance(labels[0], str | int | float):
            return np.array(labels)
        return np.fromiter(labels, object, len(labels))

    @computed_once
    def _decisions(self) -> npt.NDArray[np.int64]:
        """Of every node, were it a leaf."""
        return self.schema.decide(self.answers)

    def _answer(self, what: str, X: Rows, n_threads: int) -> npt.NDArray[Any]:
        """What the kernel says of the rows; of a sparse table block by block, without the inputs that do not matter."""
        rows = self._rows(X)
        if not isinstance(rows, SparseTable):
            return cast(npt.NDArray[Any], getattr(self._evaluator, what)(rows, n_threads))
        inputs, evaluator = self._over_used_inputs
        return answer_blocks(getattr(evaluator, what), rows.only(inputs), n_threads)

    @computed_once
    def _over_used_inputs(self) -> tuple[npt.NDArray[np.intp], kernels.TreeEvaluator]:
        inputs = used_inputs(self)
        return inputs, kernels.Evaluator(replace(self, **over_inputs(self, inputs)))

    @computed_once
    def _evaluator(self) -> kernels.TreeEvaluator:
        return kernels.Evaluator(self)

    def _rows(self, X: Rows) -> Floats | SparseTable:
        rows = X if isinstance(X, SparseTable) else np.asarray(X, np.float64)
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
        """The same tree, whose provenance also records a change that was made."""
        return self if self.provenance is None else self.with_provenance(self.provenance.then(change))

    def __str__(self) -> str:
        return sketch(self)
