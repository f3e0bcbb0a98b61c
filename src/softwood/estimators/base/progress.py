"""Progress of long work, on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from softwood.kernels.contracts.anneal import Progress
from softwood.learners.soft.search.selection import Candidate


@contextmanager
def annealing_bar(shown: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A line that tells calls, successes and loss of an annealing; nothing unless `shown`."""
    if not shown:
        yield None
        return
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with Bar(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as bar:
        task = bar.add_task("annealing")

        def report(now: Progress) -> None:
            told = f"annealing: {now.calls} calls, {now.successes} successes, {now.failures} failures in a row, "
            bar.update(task, description=told + f"loss {now.loss:.6g}")

        yield report


@contextmanager
def softening_bar(shown: bool, total: int) -> Iterator[Callable[[int, int], None] | None]:
    """A bar of softenings that counted, of those wanted; nothing unless `shown`."""
    if not shown:
        yield None
        return
    from rich.progress import Progress as Bar

    with Bar() as bar:
        task = bar.add_task("softening", total=total)

        def report(done: int, counted: int) -> None:
            bar.update(task, completed=counted, description=f"softening: {done} done, {counted} counted")

        yield report


@contextmanager
def search_bar(shown: bool) -> Iterator[Callable[[Candidate], None]]:
    """What the search of a soft tree tries, one line each, above a line that tells the best so far."""
    if not shown:
        yield lambda candidate: None
        return
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with Bar(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as bar:
        task = bar.add_task("soft tree: the first candidate")
        losses: list[float] = []

        def report(candidate: Candidate) -> None:
            losses.append(candidate.loss)
            bar.console.print(candidate.summary, highlight=False)
            bar.update(task, description=f"soft tree: {len(losses)} tried, least loss {min(losses):.4f}")

        yield report


def budding_lines(shown: bool) -> Callable[[dict[str, Any]], None]:
    """A line for every epoch or tree of a budding tree; nothing unless `shown`."""

    def report(line: dict[str, Any]) -> None:
        if not shown:
            return
        held = f", held out {line['held_out_loss']:.4f}" if "held_out_loss" in line else ""
        start = f"epoch {line['epoch']}, " if "epoch" in line else ""
        size = f"{line['n_nodes']} nodes (effective {line['effective_size']:.1f})"
        print(f"{start}leafness penalty {line['leafness_penalty']:.2g}: {size}, loss {line['loss']:.4f}{held}")

    return report
