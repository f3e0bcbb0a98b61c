"""Rows in parts, because they do not fit in one place: batches that are read repeatedly (here), partitions on the
workers of a cluster (dask.py).

A pass is an accumulator that takes part after part:

    accumulator.take(rows)     adds the rows of one part
    accumulator.merge(other)   adds the accumulator of the following parts

Batches are taken one after the other. Each partition has its own accumulator, and these are merged in the order of the
partitions, so that the result does not depend on timing.
"""

from __future__ import annotations

import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Generic, Protocol, Self, TypeVar, cast

import numpy as np

Rows = TypeVar("Rows")
Other = TypeVar("Other")
Taken = TypeVar("Taken", contravariant=True)


class Accumulator(Protocol[Taken]):
    """The state of one pass. It is sent to workers and back, so it must be picklable."""

    @abstractmethod
    def take(self, rows: Taken, /) -> None:
        """Add the rows of one part."""

    @abstractmethod
    def merge(self, other: Self, /) -> None:
        """Merge the accumulator of the following parts."""


Counted = TypeVar("Counted", bound=Accumulator[Any])


class Parts(Protocol[Rows]):
    """Rows in parts, on one machine or several."""

    @abstractmethod
    def collect(self, accumulator: Counted) -> Counted:
        """One pass: the given empty accumulator, or a copy of it, after all parts."""

    @abstractmethod
    def map(self, change: Callable[[Rows], Other]) -> Parts[Other]:
        """The parts transformed by `change` in every pass."""

    @abstractmethod
    def keep(self, in_file: bool = False) -> Parts[Rows]:
        """The same parts, computed once: on a cluster each stays in the memory of a worker.

        Batches are recomputed in every pass, because they do not fit in memory, unless they are small enough to be
        stored `in_file`: tuples of arrays in a temporary file.
        """


@dataclass(frozen=True)
class BatchParts(Parts[Rows]):
    """Batches that are read in every pass.

    read : returns the same batches each time.
    report : called with the rows read from a file of stored parts.
    """

    read: Callable[[], Iterable[Rows]]
    report: Callable[[int], None] = lambda n_rows: None

    def collect(self, accumulator: Counted) -> Counted:
        for rows in self.read():
            accumulator.take(rows)
        return accumulator

    def map(self, change: Callable[[Rows], Other]) -> BatchParts[Other]:
        return BatchParts(lambda: map(change, self.read()), self.report)

    def keep(self, in_file: bool = False) -> BatchParts[Rows]:
        if not in_file:
            return self
        spool = Spool(report=self.report)
        for rows in self.read():
            spool.append(cast(Any, rows))
        return BatchParts(spool.__iter__, self.report)

    def remember(self, are_few: bool, in_file: bool = False) -> BatchParts[Rows]:
        """The same parts, computed only in the first complete pass: they stay in memory if they `are_few`, else in a
        file if requested.
        """
        if not (are_few or in_file):
            return self
        return BatchParts(Remembered(self.read, [] if are_few else Spool(), self.report), self.report)


@dataclass
class Remembered(Generic[Rows]):
    """Reads parts once, then returns the stored ones."""

    source: Callable[[], Iterable[Rows]]
    kept: Any  # a list, or a Spool
    report: Callable[[int], None]
    whole: bool = False

    def __call__(self) -> Iterator[Rows]:
        if self.whole:
            n_rows = 0
            for rows in self.kept:
                yield rows
                n_rows += len(cast(Any, rows).weight)
                self.report(n_rows)
            return
        self.kept.clear()  # of an interrupted pass
        for rows in self.source():
            self.kept.append(rows)
            yield rows
        self.whole = True


@dataclass
class Spool:
    """Tuples of arrays in an unnamed temporary file, which disappears with the process.

    Examples
    --------
    >>> spool = Spool()
    >>> spool.append((np.arange(3), np.ones((2, 2))))
    >>> [rows[0].tolist() for rows in spool]
    [[0, 1, 2]]
    """

    report: Callable[[int], None] = lambda n_rows: None
    shapes: list[list[tuple[Any, tuple[int, ...], str]]] = field(default_factory=list)
    file: BinaryIO = field(default_factory=lambda: _nameless_file())
    kind: Any = tuple

    def __post_init__(self) -> None:
        weakref.finalize(self, self.file.close)

    def append(self, rows: tuple[Any, ...]) -> None:
        """Add rows; each array keeps its C or Fortran order."""
        self.kind = type(rows)
        self.file.seek(0, 2)
        orders = ["F" if np.isfortran(part) else "C" for part in rows]
        self.shapes.append([(part.dtype, part.shape, order) for part, order in zip(rows, orders, strict=True)])
        for part, order in zip(rows, orders, strict=True):
            self.file.write(part.tobytes(order=cast(Any, order)))

    def clear(self) -> None:
        """Remove all."""
        self.shapes.clear()
        self.file.truncate(0)

    def __iter__(self) -> Iterator[Any]:
        """All of them, one after the other."""
        self.file.seek(0)
        n_rows = 0
        for shapes in self.shapes:
            parts = [self._array(*each) for each in shapes]
            yield self._tuple(parts)
            n_rows += len(parts[0])
            self.report(n_rows)

    def _tuple(self, parts: list[Any]) -> Any:
        return self.kind._make(parts) if hasattr(self.kind, "_make") else tuple(parts)

    def _array(self, dtype: Any, shape: tuple[int, ...], order: str) -> Any:
        size = int(np.prod(shape)) * dtype.itemsize
        return np.frombuffer(self.file.read(size), dtype).reshape(shape, order=cast(Any, order))


def _nameless_file() -> BinaryIO:
    """Open as long as it is referenced."""
    return cast(BinaryIO, tempfile.TemporaryFile(prefix="softwood-"))
