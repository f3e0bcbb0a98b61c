"""Progress of long work: a bar on a terminal, lines elsewhere (parts/messages.py), and a notice if a fit takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import numpy as np

from softwood.kernels.contracts.anneal import Progress
from softwood.learners.soft.search.selection import Candidate
from softwood.parts.messages import is_logged, is_terminal, say

LINE_SECONDS = 5.0  # between two lines of progress
NOTICE_SECONDS = 10.0  # a longer fit is reported on a terminal
NOTICE_CANDIDATES = 4  # before the time of a search is estimated
# Proportion of a search's time after this number of candidates: the median of eight tables of 150 to 8,000 rows,
# where single ones differ by a factor of two.
CANDIDATES = (0, 1, 4, 8, 15, 20, 24, 32)
TIME_SHARE = (0.0, 0.08, 0.14, 0.28, 0.45, 0.7, 0.85, 0.95)

SEARCH_SHARE = 0.6  # of the time of a budding tree that is the search of its soft tree: 0.3 to 1 on five tables

_has_noticed = False  # whether this process has reported a long fit


@contextmanager
def annealing_bar(shown: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A line with calls, successes and loss of annealing; nothing unless `shown`."""
    if not shown:
        yield None
        return
    with _bar("annealing", 1 if shown else 0) as bar:

        def report(now: Progress) -> None:
            text = f"annealing: {now.calls} calls, {now.successes} successes, {now.failures} failures in a row, "
            bar.update(text + f"loss {now.loss:.6g}")

        yield report


@contextmanager
def softening_bar(shown: bool, total: int) -> Iterator[Callable[[int, int], None] | None]:
    """A bar of successful softenings out of those requested; nothing unless `shown`."""
    if not shown:
        yield None
        return
    with _bar("softening", 1) as bar:

        def report(done: int, counted: int) -> None:
            bar.update(f"softening: {done} done, {counted} counted", counted / total)

        yield report


@contextmanager
def search_bar(verbose: int) -> Iterator[Callable[[Candidate], None]]:
    """Progress of the search of a soft tree; with verbose=2 also each candidate."""
    with _bar("soft tree: the first candidate", verbose) as bar:
        losses: list[float] = []

        def report(candidate: Candidate) -> None:
            losses.append(candidate.loss)
            say(verbose, candidate.summary, level=2)
            done = float(np.interp(len(losses), CANDIDATES, TIME_SHARE))
            bar.update(f"soft tree: {len(losses)} tried, lowest loss {min(losses):.4f}", done)
            if len(losses) >= NOTICE_CANDIDATES:
                notice(verbose, bar.total)

        yield report


def budding_lines(verbose: int, begin: float | None = None) -> Callable[[dict[str, Any]], None]:
    """One line every few seconds on the progress of a budding tree; with verbose=2 one per epoch or tree.

    begin : start of a fit that searches a soft tree first, by `monotonic`; a long fit reports this once.
    """
    last, count = -np.inf, 0

    def report(line: dict[str, Any]) -> None:
        nonlocal last, count
        count += 1
        if begin is not None and count >= NOTICE_CANDIDATES:
            share = SEARCH_SHARE * float(np.interp(count, CANDIDATES, TIME_SHARE))
            notice(verbose, (monotonic() - begin) / share)
        if verbose < 2 and (not verbose or monotonic() - last < LINE_SECONDS):
            return
        last = monotonic()
        held = f", held out {line['held_out_loss']:.4f}" if "held_out_loss" in line else ""
        start = f"epoch {line['epoch']}, " if "epoch" in line else ""
        size = f"{line['n_nodes']} nodes (effective {line['effective_size']:.1f})"
        say(verbose, f"{start}leafness penalty {line['leafness_penalty']:.2g}: {size}, loss {line['loss']:.4f}{held}")

    return report


def notice(verbose: int, seconds: float) -> None:
    """Report once per process, on a terminal, that a fit will take long, unless its progress is shown anyway."""
    global _has_noticed
    if verbose or _has_noticed or seconds < NOTICE_SECONDS or not is_terminal(sys.stderr):
        return
    _has_noticed = True
    sys.stderr.write(f"softwood: this fit will take about {spell_seconds(seconds)}; verbose=1 shows how far it is.\n")


class _Bar:
    """Progress of work. shown : called with a text and the time left if there is a terminal, else None."""

    def __init__(self, verbose: int, shown: Callable[[str, float], None] | None) -> None:
        self.verbose, self.shown = verbose, shown
        self.begin = self.last = monotonic()
        self.text, self.total = "", np.inf  # total: seconds that all will take, estimated

    def update(self, text: str, done: float = 0.0) -> None:
        """Report the progress; `done` is the elapsed proportion of the total time, 0 if unknown."""
        self.text, now = text, monotonic()
        self.total = (now - self.begin) / done if done > 0 else np.inf
        if self.shown is not None:
            self.shown(text, self.total)
        elif now - self.last > LINE_SECONDS:
            self.last = now
            left = f", about {spell_seconds(self.total - (now - self.begin))} left" if done > 0 else ""
            say(self.verbose, text + left)


@contextmanager
def _bar(text: str, verbose: int) -> Iterator[_Bar]:
    """A bar with the time left on a terminal; otherwise a line every few seconds and one at the end."""
    if not verbose or is_logged() or not is_terminal():
        bar = _Bar(verbose, None)
        yield bar
        if bar.text:
            say(verbose, f"{bar.text}; took {spell_seconds(monotonic() - bar.begin)}")
        return
    with _terminal_bar(text) as shown:
        yield _Bar(verbose, shown)


@contextmanager
def _terminal_bar(text: str) -> Iterator[Callable[[str, float], None]]:
    from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress
    from rich.table import Column
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """Seconds until the estimated end."""

        def render(self, task: Task) -> Text:
            left = task.fields["seconds"] - (task.elapsed or 0.0)
            return Text(f"about {spell_seconds(left)} left" if np.isfinite(left) else "", style="progress.remaining")

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(12),
        TimeElapsedColumn(),
        TimeLeft(Column(no_wrap=True)),
    )
    with RichProgress(*columns) as bar:
        task = bar.add_task(text, total=None, seconds=np.inf)

        def shown(text: str, seconds: float) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            total = seconds if np.isfinite(seconds) else None
            bar.update(task, description=text, seconds=seconds, total=total, completed=elapsed)

        yield shown


def spell_seconds(seconds: float) -> str:
    """A duration in short form.

    >>> spell_seconds(0.04), spell_seconds(41.6), spell_seconds(200), spell_seconds(9000)
    ('0.0 s', '42 s', '3 min', '2.5 h')
    """
    seconds = max(seconds, 0.0)
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
