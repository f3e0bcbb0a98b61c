"""Split candidates: starts for a new gate in each leaf of a soft tree.

Two starts per leaf: the best split on one input from reach-weighted histograms (gain by Newton steps; a threshold for
a number, two groups of levels for a category), and the direction of largest covariance of the columns with the slope
of the loss (for one output the gradient of a linear response; a leaf split by it is a first linear discriminant). Each
start is refined alone, on the rows weighted by the leaf's reach, before the tree is refined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.engines import SampleEngine
from softwood.kernels import best_thresholds
from softwood.kernels.arithmetic import dot, leading_directions, matmul
from softwood.learners.soft.columns.split_features import Levels, SplitFeatures
from softwood.learners.soft.params.params import SoftTreeParams

START_SLOPE = 1.5  # of a new gate, in standard deviations of its score: soft enough to move, hard enough to split
LEVEL_SHRINKAGE_ROWS = 5.0  # added to the curvature of a level's rows before the levels are ordered by their steps
MIN_LEAF_ROWS = 2.0  # a leaf reached by fewer rows is not split


@dataclass(frozen=True)
class SplitCandidate:
    """A gate to split `node` by, and the responses of the children."""

    node: int
    gain: float
    gate: Floats
    first: Floats
    second: Floats

    @property
    def by_one_column(self) -> bool:
        """Whether it uses one column: a threshold on a number."""
        return bool(np.count_nonzero(self.gate[:-1]) == 1)


def find_split_candidates(
    params: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, tries: int
) -> Iterator[SplitCandidate]:
    """Starts in the `tries` leaves in which an axis split gains most."""
    shape, parameters = params.shape, params.parameters
    reach = engine.mean_reach(shape, parameters)
    leaves = [m for m in params.leaves if reach[m] * engine.total_weight > MIN_LEAF_ROWS]
    if not leaves:
        return
    table = engine.histograms(shape, parameters, leaves)
    for start in _axis_candidates(params, leaves, table, split_features, engine.total_weight, tries):
        yield start
        oblique = oblique_candidate(params, engine, start)
        if oblique is not None:
            yield oblique


def axis_candidate(
    params: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, node: int
) -> SplitCandidate | None:
    """The best axis split of one leaf."""
    table = engine.histograms(params.shape, params.parameters, [node])
    return next(iter(_axis_candidates(params, [node], table, split_features, engine.total_weight, 1)), None)


def _axis_candidates(
    params: SoftTreeParams, nodes: list[int], table: Floats, split_features: SplitFeatures, rows: float, tries: int
) -> list[SplitCandidate]:
    """The best split on one input for the nodes that gain most; table is (nodes, inputs, bins, 2, outputs)."""
    threshold, found = (
        best_thresholds(table, split_features.cuts, 1.0 / rows),
        list[tuple[float, int, SplitCandidate | None]](),
    )
    for i, node in enumerate(nodes):
        levels = [
            _level_candidate(params, node, table[i, f], levels, rows) for f, levels in split_features.levels.items()
        ]
        level = max((start for start in levels if start is not None), key=lambda start: start.gain, default=None)
        gain = float(threshold[i, 0])
        if level is not None and level.gain > gain:
            found.append((level.gain, i, level))
        elif gain > 0:
            found.append((gain, i, None))
    most = sorted(found, key=lambda one: -one[0])[:tries]
    return [
        level or _number_candidate(params, nodes[i], table[i], split_features, threshold[i], rows)
        for _, i, level in most
    ]


def _number_candidate(
    params: SoftTreeParams, node: int, table: Floats, split_features: SplitFeatures, threshold: Floats, rows: float
) -> SplitCandidate:
    """The best threshold (gain, input, bin) on a number; rows up to the bin go one way."""
    f, b = int(threshold[1]), int(threshold[2])
    gain, first, second = _gains(table[f, : b + 1].sum(axis=0), table[f].sum(axis=0), rows)
    gate = np.zeros(params.columns + 1)
    gate[split_features.linear[f]], gate[-1] = -START_SLOPE, START_SLOPE * split_features.at_cut[f][b]
    here = params.response[node]
    return SplitCandidate(node, float(gain), gate, here + first, here + second)


def _level_candidate(
    params: SoftTreeParams, node: int, table: Floats, levels: Levels, rows: float
) -> SplitCandidate | None:
    """The best two groups of a category's levels, ordered by their Newton steps.

    With several outputs they are ordered along the direction in which the steps differ most.
    """
    mine = table[levels.bin]
    if len(mine) < 2:
        return None
    step = -mine[:, 0] / (mine[:, 1] + LEVEL_SHRINKAGE_ROWS / rows)
    order = np.argsort(_along(step, mine[:, 1].sum(axis=1)), kind="stable")
    gain, first, second = _gains(np.cumsum(mine[order], axis=0), mine.sum(axis=0, keepdims=True), rows)
    b = int(np.argmax(gain[:-1]))
    if not gain[b] > 0:
        return None
    side = np.full(len(mine), -START_SLOPE)
    side[order[: b + 1]] = START_SLOPE
    here = params.response[node]
    return SplitCandidate(node, float(gain[b]), levels.gate(side, params.columns), here + first[b], here + second[b])


def _along(step: Floats, weight: Floats) -> Floats:
    """Steps (levels, outputs) as one number per level."""
    if step.shape[1] == 1:
        return step[:, 0]
    centred = step - np.average(step, axis=0, weights=weight + 1e-300)
    direction = leading_directions(np.sqrt(weight)[:, None] * centred)[1]
    return np.asarray(matmul(step, direction) * (1.0 if direction[np.argmax(np.abs(direction))] > 0 else -1.0))


def _gains(left: Floats, all: Floats, rows: float) -> tuple[Floats, Floats, Floats]:
    """Gain, and Newton steps of both sides; left and all are (..., 2, outputs) sums of slope and curvature."""
    ridge = 1.0 / rows
    right = all - left

    def side(part: Floats) -> tuple[Floats, Floats]:
        slope, curvature = part[..., 0, :], part[..., 1, :] + ridge
        return slope**2 / curvature, -slope / curvature

    (gain, first), (rest, second), (before, _) = side(left), side(right), side(all)
    return np.asarray((gain + rest - before).sum(axis=-1)), first, second


def oblique_candidate(params: SoftTreeParams, engine: SampleEngine, axis: SplitCandidate) -> SplitCandidate | None:
    """The gate through the rows' mean, along the direction of largest covariance with the slope of the loss."""
    mean, spread, covariance = engine.split_direction(params.shape, params.parameters, axis.node)
    if not np.isfinite(covariance).all() or not covariance.any():
        return None
    left, right = leading_directions(covariance)
    direction = right if dot(right, covariance[np.argmax(np.abs(left))]) < 0 else -right
    width = float(np.sqrt(np.sum((direction * spread) ** 2)))
    if width < 1e-9:
        return None
    direction *= START_SLOPE / width
    gate = np.append(direction, -dot(mean, direction))
    # The first child predicts more where a larger output lowers the loss.
    step = 0.5 * np.abs(axis.first - axis.second)
    towards = -np.sign(matmul(covariance, direction))
    here = params.response[axis.node]
    return SplitCandidate(axis.node, axis.gain, gate, here + step * towards, here - step * towards)
