"""Measurement of a ratio: both sides in turn, so that they share the state of the machine; the best run of each counts.

One thread is timed by processor time, which other programs do not affect; several threads by wall time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

Work = Callable[[], object]


@dataclass(frozen=True)
class Pair:
    """Seconds of both sides, best of several runs."""

    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def time_once(work: Work, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of one run."""
    gc.collect()
    start = clock()
    work()
    return clock() - start


def time_mean(work: Work, least: float) -> float:
    """Mean seconds of as many runs as take `least` seconds together: the processor's clock may tick slowly."""
    gc.collect()
    start, runs, total = time.process_time(), 0, 0.0
    while total < least:
        work()
        runs += 1
        total = time.process_time() - start
    return total / runs


def time_best(work: Work, repeats: int) -> float:
    """Seconds of the best of several runs."""
    return min(time_once(work) for _ in range(repeats))


def best_in_turn(timed: Sequence[Callable[[], float]], repeats: int) -> list[float]:
    """Seconds of the best of a number of runs of each; all run once, then all again."""
    runs = [[run() for run in timed] for _ in range(repeats)]
    return [min(times) for times in zip(*runs, strict=True)]


def time_pair(ours: Work, theirs: Work, repeats: int, *, threads: int = 1) -> Pair:
    """Both sides in turn, `repeats` times."""
    clock = time.process_time if threads == 1 else time.perf_counter
    return Pair(*best_in_turn([partial(time_once, work, clock) for work in (ours, theirs)], repeats))
