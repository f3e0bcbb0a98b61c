"""Progress of a run, and its estimated end.

A method's seconds are assumed proportional to rows x inputs; its rate is estimated from completed fits, and until then
the mean rate of all methods is used.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import joblib

from bench.papers.store import Result, Task
from softwood.datasets import catalog


class Progress:
    """Counts fits as they end."""

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        self._left = Counter(tasks)
        self._jobs = int(joblib.effective_n_jobs(jobs))
        self._total, self._done = len(tasks), 0
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._cells: defaultdict[str, int] = defaultdict(int)

    def line(self, task: Task, seconds: float, result: Result | str) -> str:
        """The message about a completed fit."""
        self._left -= Counter([task])
        self._done += 1
        self._seconds[task.method] += seconds
        self._cells[task.method] += _cells(task)
        told = result if isinstance(result, str) else _tell(result)
        about = f"{task.name} {task.method} fold {task.fold}"
        return f"[{self._done}/{self._total}] {about}: {told}; {spell(self.seconds_left())} left"

    def seconds_left(self) -> float:
        """Estimated wall seconds until the last fit ends."""
        overall = sum(self._seconds.values()) / max(sum(self._cells.values()), 1)
        rate = {method: self._seconds[method] / self._cells[method] for method in self._cells}
        work = sum(rate.get(task.method, overall) * _cells(task) for task in self._left.elements())
        return work / self._jobs


def spell(seconds: float) -> str:
    """An approximate duration as text.

    Examples
    --------
    >>> spell(42.3), spell(150), spell(9000)
    ('about 42 s', 'about 3 min', 'about 2.5 h')
    """
    if seconds < 100:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 6000 else f"about {seconds / 3600:.1f} h"


def _cells(task: Task) -> int:
    entry = catalog.BY_NAME[task.name]
    return entry.rows * entry.features


def _tell(result: Result) -> str:
    worth = f"mse {result.mse:.4f}" if result.accuracy is None else f"{100 * result.accuracy:.2f} %"
    return f"{worth}, {result.nodes} nodes, {result.fit_s:.1f} s"
