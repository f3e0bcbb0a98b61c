"""Rows in parts, because they are more than fit in one place: batches that are read again and again (here), partitions
on the workers of a cluster (dask.py).

A pass is an accumulator that takes part after part:

    accumulator.take(rows)     counts the rows of one part
    accumulator.merge(other)   adds what another one has counted of the parts that follow

Batches are taken one after the other. Of partitions each has an accumulator of its own, and these are merged in the
order of the partitions, so that the answer does not depend on who was first.
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
    """What one pass finds out. It goes to workers and comes back, so it must be possible to pickle."""

    @abstractmethod
    def take(self, rows: Taken, /) -> None:
        """Count the rows of one part."""

    @abstractmethod
    def merge(self, other: Self, /) -> None:
        """Add what was counted of the parts that follow."""


Counted = TypeVar("Counted", bound=Accumulator[Any])


class Parts(Protocol[Rows]):
    """Rows in parts, wherever they are."""

    @abstractmethod
    def collect(self, accumulator: Counted) -> Counted:
        """One pass: the accumulator, which has counted nothing yet, or one like it, after all parts."""

    @abstractmethod
    def map(self, change: Callable[[Rows], Other]) -> Parts[Other]:
        """The parts that `change` makes of these, in every pass anew."""

    @abstractmethod
    def keep(self, in_file: bool = False) -> Parts[Rows]:
        """The same parts, made once: on a cluster each stays in the memory of a worker.

        Batches are made again in every pass, as memory has no room for them, unless they are small enough to be kept
        `in_file`: tuples of arrays in a temporary file.
        """


@dataclass(frozen=True)
class BatchParts(Parts[Rows]):
    """Batches that are read again in every pass.

    read : gives them, the same ones each time.  report : is told the rows that were read from a file of kept parts.
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
        """The same parts, made in the first whole pass alone: they stay in memory where they `are_few`, else in a file
        if asked for.
        """
        if not (are_few or in_file):
            return self
        return BatchParts(Remembered(self.read, [] if are_few else Spool(), self.report), self.report)


@dataclass
class Remembered(Generic[Rows]):
    """Reads parts once, and gives what it keeps of them from then on."""

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
        self.kept.clear()  # of a pass that was broken off
        for rows in self.source():
            self.kept.append(rows)
            yield rows
        self.whole = True


@dataclass
class Spool:
    """Tuples of arrays in a temporary file without a name: it goes when the process goes, however that ends.

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
        """Some more rows; each array stays in the order, of C or of Fortran, in which it lies."""
        self.kind = type(rows)
        self.file.seek(0, 2)
        orders = ["F" if np.isfortran(part) else "C" for part in rows]
        self.shapes.append([(part.dtype, part.shape, order) for part, order in zip(rows, orders, strict=True)])
        for part, order in zip(rows, orders, strict=True):
            self.file.write(part.tobytes(order=cast(Any, order)))

    def clear(self) -> None:
        """Forget them all."""
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
    """Open as long as there is a reference to it."""
    return cast(BinaryIO, tempfile.TemporaryFile(prefix="softwood-"))
