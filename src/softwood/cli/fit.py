"""`softwood fit data.csv --target y`: learn a model, say what it is worth, write it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, Data, Drop, Folds, Nulls, Output, Seed, Separator, Target, Task, Weight
from softwood.cli.fit_batches import is_beyond, learn_in_batches, sample_training, spell_held_out
from softwood.cli.models import MODELS, check_words, find_class, make_model, parameters_of
from softwood.cli.output import (
    default_path,
    prefixed,
    print_facts,
    print_json,
    print_tree,
    progress,
    refuse_unknown_folder,
)
from softwood.cli.table_files import Reading, split_names

Model = Annotated[str, typer.Option("--model", help=f"auto, {', '.join(MODELS)}.")]
Memory = Annotated[
    str, typer.Option("--memory", help="What learning may take; a larger file, or a folder, is read in batches.")
]
Options = Annotated[bool, typer.Option("--options", help="List the options of the --model and stop.")]

MOST_TRIED = 5_000  # rows by which auto chooses between models
TRIED = ("cart", "soft")  # by auto, the simplest first


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

    Every parameter of the model is an option of its Python name: --max_depth 3, --one_se false, --cv 5.
    """
    if options:
        list_options(model, task)
        return
    path = out or default_path(data, ".softwood")
    refuse_unknown_folder(path)
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
    print_facts([*(error if room is None else spell_held_out(learned.model)), ("wrote", path)])


def find_room(data: str, memory: str) -> int | None:
    """Bytes that learning may take where the rows are read in batches; None: they are read at once."""
    from softwood.estimators.options import size_in_bytes

    room = size_in_bytes("--memory", memory)
    return room if is_beyond(data, room) else None


@dataclass(frozen=True)
class Source:
    """Where the rows are and what their columns are for, as the line says it."""

    data: str
    target: str
    task: str
    drop: tuple[str, ...]
    weight: str | None
    reading: Reading


def read_training(source: Source, quiet: bool, room: int | None = None) -> tuple[Any, float]:
    """The rows to learn from, or a sample of them where there is `room` for batches alone, and the seconds that took.

    What was found is printed unless `quiet`.
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
                raise ValueError(f"--target is needed, the column to predict; {source.data!r} has {names}.")
            training = find_training(table, source.target, task=source.task, drop=source.drop, weight=source.weight)
    if not quiet:
        how = "read in" if room is None else f"read in batches, which take {room / 2**20:,.0f} MiB; a sample in"
        print_facts([("data", f"{source.data}, {how} {seconds:.2f} s"), *training.said])
    return training, seconds


@dataclass(frozen=True)
class Plan:
    """What is to be learned: model, words of its options, folds, seed, and where it is written."""

    model: str
    words: Sequence[str]
    folds: int
    seed: int
    path: str


@dataclass(frozen=True)
class Learned:
    """A fitted model, its held-out error (None if it was not wanted), what to say and the facts for machines."""

    model: Any
    error: Any
    said: str
    facts: dict[str, Any]


def learn(training: Any, plan: Plan, tell: Callable[[str], None]) -> Learned:
    """Choose, fit, save, and measure the error."""
    from softwood import save
    from softwood.cli.measure import deal_folds, measure_model

    name, why = (plan.model, "") if plan.model != "auto" else choose(training, plan, tell)

    def make() -> Any:
        return make_model(name, training.task, plan.words, plan.seed)

    tell(f"learning {name} from {len(training):,} rows")
    begin = perf_counter()
    model = fit_quietly(make(), training)
    seconds = perf_counter() - begin
    dealt = deal_folds(training, model, plan.folds, plan.seed) if plan.folds else None
    save(model, plan.path)
    error = None
    if dealt is not None:
        error = measure_model(make, training, model, dealt, lambda text: tell(f"error of {name}: {text}"))
    said = f"{name}{why}: {type(model).__name__}, learned in {seconds:.2f} s"
    tree = model.tree_
    facts = {
        "model": plan.path, "name": name, "estimator": type(model).__name__, "task": training.task,
        "target": training.target, "inputs": training.inputs, "rows": len(training), "nodes": tree.n_nodes,
        "leaves": tree.n_leaves, "depth": tree.depth, "fit_seconds": seconds,
        "error": None if error is None else error.to_dict(),
    }  # fmt: skip
    return Learned(model, error, said, facts)


def choose(training: Any, plan: Plan, tell: Callable[[str], None]) -> tuple[str, str]:
    """The simplest of TRIED, unless another's error is lower by more than the standard error of the difference."""
    import numpy as np

    from softwood.cli.measure import deal_folds, measure_model

    some = training.some(MOST_TRIED, plan.seed)
    tested: dict[str, Any] = {}
    dealt: Any = None
    for name in TRIED:
        tell(f"trying {name}")
        model = fit_quietly(make_model(name, training.task, seed=plan.seed), some)
        dealt = dealt or deal_folds(some, model, plan.folds or 5, plan.seed)
        make = partial(make_model, name, training.task, seed=plan.seed)
        tested[name] = measure_model(make, some, model, dealt, prefixed(tell, f"trying {name}"))
    simple, other = TRIED
    gain = tested[simple].losses - tested[other].losses
    least = float(np.std(gain) / np.sqrt(len(gain)))
    chosen = other if float(np.average(gain, weights=tested[simple].weight)) > least else simple
    values = ", ".join(f"{name} {each.interval[0]:.4g}" for name, each in tested.items())
    rows = f" of {len(some):,} rows" if len(some) < len(training) else ""
    return chosen, f", chosen by auto ({tested[simple].measure}{rows}: {values})"


def fit_quietly(model: Any, training: Any, target: str | None = None, weight: str | None = None) -> Any:
    """The model fitted to training rows, or to batches and names of their columns; warnings are one line on stderr."""
    import warnings

    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        if target is None:
            model.fit(training.X, training.y, sample_weight=training.weight)
        else:
            model.fit(training, target, sample_weight=weight)
    for text in dict.fromkeys(str(each.message) for each in raised if "column-vector" not in str(each.message)):
        typer.echo(f"note: {' '.join(text.split())}", err=True)
    return model


def check_folds(folds: int) -> None:
    """An error for a number of folds that is none."""
    if folds < 0 or folds == 1:
        raise ValueError(f"--folds must be 0 (no error is measured) or at least 2, got {folds}.")


def list_options(model: str, task: str) -> None:
    """Every parameter of a model with its default."""
    if model == "auto":
        raise ValueError(f"--options needs a --model: one of {', '.join(MODELS)}.")
    kind = find_class(model, "classification" if task == "auto" else task)
    typer.echo(f"{kind.__name__}: {MODELS[model][2]}")
    print_facts([(f"  --{name}", f"{default!r}") for name, default in parameters_of(kind).items()])
