"""The split of a linear discriminant tree: classes in two groups, Fisher's direction between them, the best cut.

Numbers are split along a ridge regression. With `univariate`, the best test of one input competes: the split with the
larger decrease of impurity is used, on ties the simpler one. For numbers the linear split must also pay for its weights
by Akaike's criterion; with SSE the residual sum of squares in the node's W rows,

    W ln(SSE of the test / SSE of the linear split) > 2 (columns - 1)

In a small node a direction with many weights always finds a gain that new rows do not confirm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from softwood import kernels
from softwood.arrays import Floats, Index
from softwood.kernels.arithmetic import dot, log, matmul
from softwood.kernels.formulas.class_groups import exchange
from softwood.kernels.formulas.score_threshold import best_cut
from softwood.learners.oblique.direction import discriminants, regression
from softwood.learners.oblique.gate import LinearGate, Split
from softwood.learners.oblique.grown import Grown
from softwood.learners.oblique.rows import Rows
from softwood.learners.oblique.score_threshold import normal_cut
from softwood.learners.oblique.univariate import find_univariate

SAME_GAIN = 1e-9  # relative
AIC_PER_WEIGHT = 2.0  # of a weight, by AIC
MIN_LOSS_SHARE = 1e-12  # of the node's; a smaller one is rounding


@dataclass(frozen=True)
class Discriminant:
    """Options of the split.

    least : minimum rows (by weight) of each child.
    shrinkage : of the scatter, relative to its mean variance; None: columns / rows.
    threshold : "gaussian", the cut between two normal densities if it has at least half the best gain; or "gain", the
        cut with the largest gain. Numbers are always cut by gain.
    univariate : whether the best test of one input competes.
    """

    least: float = 1.0
    shrinkage: float | None = None
    threshold: str = "gaussian"
    univariate: bool = False

    def __call__(self, rows: Rows) -> Split | None:
        """The split of a node."""
        oblique = find_discriminant(rows, self)
        if not self.univariate:
            return oblique
        single = find_univariate(rows, self.least)
        if oblique is None or single is None:
            return oblique or single
        return oblique if _is_worth_it(rows, oblique.gain, single.gain) else single

    def grow(self, rows: Rows, max_depth: int, min_samples_split: float, min_impurity_decrease: float) -> Grown:
        """All nodes, natively."""
        if kernels.grow_discriminant is None:
            raise RuntimeError("the native kernels are not built; grow_nodes does the same.")
        nodes = kernels.grow_discriminant(
            rows.phi,
            *rows.answers(),
            rows.problem.X if self.univariate else None,
            rows.problem.n_levels.tolist(),
            max_depth,
            min_samples_split,
            self.least,
            min_impurity_decrease,
            *self.manner(),
        )
        return Grown(**nodes)

    def manner(self) -> tuple[float, bool]:
        """Shrinkage (NaN: columns / rows), and whether cuts are gaussian: for the native kernels."""
        return np.nan if self.shrinkage is None else self.shrinkage, self.threshold == "gaussian"


def _is_worth_it(rows: Rows, linear: float, single: float) -> bool:
    """Whether the weights of a linear split pay, given its gain and that of a test of one input."""
    if not linear > single * (1.0 + SAME_GAIN):
        return False
    if rows.problem.is_classes:
        return True
    loss = float(rows.loss(rows.tally.sum(axis=0, keepdims=True))[0])
    left = np.maximum(loss - np.array([single, linear]), MIN_LOSS_SHARE * loss)
    return bool(rows.split_weight.sum() * log(left[0] / left[1]) > AIC_PER_WEIGHT * (rows.phi.shape[1] - 1))


def find_discriminant(rows: Rows, how: Discriminant, columns: Index | None = None) -> Split | None:
    """The split along the best direction of some columns (None: all); None if no direction separates the rows."""
    some: slice | Index = slice(None) if columns is None or len(columns) == rows.phi.shape[1] else columns
    phi = rows.phi[:, some]
    if not phi.shape[1]:
        return None
    if kernels.grow_discriminant is not None:
        return _natively(replace(rows, phi=np.ascontiguousarray(phi)), how, some, rows.phi.shape[1])
    scored = _between_groups(phi, rows, how) if rows.problem.is_classes else _by_regression(phi, rows, how)
    if scored is None:
        return None
    along, score, near, zero = scored
    spread = float(score.std())
    if not (np.isfinite(spread) and spread > 1e-12 * float(np.abs(score).max())):
        return None
    gain, at = best_cut(score, rows.tally, rows.problem.weight, int(rows.problem.criterion), how.least, near)
    if not gain > 0.0:
        return None
    weight = np.zeros(rows.phi.shape[1])
    weight[some] = along / spread
    return Split(LinearGate(weight, -(at + zero) / spread), gain)


def _natively(rows: Rows, how: Discriminant, some: slice | Index, n_columns: int) -> Split | None:
    """The same by a tree with one split."""
    grown = replace(how, univariate=False).grow(rows, 1, 0.0, 0.0)
    if grown.first_child[0] < 0:
        return None
    weight = np.zeros(n_columns)
    weight[some] = grown.weight[0]
    return Split(LinearGate(weight, float(grown.bias[0])), float(grown.gain[0]))


class Scored(NamedTuple):
    """A direction, the rows' scores along it minus `zero`, and the best cut (NaN: by gain)."""

    along: Floats
    score: Floats
    near: float
    zero: float


def _by_regression(phi: Floats, rows: Rows, how: Discriminant) -> Scored:
    along = regression(phi, rows.tally, how.shrinkage)
    return Scored(along, matmul(phi, along), np.nan, 0.0)


def _between_groups(phi: Floats, rows: Rows, how: Discriminant) -> Scored | None:
    """Fisher's direction between two groups of classes; None if there is only one class."""
    present = rows.tally.any(axis=0)
    if np.count_nonzero(present) < 2:
        return None
    tally = np.ascontiguousarray(rows.tally[:, present])
    found = discriminants(phi, tally, how.shrinkage)
    a = exchange(found.projected, found.gram, tally, int(rows.problem.criterion))
    along, score = matmul(found.D, a), matmul(found.projected, a)
    near = np.nan
    if how.threshold == "gaussian":
        near = normal_cut(score, tally[:, a > 0].sum(axis=1), tally[:, a < 0].sum(axis=1))
    return Scored(along, score, near, dot(found.mean, along))
