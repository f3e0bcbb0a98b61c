"""Rows in partitions on the workers of a Dask cluster (extra softwood[dask]): each is processed by its worker.

    pass = a task per partition: an accumulator (parts.py) takes its rows; tasks merge GROUP neighbours, until GROUP or
    fewer are left; the driver merges these

Rows stay in the workers' memory between passes: the driver has parameters and sums only. Merges follow the order of the
partitions, so the result does not depend on the number of workers, bit for bit. Partitions that are lost with their
worker are recomputed by the scheduler.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, TypeVar

from softwood.engines.parts import Counted, Parts

Other = TypeVar("Other")
Rows = TypeVar("Rows")

GROUP = 16  # accumulators that one task merges
STEP = 2.0  # seconds between two checks of the cluster
PATIENCE = 60.0  # seconds without a running worker before the fit fails
# bytes of questions sent with the tasks; larger ones go to one worker, which distributes them
MAX_TASK_BYTES = 1_000_000
SHORT = 50_000  # bytes of one question: a longer argument of Client.map has one key in all passes (distributed 2026.8)
EXTRA = "Dask collections need the Dask scheduler: pip install 'softwood[dask]'"


@dataclass(frozen=True)
class DaskParts(Parts[Rows]):
    """Partitions on a cluster.

    futures : one per partition, in order.  changes : transformations applied to them.
    """

    client: Any
    futures: Sequence[Any]
    changes: tuple[Callable[[Any], Any], ...] = ()
    report: Callable[[], None] = lambda: None

    def map(self, change: Callable[[Rows], Other]) -> DaskParts[Other]:
        return replace(self, changes=(*self.changes, change))  # type: ignore[return-value]  # replace keeps Rows

    def keep(self, in_file: bool = False) -> DaskParts[Rows]:
        if not self.changes:
            return self
        kept = self._send("softwood-keep", _make, self.futures, self.changes)
        return replace(self, futures=kept, changes=())

    def collect(self, accumulator: Counted) -> Counted:
        found = self._send("softwood-take", _take, self.futures, (self.changes, accumulator))
        while len(found) > GROUP:
            groups = [found[at : at + GROUP] for at in range(0, len(found), GROUP)]
            found = self.client.map(_merge, groups, key="softwood-merge", pure=False)
        total = _merge(self._wait(found))
        self.report()
        return total  # type: ignore[no-any-return]  # Dask has no types

    def without(self, empty: Sequence[bool]) -> DaskParts[Rows]:
        """The partitions that contain rows."""
        return replace(self, futures=[each for each, none in zip(self.futures, empty, strict=True) if not none])

    def _send(self, key: str, work: Callable[..., Any], futures: Sequence[Any], question: Any) -> list[Any]:
        """A task per future, with the same question."""
        import cloudpickle  # comes with Dask, and pickles definitions of a notebook

        told: Any = cloudpickle.dumps(question)
        if len(told) > SHORT or len(told) * len(futures) > MAX_TASK_BYTES:
            told = self.client.submit(bytes, told, pure=False)
        found: list[Any] = self.client.map(work, futures, told=told, key=key, pure=False)
        return found

    def _wait(self, futures: list[Any]) -> list[Any]:
        """The results of the tasks, or an error; does not wait for lost workers."""
        import distributed

        loop, alive = self.client.loop.asyncio_loop, monotonic()
        found = asyncio.run_coroutine_threadsafe(self._gather(futures), loop)
        while True:
            try:
                return found.result(timeout=STEP)
            except (distributed.KilledWorker, distributed.CancelledError) as error:
                raise RuntimeError(GONE.format(error)) from error
            except TimeoutError:
                if found.done():
                    raise
                if self._is_at_work():
                    alive = monotonic()
                elif monotonic() - alive > PATIENCE:
                    found.cancel()
                    raise RuntimeError(LOST.format(PATIENCE)) from None

    async def _gather(self, futures: list[Any]) -> list[Any]:
        return list(await self.client.gather(futures, asynchronous=True))

    def _is_at_work(self) -> bool:
        """Whether any worker is running and not paused because of its memory."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return any(worker["status"] == "running" for worker in workers)


