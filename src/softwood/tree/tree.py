"""The tree of all learners, hard or soft: a frozen struct of arrays.

    output(m, x) = leafness[m] * response[m](x) + (1 - leafness[m]) * sum_c share[m -> c](x) * output(c, x)

Children of a node are adjacent (`first_child`, `n_children`), parents come before children, node 0 is the root. Ragged
fields are flat with begin/end: the entries of node m are `begin[m]:begin[m + 1]`. A tree is checked when it is built
(invariants.py), is immutable, and does not depend on how it was learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

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

    Only `response` is required; an omitted field is used by no node.

    Attributes
    ----------
    response : (nodes, outputs) response of each node, including branches.
    schema : names of inputs and answers.
    link : from output to prediction (`Link`).
    first_child, n_children : children of m are `first_child[m] : first_child[m] + n_children[m]`; -1 and 0 for a leaf.
    leafness : the proportion a node keeps: 1 leaf, 0 branch, in between a bud.
    score, squash : the kind of gate (`Score`, `Squash`).
    feature, threshold : threshold gate: x[feature] <= threshold is the first child.
    softness : (nodes, 2) widths below and above the threshold. Ramp: the share of the first child decreases from 1 at
        threshold - softness[0] through 1/2 to 0 at threshold + softness[1]. Sigmoid: both equal, the share is 1 / (1 +
        exp((x - threshold) / softness)).
    group_begin, group : category gate: the child slot of every category code, -1 for unknown ones.
    group_level : for each slot in `group` its code, ascending within a gate; other codes are unknown to the gate.
        Empty: all codes in order. Used for categories with many levels (kernels/contracts/level_slots.py).
    cut_begin, cut : interval gate: ascending cuts; x <= cut[0] is slot 0, x > cut[-1] the last slot.
    bias, weight_begin, weight_column, weight : linear gate: score = bias + sum weight * basis[weight_column], and
        score >= 0 (step) or 1 / (1 + exp(-score)) (sigmoid) is the first child.
    missing, default, fraction : treatment of missing values at a threshold, category or interval gate (`Missing`);
        `default` is a child slot, `fraction[child]` the child's proportion of such a row. A constant gate gives every
        child its `fraction` of every row (>= 0, their sum is 1): several trees in one (`join_trees`).
    surrogates : surrogate gates for `Missing.SURROGATE`.
    basis : the columns that linear gates and linear responses are made of.
    slope_row, slope : linear response: response[m] + basis(x) @ slope[slope_row[m]]; -1 for a constant one.
        slope has shape (rows, basis columns, outputs).
    count, impurity, gain : training rows (by weight) that reached the node, their impurity, and its reduction (times
        weight) by the node's gate; NaN if unknown.
    mean : (nodes, answers) mean prediction of the subtree, after the link, for the training rows that arrive at each
        node; empty if unknown (`mean_answers` then falls back on the responses).
    arrived : (nodes, answers) the mean target, or the class proportions, of the rows that arrive, weighted by the
        proportion that arrives; empty if unknown.
    column_mean : (nodes, basis columns) mean of every basis column over the rows that arrive, to centre curves; empty
        if unknown.
    weight_effect : for each weight, the effect of the term on the score of its gate: the effects of one input sum to
        the standard deviation of what this input adds to the score over the rows that arrive; empty if unknown.
    slope_effect : (rows, basis columns, outputs) the same for linear responses; empty if unknown.
    note : the learner's remark on each node, only for printing; or empty.
    provenance : estimator, parameters and number of rows; None if unknown. Ignored in comparisons.

    `gate(m)`, `response_at(m)` and `curve(m, feature)` describe one node without these arrays.

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
        """Outputs before the link, shape (rows, outputs). NaN in X is a missing value."""
        return self._answer("output", X, n_threads)

    def predict(self, X: Rows, n_threads: int = 1) -> Floats:
        """Predictions after the link, shape (rows, answers)."""
        return self._answer("predict", X, n_threads)

    def reach(self, X: Rows, n_threads: int = 1) -> Floats:
        """Reach: the proportion of each row that arrives at each node, shape (rows, nodes)."""
        return self._answer("reach", X, n_threads)

    def apply(self, X: Rows, n_threads: int = 1) -> Ints:
        """The node that keeps most of each row (reach times leafness; the lowest id in a tie)."""
        return self._answer("apply", X, n_threads)

    def decide(self, X: Rows, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """Class of every row, as its position in `schema.answers`: of least expected cost, by `schema.costs`."""
        if self.is_whole:  # one class per leaf, computed once
            return self._decisions[self.apply(X, n_threads)]
        if self.schema.costs is None and self.schema.task == "classification":
            return self._answer("decide", X, n_threads)
        return self.schema.decide(self.predict(X, n_threads))

    def classify(self, X: Rows, n_threads: int = 1) -> npt.NDArray[Any]:
        """Class of every row, as its label."""
        return self._labels[self.decide(X, n_threads)]

    @computed_once
    def _labels(self) -> npt.NDArray[Any]:
        """The labels as an array, of their NumPy type if there is one, else of objects."""
        labels = self.schema.answers
        if len(set(map(type, labels))) == 1 and isinstance(labels[0], str | int | float):
            return np.array(labels)
        return np.fromiter(labels, object, len(labels))

    @computed_once
    def _decisions(self) -> npt.NDArray[np.int64]:
        """The class of every node if it were a leaf."""
        return self.schema.decide(self.answers)

    def _answer(self, what: str, X: Rows, n_threads: int) -> npt.NDArray[Any]:
        """The result of the kernel for the rows; for a sparse table in blocks, without unused inputs."""
        rows = self._rows(X)
        if not isinstance(rows, SparseTable):
            answer: npt.NDArray[Any] = getattr(self._evaluator, what)(rows, n_threads)
            return answer
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
            raise ValueError(f"X must have shape (rows, {self.n_features}), one column per input, got {rows.shape}.")
        return rows

    # -- identity ------------------------------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Tree:
        """A copy with some fields changed, which is checked."""
        return replace(self, **changes)

    def with_provenance(self, provenance: Provenance | None) -> Tree:
        """The same tree with another provenance, without copies or checks."""
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
