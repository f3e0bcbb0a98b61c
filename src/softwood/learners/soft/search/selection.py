"""Which tree to keep: the simplest whose loss on held-out rows is not clearly worse than the best one's.

Trees are compared by loss, not by error rate, on the same held-out rows (`compare`). With few rows the difference of
two losses is mostly noise, so one standard error of the paired difference decides: a candidate that is worse by less is
as good as the best, one that is worse by more is replaced. Of those that are as good the simplest wins: the one with
the fewest nodes (slopes and curves count as nodes), then one without curves, then one with constant leaves, then the
one with the heaviest penalty, then the one found first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.params.params import Gates, SoftTreeParams
from softwood.tree.once import computed_once

CLEAR_SE = 1.0  # standard errors
MAX_LOSS_INCREASE_SHARE = 0.03  # of the best loss: the most that simplicity may cost


class Scalable(Protocol):
    """Parameters of a soft or budding tree."""

    @property
    def n_nodes(self) -> int: ...

    def scale_output(self, factor: float) -> Self: ...


T = TypeVar("T", bound=Scalable)


@dataclass(frozen=True, kw_only=True)
class FoldTrees(Generic[T]):
    """Trees of one kind, one per fold, and their losses on the held-out rows.

    output_scale : the factor on each tree's outputs, applied after it was learned (temperature_scaling.py).
    """

    tree: list[T]
    row_loss: Floats
    weight: Floats
    output_scale: list[float] = field(default_factory=lambda: [1.0])

    def with_folds(self, others: FoldTrees[T]) -> Self:
        """The same candidate with trees of further folds."""
        return replace(
            self,
            tree=self.tree + others.tree,
            row_loss=np.concatenate([self.row_loss, others.row_loss]),
            weight=np.concatenate([self.weight, others.weight]),
            output_scale=self.output_scale + others.output_scale,
        )

    @property
    def as_learned(self) -> list[T]:
        """The trees before their outputs were scaled."""
        return [tree.scale_output(1.0 / factor) for tree, factor in zip(self.tree, self.output_scale, strict=True)]

    @computed_once
    def loss(self) -> float:
        return float(np.average(self.row_loss, weights=self.weight))

    @property
    def nodes(self) -> float:
        return float(np.mean([tree.n_nodes for tree in self.tree]))


F = TypeVar("F", bound=FoldTrees[Any])


@dataclass(frozen=True, kw_only=True)
class Candidate(FoldTrees[SoftTreeParams]):
    """Soft trees of one kind and penalty.

    inputs : number of inputs available to the trees.  gates : their kind.
    reweighted : whether inputs are weighted by relevance (relevance.py).
    """

    basis_spec: BasisSpec
    penalty: float
    inputs: int = 0
    gates: Gates = "open"
    reweighted: bool = False

    @classmethod
    def nothing(cls) -> Candidate:
        """A candidate for when there was nothing to select: one leaf, no loss."""
        root = SoftTreeParams.root(np.zeros(1), 0, "none")
        return cls(basis_spec=BasisSpec(), penalty=0.0, tree=[root], row_loss=np.zeros(1), weight=np.ones(1))

    @property
    def gate(self) -> str:
        """The kind of gates, as a user calls it."""
        kind = "quadratic" if self.basis_spec.square else "additive" if self.basis_spec.is_nonlinear else "linear"
        kinds = {
            "open": kind,
            "axis": "axis",
            "unpenalized": "unpenalized axis",
            "either": f"unpenalized axis or {kind}",
        }
        return kinds[self.gates]

    @property
    def leaf(self) -> str:
        """The kind of leaves."""
        return "constant" if self.tree[0].slopes == "none" else "linear"

    @property
    def summary(self) -> str:
        """In one line: kind, inputs, penalty, size, loss."""
        inputs = f"{self.inputs} inputs reweighted" if self.reweighted else f"{self.inputs} inputs"
        kind = f"{self.gate} gates, {self.leaf} leaves, {inputs}, penalty {self.penalty:.2g}"
        return f"{kind}: {self.nodes:.0f} nodes, loss {self.loss:.4f}"

    @property
    def complexity(self) -> tuple[int, bool, bool, float]:
        """What makes a candidate complex, the most important first; the lowest is the simplest.

        Curves count as a node, and so do the slopes of every leaf, or those that all share.
        """
        nodes, curved, slopes = self.nodes, self.basis_spec.is_nonlinear, self.tree[0].slopes
        n_slopes = {"none": 0.0, "shared": 1.0}.get(slopes, (nodes + 1) / 2)
        return round(nodes + curved + n_slopes), curved, slopes != "none", -self.penalty


@dataclass(frozen=True)
class Gap:
    """By how much one kind of tree loses more than another on the same held-out rows.

    mean : of the differences, row by row; weights count as rows.  error : its standard error.  loss : of the other one.
    """

    mean: float
    error: float
    loss: float

    def is_clear(self, min_se: float = CLEAR_SE) -> bool:
        """Whether the first is worse by more than chance."""
        return self.mean > min_se * self.error

    def is_small(self, max_se: float = CLEAR_SE) -> bool:
        """Whether the first is as good if it is simpler: worse by chance, and by little."""
        return self.mean <= min(max_se * self.error, MAX_LOSS_INCREASE_SHARE * abs(self.loss))


def compare(one: FoldTrees[Any], other: FoldTrees[Any]) -> Gap:
    """The gap from one kind to another."""
    weight = one.weight
    total, gap = float(weight.sum()), one.row_loss - other.row_loss
    share = weight / total
    mean = dot(share, gap)
    return Gap(mean, float(np.sqrt(dot(share, np.square(gap - mean)) / total)), other.loss)


def select(candidates: list[Candidate]) -> Candidate:
    """The simplest candidate that is not clearly worse than the best."""
    return min(near_best(candidates), key=lambda candidate: candidate.complexity)


def near_best(candidates: list[F]) -> list[F]:
    """The candidate with the lowest loss, and those that are as good if they are simpler."""
    best = min(candidates, key=lambda candidate: candidate.loss)
    return [one for one in candidates if one is best or compare(one, best).is_small()]
