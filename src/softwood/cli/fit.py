"""`softwood fit data.csv --target y`: fit a model, estimate its error, save it."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, Data, Drop, Folds, Nulls, Output, Seed, Separator, Target, Task, Weight
from softwood.cli.fit_batches import is_beyond, learn_in_batches, sample_training, spell_held_out
from softwood.cli.learning import Plan, Source, learn
from softwood.cli.models import MODELS, check_words, find_class, parameters_of
from softwood.cli.output import check_output, default_path, print_facts, print_json, print_tree, progress
from softwood.cli.table_files import Reading, split_names
from softwood.formats.overview import tell_monotone

Model = Annotated[str, typer.Option("--model", help=f"auto, {', '.join(MODELS)}.")]
Memory = Annotated[str, typer.Option("--memory", help="Memory limit; a larger file, or a folder, is read in batches.")]
Options = Annotated[bool, typer.Option("--options", help="List the options of the --model and stop.")]


def main(
    context: typer.Context,
    data: Data,
    target: Target = "",
    model: Model = "auto",
    out: Output = None,
    task: Task = "auto",
    drop: Drop = None,
    weight: Weight = None,
    null: Nulls = None,
    separator: Separator = None,
    folds: Folds = 5,
    seed: Seed = 0,
    memory: Memory = "1 GiB",
    json: AsJson = False,
    options: Options = False,
) -> None:
    """Learn a model from a table and write it to a file.

    Every parameter of the model is an option with its Python name: --max_depth 3, --one_se false, --cv 5.
    """
    if options:
        list_options(model, task)
        return
    path = out or default_path(data, ".softwood")
    check_output(path, data)
    check_folds(folds)
    check_words(model, context.args)
    source = Source(data, target, task, split_names(drop), weight, Reading((), tuple(null or ()), separator))
    room = find_room(data, memory)
    training, read_seconds = read_training(source, json, room)
    plan = Plan(model, context.args, folds, seed, path)
    with progress(json) as tell:
        learned = learn(training, plan, tell) if room is None else learn_in_batches(source, training, plan, room, tell)
    if json:
        print_json({**learned.facts, "data": data, "read_seconds": read_seconds})
        return
    print_facts([("model", learned.said)])
    typer.echo()
    print_tree(learned.model)
    typer.echo()
    error = [(learned.error.measure, str(learned.error))] if learned.error else []
    proof = tell_monotone(learned.model, learned.model.tree_)
    told = [*(error if room is None else spell_held_out(learned.model)), *([("monotone", proof)] if proof else [])]
    print_facts([*told, ("wrote", path)])


def find_room(data: str, memory: str) -> int | None:
    """Memory limit in bytes if the rows are read in batches; None: they are read at once."""
    from softwood.intake.options import size_in_bytes

    room = size_in_bytes("--memory", memory)
    return room if is_beyond(data, room) else None


def read_training(source: Source, quiet: bool, room: int | None = None) -> tuple[Any, float]:
    """The training rows, or a sample of them if they are read in batches, and the seconds this took.

    The columns found are printed unless `quiet`.
    """
    from softwood.cli.table import Table
    from softwood.cli.training import find_training

    begin = perf_counter()
    with progress(quiet) as tell:
        tell(f"reading {source.data}")
        if room is not None:
            training, seconds = sample_training(source, room), perf_counter() - begin
        else:
            table = Table.read(source.data, source.reading)
            seconds = perf_counter() - begin
            if not source.target:
                names = f"{', '.join(table.names):.300}"
                raise ValueError(f"--target is required: the column to predict; {source.data!r} has {names}.")
            training = find_training(table, source.target, task=source.task, drop=source.drop, weight=source.weight)
    if not quiet:
        how = "read in" if room is None else f"read in batches, which take {room / 2**20:,.0f} MiB; a sample in"
        print_facts([("data", f"{source.data}, {how} {seconds:.2f} s"), *training.said])
    return training, seconds


def check_folds(folds: int) -> None:
    """An error for an invalid number of folds."""
    if folds < 0 or folds == 1:
        raise ValueError(f"--folds must be 0 (no error estimate) or at least 2, got {folds}.")


def list_options(model: str, task: str) -> None:
    """Every parameter of a model with its default."""
    if model == "auto":
        raise ValueError(f"--options needs a --model: one of {', '.join(MODELS)}.")
    kind = find_class(model, "classification" if task == "auto" else task)
    typer.echo(f"{kind.__name__}: {MODELS[model][2]}")
    print_facts([(f"  --{name}", f"{default!r}") for name, default in parameters_of(kind).items()])
