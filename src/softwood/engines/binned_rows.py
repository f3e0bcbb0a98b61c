"""Rows as bins, kept in a temporary file: what hard trees need of rows beyond memory, a byte or two an input.

Values are put into bins once; every pass over the rows then reads codes, answers and weights, which take an eighth of
the rows' own size. The file has no name, so that it goes when the process goes, however that ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from softwood.engines.histograms import BinTree, Codes, Floats, Ints, MemoryHistograms, bin_codes, n_bins

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


@dataclass
class BinnedRows:
    """All rows as bins.

    edge : per number the edges between its bins.  n_levels : of categories.  n_classes : 0 for numbers.
    room : bytes that the histograms of one pass may take.
    """

    edge: list[Floats]
    n_levels: Ints
    n_classes: int
    room: int
    report: Callable[[int], None] = lambda n_rows: None
    shapes: list[list[tuple[Any, tuple[int, ...]]]] = field(default_factory=list)
    file: BinaryIO = field(default_factory=lambda: _nameless_file())

    def append(self, X: Floats, y: npt.NDArray[Any], weight: Floats, fold: npt.NDArray[np.uint8]) -> None:
        """Some more rows."""
        code = bin_codes(X, self.edge, self.n_levels)
        if self.n_bins <= np.iinfo(np.uint8).max:
            code = code.astype(np.uint8)
        parts = [np.asfortranarray(code), np.ascontiguousarray(y), weight, fold]
        self.shapes.append([(part.dtype, part.shape) for part in parts])
        for part in parts:
            self.file.write(part.tobytes(order="A"))

    @property
    def n_bins(self) -> int:
        return n_bins(self.edge, self.n_levels)

    def read(self) -> Iterator[BinnedPiece]:
        """All rows, in the pieces they came in."""
        self.file.seek(0)
        n_rows = 0
        for shapes in self.shapes:
            parts = [
                np.frombuffer(self.file.read(int(np.prod(shape)) * dtype.itemsize), dtype) for dtype, shape in shapes
            ]
            code = parts[0].reshape(shapes[0][1], order="F")
            yield BinnedPiece(code, parts[1].reshape(shapes[1][1]), parts[2], parts[3])
            n_rows += len(code)
            self.report(n_rows)

    def values(self, code: Codes) -> Floats:
        """Inputs that a tree over these bins sends where it sends the rows themselves: the upper ends of the bins."""
        values = np.empty(code.shape)
        for f, levels in enumerate(self.n_levels.tolist()):
            known = np.arange(levels, dtype=np.float64) if levels else np.append(self.edge[f], np.inf)
            upper = np.full(self.n_bins + 1, np.nan)
            upper[: len(known)] = known
            values[:, f] = upper[code[:, f]]
        return values

    def histograms(self, questions: Sequence[FoldQuestion]) -> list[Floats]:
        """The answers to all questions: in one pass, or in several where they would take more room than there is."""
        answers: list[Floats] = []
        while len(answers) < len(questions):
            some = self._next(questions[len(answers) :])
            total: list[Any] = [0.0] * len(some)
            for piece in self.read():
                for i, question in enumerate(some):
                    weight = np.where(piece.fold == question.fold, 0.0, piece.weight)
                    rows = MemoryHistograms(piece.code, self.n_bins, piece.y, weight, self.n_classes)
                    total[i] = total[i] + rows.histograms(question.tree, question.nodes, question.origin)
            answers += total
        return answers

    def _next(self, questions: Sequence[FoldQuestion]) -> list[FoldQuestion]:
        """The first questions, as many as there is room for; at least one."""
        statistics = self.n_classes or 1 + 2 * questions[0].origin.shape[1]
        node = len(self.edge) * (self.n_bins + 1) * statistics * 8 * 3  # a sum, what is added, and their sum
        size = np.cumsum([len(question.nodes) * node for question in questions])
        return list(questions[: max(1, int(np.searchsorted(size, self.room, side="right")))])


def _nameless_file() -> BinaryIO:
    """Open as long as somebody holds it."""
    return cast(BinaryIO, tempfile.TemporaryFile(prefix="softwood-"))
