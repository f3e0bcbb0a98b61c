"""Lanes: a worker with the native kernels and, for the law that compares them, a sibling with the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from tests.fuzz.cases import Case, draw_case
from tests.fuzz.findings import Finding
from tests.fuzz.laws import REFINED, ROUNDING, kernels_agree
from tests.fuzz.worker import Worker


class Lane:
    """Two workers; one case at a time."""

    def __init__(self, seconds: float) -> None:
        self.native, self.reference = Worker("native", seconds), Worker("reference", 4 * seconds)

    def run(self, case: Case) -> list[Finding]:
        told = self.native.ask(case, "examine")
        if isinstance(told, Finding):
            return [told]
        found, answers = told
        if case.refit != "kernels" or answers is None or not (case.exact and case.has_digits):
            return list(found)
        other = self.reference.ask(case, "answers")
        if isinstance(other, Finding):
            return [other]
        broken = kernels_agree(answers, other, ROUNDING if case.exact else REFINED, case.largest)
        return [] if broken is None else [Finding(case.seed, case.estimator, "kernels_agree", "", broken, case.code())]

    def stop(self) -> None:
        self.native.stop()
        self.reference.stop()


def run_seeds(
    seeds: Iterable[int], jobs: int, seconds: float, goes_on: Callable[[], bool] = lambda: True
) -> Iterator[tuple[int, list[Finding]]]:
    """Seed and findings of every case, in the order of the seeds; no case begins after `goes_on` is false."""
    free: SimpleQueue[Lane] = SimpleQueue()
    lanes = [Lane(seconds) for _ in range(jobs)]
    for lane in lanes:
        free.put(lane)

    def run(seed: int) -> tuple[int, list[Finding]] | None:
        if not goes_on():
            return None
        lane = free.get()
        try:
            return seed, lane.run(draw_case(seed))
        finally:
            free.put(lane)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            yield from (told for told in pool.map(run, seeds) if told is not None)
    finally:
        for lane in lanes:
            lane.stop()
