"""`softwood compare data.csv --target y`: all models on the same folds, in one table, and which to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from softwood.cli.arguments import AsJson, Data, Drop, Folds, Nulls, Seed, Separator, Target, Task, Weight
from softwood.cli.fit import read_training
from softwood.cli.learning import Source, fit_quietly
from softwood.cli.models import MODELS, find_class, make_model, models_for
from softwood.cli.output import prefixed, print_json, progress
from softwood.cli.table_files import Reading, split_names
from softwood.tree.spelling import spell_number

Names = Annotated[list[str] | None, typer.Option("--models", help=f"Some of {', '.join(MODELS)}; all of them.")]
MostRows = Annotated[
    int, typer.Option("--max-rows", help="Maximum number of rows to compare on, sampled with the seed; 0: all.")
]


WIDE_TERMINAL_COLUMNS = 118  # minimum columns of a terminal for a description of each model


def main(
    data: Data,
    target: Target = "",
    models: Names = None,
    task: Task = "auto",
    drop: Drop = None,
    weight: Weight = None,
    null: Nulls = None,
    separator: Separator = None,
    folds: Folds = 5,
    max_rows: MostRows = 10_000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Cross-validate all models on the same folds; show their error, size and seconds, and which to choose."""
    if folds < 2:
        raise ValueError(f"--folds must be at least 2 to compare, got {folds}.")
    source = Source(data, target, task, split_names(drop), weight, Reading((), tuple(null or ()), separator))
    training, _ = read_training(source, quiet=json)
    names = split_names(models) or tuple(models_for(training.task))
    for name in names:
        find_class(name, training.task)
    some = training.some(max_rows, seed) if max_rows else training
    with progress(json) as tell:
        rows = compare(some, names, folds, seed, tell)
    picked, why = pick(rows)
    if json:
        print_json({"rows": len(some), "models": [row.to_dict() for row in rows], "pick": picked.name, "why": why})
        return
    typer.echo()
    print_table(rows, picked)
    typer.echo(f"\n{why}")
    if len(some) < len(training):
        typer.echo(f"Compared on {len(some):,} of {len(training):,} rows (--max-rows).")


@dataclass(frozen=True)
class Compared:
    """One model: its held-out losses, nodes, inputs, and seconds of one fit."""

    name: str
    tested: Any
    nodes: int
    inputs: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        told = {"model": self.name, "nodes": self.nodes, "inputs": self.inputs, "fit_seconds": self.seconds}
        return {**told, "error": self.tested.to_dict()}


def compare(training: Any, names: Sequence[str], folds: int, seed: int, tell: Callable[[str], None]) -> list[Compared]:
    """Every model on the same folds, in order of error."""
    from softwood.cli.measure import deal_folds, measure_model

    rows, dealt = [], None
    for name in names:
        tell(f"learning {name}")
        begin = perf_counter()
        model = fit_quietly(make_model(name, training.task, seed=seed), training)
        seconds = perf_counter() - begin
        dealt = dealt or deal_folds(training, model, folds, seed)
        make = partial(make_model, name, training.task, seed=seed)
        tested = measure_model(make, training, model, dealt, prefixed(tell, f"error of {name}"))
        rows.append(Compared(name, tested, model.tree_.n_nodes, count_inputs(model.tree_), seconds))
    return sorted(rows, key=lambda row: row.tested.mean)


def count_inputs(tree: Any) -> int:
    """Inputs that a tree reads."""
    from softwood.formats.overview import used_inputs

    return len(used_inputs(tree))


def pick(rows: Sequence[Compared]) -> tuple[Compared, str]:
    """The smallest model whose error is within one standard error of the best, and the reason.

    The standard error is that of the difference of the two models' losses, row by row.
    """
    best = rows[0]
    good = [row for row in rows if row is best or not _undercuts(best, row)]
    picked = min(good, key=lambda row: (row.nodes, row.inputs, row.tested.mean))
    measure = best.tested.measure
    if len(rows) == 1:
        return best, f"{best.name} is the only model that was tried."
    if picked is best:
        beside = "; no smaller one is as good" if len(good) == 1 else ", and none that is as good is smaller"
        return picked, f"Pick {best.name}: it has the lowest {measure}{beside}."
    return picked, (
        f"Pick {picked.name}: with {picked.nodes} nodes it is the smallest whose {measure} is not worse than that of "
        f"{best.name} ({best.nodes} nodes, the lowest) by more than one standard error of the difference."
    )


def _undercuts(best: Compared, other: Compared) -> bool:
    order, others = np.argsort(best.tested.rows, kind="stable"), np.argsort(other.tested.rows, kind="stable")
    gain = other.tested.losses[others] - best.tested.losses[order]
    weight = best.tested.weight[order]
    mean = float(np.average(gain, weights=weight))
    spread = float(np.average(np.square(gain - mean), weights=weight))
    return mean > float(np.sqrt(spread / best.tested.n_effective))


def print_table(rows: Sequence[Compared], picked: Compared) -> None:
    """One line per model, with the chosen one marked."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as Lines

    console = Console(highlight=False)
    console.width = max(console.width, 120) if not console.is_terminal else console.width
    headings = ["", "model", rows[0].tested.measure, "95 % interval", "nodes", "inputs", "seconds", "what it is"]
    headings = headings if console.width >= WIDE_TERMINAL_COLUMNS else headings[:-1]
    lines = Lines(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        lines.add_column(
            heading, justify="right" if heading in ("nodes", "inputs", "seconds") else "left", no_wrap=True
        )
    for row in rows:
        value, low, high = map(spell_number, row.tested.interval)
        mark, style = ("*", "bold") if row is picked else ("", "")
        size = (f"{row.nodes:,}", str(row.inputs), f"{row.seconds:.2f}")
        cells = (mark, row.name, value, f"{low} to {high}", *size, MODELS[row.name][2])
        lines.add_row(*cells[: len(headings)], style=style)
    console.print(lines)