LOST = (
    "the Dask cluster has had no running worker for {:.0f} s: all are gone, or paused because their memory is full. "
    "Start workers (or more of them) and fit again."
)
GONE = (
    "rows were lost on the Dask cluster and could not be recomputed: {}. Workers were killed, perhaps out of "
    "memory (use smaller partitions or more workers), or held scattered rows."
)


def connected_client() -> Any:
    """The client that is connected to a cluster; an error if there is none."""
    try:
        import distributed
    except ImportError as missing:
        raise ImportError(EXTRA) from missing
    try:
        return distributed.get_client()
    except ValueError:
        raise RuntimeError(
            "X is a Dask collection, but no client is connected to a cluster: dask.distributed.Client() starts one "
            "on this "
            "machine, Client('scheduler:8786') connects to a running one."
        ) from None


def partitions_of(collections: Sequence[Any]) -> list[Any]:
    """Partitions of frames or arrays (rows, ...) of Dask, delayed: each is a sequence with one part per collection.

    Frames are simplified as one expression, so that a file is read once, with all needed columns. They are not
    optimised further, because Dask merges partitions of which it reads few columns, and X and y would no longer match.
    """
    first, *others = collections
    if hasattr(first, "map_partitions"):
        beside = first.map_partitions(
            _beside, *others, align_dataframes=False, enforce_metadata=False, meta=first._meta
        )
        return list(beside.simplify().to_delayed(optimize_graph=False))
    return list(zip(*(each.to_delayed().ravel() for each in collections), strict=True))


def submit_partitions(
    client: Any, make: Callable[..., Any], collections: Sequence[Any], names: Sequence[str]
) -> list[Any]:
    """A future per partition: `make` of its name and the parts of all collections; None stays None."""
    from dask import delayed

    there = [each is not None for each in collections]
    made = delayed(_make_part, pure=False)
    parts = partitions_of([each for each in collections if each is not None])
    found: list[Any] = client.compute([made(make, name, there, part) for name, part in zip(names, parts, strict=True)])
    return found


def align_array(values: Any, X: Any) -> Any:
    """An array of rows in the blocks of X."""
    import dask.array

    if isinstance(values, dask.array.Array):
        whole = values if values.ndim == 1 else values.rechunk({1: -1})
        return whole if whole.chunks[0] == X.chunks[0] else whole.rechunk({0: X.chunks[0]})
    return dask.array.from_array(values, chunks=(X.chunks[0], *((size,) for size in values.shape[1:])))


def map_rows(answer: Callable[[Any], Any], X: Any, like: Any) -> Any:
    """`answer` applied lazily to the rows of X: an array of Dask. `like` is its result for no rows."""
    if hasattr(X, "map_partitions"):
        return X.map_partitions(answer, meta=like)
    import dask.array

    X = X.rechunk({1: -1})
    if like.ndim == 1:
        return dask.array.map_blocks(answer, X, dtype=like.dtype, drop_axis=1, meta=like)
    return dask.array.map_blocks(answer, X, dtype=like.dtype, chunks=(X.chunks[0], like.shape[1:]), meta=like)


# -- on the workers ------------------------------------------------------------------------------------------------


def _beside(*parts: Any) -> tuple[Any, ...]:
    return parts


def _make_part(make: Callable[..., Any], name: str, there: Sequence[bool], parts: Sequence[Any]) -> Any:
    left = iter(parts)
    return make(name, *(next(left) if here else None for here in there))


def _make(rows: Any, told: bytes) -> Any:
    for change in pickle.loads(told):
        rows = change(rows)
    return rows


def _take(rows: Any, told: bytes) -> Any:
    changes, accumulator = pickle.loads(told)
    for change in changes:
        rows = change(rows)
    accumulator.take(rows)
    return accumulator


def _merge(found: Sequence[Any]) -> Any:
    """All of them merged; the arguments are not changed, because a task may run again."""
    total, others = deepcopy(found[0]), found[1:]
    for other in others:
        total.merge(other)
    return total
