"""Engines: sums over rows for a given soft tree. A learner uses only these sums and never single rows, so the same
learner works for rows in memory, in batches, on a GPU or on a cluster.

    SumEngine      all rows, anywhere: loss, gradient, mean reach, for the last refinement of a tree
    SampleEngine   some rows, in memory: also outputs per row, histograms, split directions, for growth

A new engine derives from SumEngine and defines `total_weight`, `loss`, `gradient` and `mean_reach`; a learner gets a
function that creates it (learners/soft/training/training_rows.py). tests/engines/batches.py is an example in fifty
lines.

A tree is given as its shape and its parameters in one vector: [gate][column, bias] [leaf][output]
[slope][output][column] [leaf][output][own column].
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from softwood.arrays import Floats
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.contracts.soft import Shape
from softwood.kernels.contracts.split_step import PackedTree, SplitStepOptions, SplitStepResult
from softwood.kernels.formulas.lbfgs import minimise, penalised
from softwood.kernels.formulas.ordered_tree import OrderedTree
from softwood.kernels.formulas.penalty import Penalty
from softwood.kernels.kinds import Loss

__all__ = ["MakeEngine", "OrderedTree", "Penalty", "SampleEngine", "Shape", "SumEngine"]


class SumEngine(Protocol):
    """Sums over all rows for a given soft tree. All means are by weight."""

    @property
    @abstractmethod
    def total_weight(self) -> float:
        """Sum of the rows' weights: a row of weight two is the row twice."""

    @abstractmethod
    def loss(self, shape: Shape, parameters: Floats) -> float:
        """Mean loss."""

    @abstractmethod
    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        """Mean loss and its gradient."""

    @abstractmethod
    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        """Mean reach of each node."""

    def refine(
        self, shape: Shape, parameters: Floats, penalty: Penalty, max_iter: int, tol: float
    ) -> tuple[float, Floats, int]:
        """Minimise mean loss + penalty: returns objective, parameters and passes over the rows.

        By default L-BFGS over `gradient` (kernels/formulas/lbfgs.py); an engine may have a faster one.
        """
        objective = penalised(lambda at: self.gradient(shape, at), penalty)
        return minimise(objective, parameters, max_iter, tol)

    def refine_ordered(
        self, shape: Shape, tree: OrderedTree, start: Floats, penalty: Penalty, max_iter: int, tol: float
    ) -> tuple[float, Floats, int]:
        """The same within bounds, from the free numbers `start` that determine the parameters
        (formulas/ordered_tree.py).
        """
        return tree.refine(lambda at: self.gradient(shape, at), start, penalty, max_iter, tol)


# From the columns that inputs are expanded to, to the engine of all rows: columns are known only after the search.
MakeEngine = Callable[[Expansion], SumEngine]


class SampleEngine(SumEngine, Protocol):
    """Some rows, in memory, for growing and scoring trees.

    target : (rows, outputs).  weight : of the rows, sums to 1.  loss_kind : which loss.
    """

    @property
    @abstractmethod
    def target(self) -> Floats: ...

    @property
    @abstractmethod
    def weight(self) -> Floats: ...

    @property
    @abstractmethod
    def loss_kind(self) -> Loss: ...

    @abstractmethod
    def row_loss(self, shape: Shape, parameters: Floats) -> Floats:
        """Loss of each row, for paired comparisons of two trees."""

    @abstractmethod
    def output(self, shape: Shape, parameters: Floats) -> Floats:
        """Output of each row before the link, shape (rows, outputs)."""

    @abstractmethod
    def row_reach(self, shape: Shape, parameters: Floats) -> Floats:
        """Reach of each node by each row, shape (rows, nodes)."""

    @abstractmethod
    def histograms(self, shape: Shape, parameters: Floats, nodes: Sequence[int]) -> Floats:
        """Per node, input, bin: [sum reach * slope, sum reach^2 * curvature] of the loss, by output."""

    @abstractmethod
    def split_direction(self, shape: Shape, parameters: Floats, node: int) -> tuple[Floats, Floats, Floats]:
        """Mean and deviation of the columns by reach of `node`, and their covariance with the slope of the loss.

        The covariance has shape (outputs, columns).
        """

    @abstractmethod
    def under(self, shape: Shape, parameters: Floats, node: int) -> SampleEngine:
        """The rows as seen by a subtree in place of leaf `node`."""

    @property
    @abstractmethod
    def has_split_step(self) -> bool:
        """Whether it has `split_step`; if not, learners request each sum separately."""

    @abstractmethod
    def split_step(self, tree: PackedTree, split_features: Any, rules: SplitStepOptions) -> SplitStepResult | None:
        """One more split, everything refined (learners/soft/growth/split_step.py); None: nothing can be split."""
