"""Where a soft tree could grow: for each leaf, gates to start from.

Two starts a leaf: the best axis split of the reach-weighted histograms (gain by Newton steps), and the direction in
which the columns covary most with the slope of the loss (for one output the gradient of a linear response; a leaf
split by it is a first linear discriminant). Each start is refined alone, on the rows as the leaf sees them, before
the tree moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.engines import Engine, Floats
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.sapling import Sapling

START_SLOPE = 1.5  # of a new gate, in spreads of its score: soft enough to be moved, hard enough to split
LEAST_ROWS = 2.0  # a leaf that fewer rows reach is left alone


@dataclass(frozen=True)
class Axes:
    """What histograms need: cuts per input (bin b is up to cut[b]), and the line column of each input (-1: none)."""

    cut: list[Floats]
    line: npt.NDArray[np.int32]
    at_cut: list[Floats]  # value of the line column at each cut
    feature: npt.NDArray[np.int32]  # of each column

    @classmethod
    def make(cls, cut: list[Floats], columns: Columns) -> Axes:
        """Line columns of the inputs, and their values at the cuts."""
        line = np.full(len(cut), -1, np.int32)
        for c in np.flatnonzero(columns.kind == 0):
            line[columns.feature[c]] = c
        at_cut = [
            columns.of_input(f, edges, line[[f]].astype(np.intp))[:, 0] if line[f] >= 0 else np.zeros(len(edges))
            for f, edges in enumerate(cut)
        ]
        return cls(cut, line, at_cut, columns.feature)

    def all_but_heaviest(self, gate: Floats, n: int) -> npt.NDArray[np.bool_]:
        """The weights of all inputs but the `n` with the longest vector of weights; never the bias."""
        length = np.bincount(self.feature, np.square(gate[:-1]), len(self.cut))
        heavy = np.argsort(-length, kind="stable")[:n]
        return np.append(~np.isin(self.feature, heavy), False)


@dataclass(frozen=True)
class Start:
    """A gate to split `node` by, and the responses of the children."""

    node: int
    gain: float
    gate: Floats
    first: Floats
    second: Floats


def find_starts(sapling: Sapling, engine: Engine, axes: Axes, tries: int) -> Iterator[Start]:
    """Starts in the `tries` leaves where an axis split gains most."""
    shape, parameters = sapling.shape, sapling.parameters
    reach = engine.mean_reach(shape, parameters)
    leaves = [m for m in sapling.leaves if reach[m] * engine.total_weight > LEAST_ROWS]
    if not leaves:
        return
    table = engine.histograms(shape, parameters, leaves)
    best = [_axis_start(sapling, m, table[i], axes, engine.total_weight) for i, m in enumerate(leaves)]
    found = sorted((start for start in best if start is not None), key=lambda start: -start.gain)
    for start in found[:tries]:
        yield start
        oblique = oblique_start(sapling, engine, start)
        if oblique is not None:
            yield oblique


def axis_start(sapling: Sapling, engine: Engine, axes: Axes, node: int) -> Start | None:
    """The best axis split of one leaf."""
    table = engine.histograms(sapling.shape, sapling.parameters, [node])
    return _axis_start(sapling, node, table[0], axes, engine.total_weight)


def _axis_start(sapling: Sapling, node: int, table: Floats, axes: Axes, rows: float) -> Start | None:
    """The best axis split; table is (inputs, bins, 2, outputs)."""
    slope, curvature = np.cumsum(table[:, :, 0], axis=1), np.cumsum(table[:, :, 1], axis=1)
    all_slope, all_curvature, ridge = slope[:, -1:], curvature[:, -1:], 1.0 / rows
    rest_slope, rest_curvature = all_slope - slope, all_curvature - curvature
    gain = slope**2 / (curvature + ridge) + rest_slope**2 / (rest_curvature + ridge)
    gain = (gain - all_slope**2 / (all_curvature + ridge)).sum(axis=2)
    for f, edges in enumerate(axes.cut):
        gain[f, len(edges) if axes.line[f] >= 0 else 0 :] = -np.inf
    f, b = (int(i) for i in np.unravel_index(int(np.argmax(gain)), gain.shape))
    if not gain[f, b] > 0:
        return None
    gate = np.zeros(sapling.columns + 1)
    gate[axes.line[f]], gate[-1] = -START_SLOPE, START_SLOPE * axes.at_cut[f][b]
    here = sapling.response[node]
    first = here - slope[f, b] / (curvature[f, b] + ridge)
    second = here - rest_slope[f, b] / (rest_curvature[f, b] + ridge)
    return Start(node, float(gain[f, b]), gate, first, second)


def oblique_start(sapling: Sapling, engine: Engine, axis: Start) -> Start | None:
    """The gate along the direction of largest covariance with the slope of the loss, through the rows' mean."""
    mean, spread, covariance = engine.pull(sapling.shape, sapling.parameters, axis.node)
    if not np.isfinite(covariance).all() or not covariance.any():
        return None
    left, _, right = np.linalg.svd(covariance, full_matrices=False)
    direction = right[0] if right[0] @ covariance[np.argmax(np.abs(left[:, 0]))] < 0 else -right[0]
    width = float(np.sqrt(np.sum((direction * spread) ** 2)))
    if width < 1e-9:
        return None
    direction *= START_SLOPE / width
    gate = np.append(direction, -mean @ direction)
    # Where the score rises and the slope of the loss falls, more output helps: there the first child answers more.
    step = 0.5 * np.abs(axis.first - axis.second)
    towards = -np.sign(covariance @ direction)
    here = sapling.response[axis.node]
    return Start(axis.node, axis.gain, gate, here + step * towards, here - step * towards)
