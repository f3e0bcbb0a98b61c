"""Growth from binned rows that fit in memory: the native grower in place of histograms (histogram_grower.py).

Bins replace values: with at most MAX_BINS bins each one is its own bin again, so the tree equals that from histograms,
and its thresholds are the edges after the last bin of each first child.

    value    0.2   0.9 | 1.4   2.0 | 3.1         edges 1.15, 2.55
    bin       0     0     1     1     2          threshold 0.5 -> edge[0]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from softwood import kernels
from softwood.arrays import Floats
from softwood.engines.binned_rows import BinnedParts, BinnedPiece, Bins
from softwood.kernels.contracts.growth import MAX_BINS, Grown, Growth, Target
from softwood.learners.hard.problem import Problem

INPUT_BYTES = 16  # of a value as a double, its bin, and its place in the lists of small nodes
ROW_BYTES = 64  # of a row beside its inputs: answer, weights, folds and what the grower keeps


def needed_bytes(n_rows: int, n_inputs: int) -> int:
    """Memory for growth from gathered rows."""
    return n_rows * (INPUT_BYTES * n_inputs + ROW_BYTES)


@dataclass
class PieceList:
    """All pieces, in their order."""

    pieces: list[BinnedPiece] = field(default_factory=list)

    def take(self, piece: BinnedPiece) -> None:
        self.pieces.append(piece)

    def merge(self, other: PieceList) -> None:
        self.pieces += other.pieces


def grow_gathered(rows: BinnedParts, problem: Problem, growth: Growth, folds: Sequence[int]) -> list[Grown]:
    """Trees that each leave out a fold, from all rows in memory."""
    pieces = rows.parts.collect(PieceList()).pieces
    y, weight, fold = (np.concatenate([each[part] for each in pieces]) for part in (1, 2, 3))
    bins = rows.bins
    grower = kernels.Grower(_places(pieces, bins), problem.n_levels, weight, MAX_BINS, bins.n_threads)
    class_factor = problem.target().class_factor
    return [
        _at_edges(
            grower.grow(Target(y, np.where(fold == one, 0.0, weight), problem.n_classes, class_factor), growth), bins
        )
        for one in folds
    ]


def _places(pieces: Sequence[BinnedPiece], bins: Bins) -> Floats:
    """The bin of every value as a number, NaN if missing, column after column."""
    X = np.empty((sum(len(piece.weight) for piece in pieces), len(bins.edge)), order="F")
    begin = 0
    for piece in pieces:
        end = begin + len(piece.weight)
        X[begin:end] = piece.code
        begin = end
    X[bins.n_bins == X] = np.nan
    return X


def _at_edges(grown: Grown, bins: Bins) -> Grown:
    """The tree over values, from one over bins."""
    threshold = grown.threshold.copy()
    for m in np.flatnonzero(np.isfinite(threshold)):  # infinite: all known values against missing ones
        threshold[m] = bins.edge[grown.feature[m]][int(threshold[m])]
    return replace(grown, threshold=threshold)
