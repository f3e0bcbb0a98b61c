"""Rows as bins, for hard trees from rows in parts (parts.py): one or two bytes per input.

Values are binned once; every later pass reads codes, targets and weights, which take an eighth of the size of the rows:
in a temporary file, or in the memory of a cluster's workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.engines.histograms import MemoryHistograms, n_bins
from softwood.engines.parts import Parts
from softwood.kernels import bin_codes
from softwood.kernels.contracts.bin_tree import BinnedRows, BinTree, Codes

EVERY = -1  # fold: all rows


class FoldQuestion(NamedTuple):
    """Histograms of some leaves of a tree over the rows that are not in a fold."""

    tree: BinTree
    nodes: Sequence[int]
    origin: Floats
    fold: int


class BinnedPiece(NamedTuple):
    """Some rows: bins, class codes or numbers (rows, targets), weights, and the fold that each is in."""

    code: Codes
    y: npt.NDArray[Any]
    weight: Floats
    fold: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Bins:
    """The bins of every input.

    edge : per number the edges between its bins.  n_levels : of categories.  n_threads : for binning.
    """

    edge: list[Floats]
    n_levels: Ints
    n_threads: int = 1

    @property
    def n_bins(self) -> int:
        return n_bins(self.edge, self.n_levels)

    def codes(self, X: Floats) -> Codes:
        """The bin of every value."""
        return bin_codes(X, self.edge, self.n_levels, self.n_bins, self.n_threads)

    def values(self, code: Codes) -> Floats:
        """Inputs that a tree over these bins routes like the rows themselves: the upper ends of the bins."""
        values = np.empty(code.shape)
        for f, levels in enumerate(self.n_levels.tolist()):
            known = np.arange(levels, dtype=np.float64) if levels else np.append(self.edge[f], np.inf)
            upper = np.full(self.n_bins + 1, np.nan)
            upper[: len(known)] = known
            values[:, f] = upper[code[:, f]]
        return values


@dataclass
class HistogramSums:
    """The histograms of several questions."""

    questions: Sequence[FoldQuestion]
    n_bins: int
    n_classes: int
    n_threads: int = 1
    total: list[Any] = field(default_factory=list)

    def take(self, piece: BinnedPiece) -> None:
        self._add([self._ask(piece, question) for question in self.questions])

    def merge(self, other: HistogramSums) -> None:
        self._add(other.total)

    def _add(self, found: list[Any]) -> None:
        self.total = [a + b for a, b in zip(self.total, found, strict=True)] if self.total else found

    def _ask(self, piece: BinnedPiece, question: FoldQuestion) -> Floats:
        weight = np.where(piece.fold == question.fold, 0.0, piece.weight)
        rows = BinnedRows(piece.code, self.n_bins, piece.y, weight, self.n_classes)
        return MemoryHistograms(rows, self.n_threads).histograms(question.tree, question.nodes, question.origin)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle: only the counts are returned from a worker."""
        return {**vars(self), "questions": ()} if self.total else vars(self)


@dataclass(frozen=True)
class BinnedParts:
    """All rows as bins, in parts.

    n_classes : 0 for regression.  room : memory limit of the histograms of one pass in bytes.
    """

    parts: Parts[BinnedPiece]
    bins: Bins
    n_classes: int
    room: int

    def histograms(self, questions: Sequence[FoldQuestion]) -> list[Floats]:
        """The histograms for all questions: in one pass, or in several if they would exceed the memory."""
        answers: list[Floats] = []
        while len(answers) < len(questions):
            some = self._next(questions[len(answers) :])
            answers += self.parts.collect(
                HistogramSums(some, self.bins.n_bins, self.n_classes, self.bins.n_threads)
            ).total
        return answers

    def _next(self, questions: Sequence[FoldQuestion]) -> list[FoldQuestion]:
        """The first questions, as many as fit; at least one."""
        statistics = self.n_classes or 1 + 2 * questions[0].origin.shape[1]
        inputs = len(self.bins.edge)
        node = inputs * (self.bins.n_bins + 1) * statistics * 8 * 3  # a sum, the addend, and their sum
        size = np.cumsum([len(question.nodes) * node for question in questions])
        return list(questions[: max(1, int(np.searchsorted(size, self.room, side="right")))])
