"""`softwood fit` of a folder, or of a file larger than the memory: a sample determines columns and model, then rows are
read in batches (softwood.Batches).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from softwood.cli.learning import Learned, Plan, Source, choose, facts_of, fit_quietly
from softwood.cli.models import make_model
from softwood.cli.streams import SUFFIXES, read_batches

SAMPLE = 20_000  # rows of the sample that determines columns, task and model


def is_beyond(data: str, memory: int) -> bool:
    """Whether to read the rows in batches: a folder, or a file larger than the memory."""
    path = Path(data)
    if data == "-" or not path.exists():
        return False
    return path.is_dir() or (path.suffix.lower() in SUFFIXES and path.stat().st_size > memory)


def open_rows(source: Source, memory: int) -> Any:
    """The rows that have a target, as batches."""
    from softwood import Batches

    def frames() -> Iterator[Any]:
        n_rows = n_known = 0
        for frame in read_batches(source.data, source.reading):
            if source.target not in frame.column_names:
                names = ", ".join(map(repr, frame.column_names))
                raise ValueError(
                    f"{source.data!r} has no column {source.target!r}, which --target needs; it has {names:.300}."
                )
            known = frame.filter(frame[source.target].is_valid())
            n_rows, n_known = n_rows + len(frame), n_known + len(known)
            yield known
        if not n_rows:
            raise ValueError(f"{source.data!r} has column names but no rows.")
        if not n_known:
            raise ValueError(f"no row of {source.data!r} has a value of {source.target!r}; choose another --target.")

    return Batches(frames, memory=memory)


def sample_training(source: Source, memory: int) -> Any:
    """A sample of the rows, with the columns found."""
    from softwood.cli.table import Table
    from softwood.cli.training import find_training

    table = Table(open_rows(source, memory).sample(SAMPLE), source.data)
    return find_training(table, source.target, task=source.task, drop=source.drop, weight=source.weight)


def learn_in_batches(source: Source, training: Any, plan: Plan, memory: int, tell: Callable[[str], None]) -> Learned:
    """Choose the model on the sample, fit on all rows and save; the error is that of rows held out for the choice."""
    from softwood import Batches, save

    name, why = (plan.model, "") if plan.model != "auto" else choose(training, plan, tell)
    tell(f"learning {name} in batches")
    begin = perf_counter()
    rows = Batches(open_rows(source, memory).source, memory=memory, columns=training.inputs)
    model = fit_quietly(make_model(name, training.task, plan.words, plan.seed), rows, source.target, source.weight)
    seconds = perf_counter() - begin
    save(model, plan.path)
    n_rows = model.tree_.provenance.n_rows
    said = f"{name}{why}: {type(model).__name__}, learned from {n_rows:,} rows in batches in {seconds:.2f} s"
    facts = {**facts_of(model, name, training, plan), "rows": n_rows, "fit_seconds": seconds, "engine": "batches"}
    return Learned(model, None, said, {**facts, "error": None, "held_out": model.held_out_})


def spell_held_out(model: Any) -> list[tuple[str, str]]:
    """The score on the rows held out while the model was chosen, as a line."""
    held = model.held_out_
    return [] if held is None else [(held["measure"], f"{held['value']:.4g} {held['by']}")]
