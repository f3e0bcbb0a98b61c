"""Independent pieces of work, done by threads. What a piece gives never depends on how many are at work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from softwood.kernels.interrupt import Stop

S = TypeVar("S")
T = TypeVar("T")


def parallel_map(work: Callable[[S], T], items: Sequence[S], n_threads: int) -> Iterator[T]:
    """work(item) of each item, in their order; native code lets go of the interpreter's lock.

    One thread works on an item when it is asked for, also where the system has no thread to give. Left early (by an
    interrupt, say), what has not begun is dropped and what has is told to stop.
    """
    if n_threads == 1 or len(items) <= 1:
        yield from map(work, items)
        return
    pool, stop = ThreadPoolExecutor(min(n_threads, len(items))), Stop()
    try:
        answers: Iterator[T] | None = pool.map(stop.heard(work), items)
    except RuntimeError:  # no thread could be started: all work is given out before the first answer is waited for
        answers = None
    try:
        if answers is not None:
            yield from answers
    finally:
        stop.give()
        pool.shutdown(cancel_futures=True)
    if answers is None:
        yield from map(work, items)
