"""Independent pieces of work in threads. Results do not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from softwood.kernels.interrupt import Stop

S = TypeVar("S")
T = TypeVar("T")


def parallel_map(work: Callable[[S], T], items: Sequence[S], n_threads: int) -> Iterator[T]:
    """work(item) for each item, in order; native code releases the GIL.

    With one thread, or if no thread can be started, an item is computed when it is requested. If the loop ends early
    (for example by an interrupt), waiting items are dropped and running ones are told to stop.
    """
    if n_threads == 1 or len(items) <= 1:
        yield from map(work, items)
        return
    pool, stop = ThreadPoolExecutor(min(n_threads, len(items))), Stop()
    try:
        answers: Iterator[T] | None = pool.map(stop.heard(work), items)
    except RuntimeError:  # no thread could be started: all work is submitted before the first result is awaited
        answers = None
    try:
        if answers is not None:
            yield from answers
    finally:
        stop.give()
        pool.shutdown(cancel_futures=True)
    if answers is None:
        yield from map(work, items)
