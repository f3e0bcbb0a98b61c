"""Results on disk: results/<method>.csv, one row per fit, sorted by set and fold.

Python writes the shortest digits that read back as the same float, so nothing is lost. A file is written to a temporary
name and then renamed, under a lock of the folder: a killed run leaves no incomplete file, and two runs lose no row.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from bench.papers.methods import BY_NAME

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, order=True)
class Task:
    """One fit."""

    fold: int
    method: str
    name: str


@dataclass(frozen=True)
class Result:
    """One fit and its scores. All fields but `method` are the columns of its file; None is an empty cell."""

    method: str
    set: str
    fold: int
    commit: str  # with a + if files were changed
    version: str
    processor: str
    kernels: str
    numpy: str
    sklearn: str
    options: str
    rows: str
    seed: int
    published_fold: bool
    n_train: int
    n_validation: int
    n_test: int
    nodes: int
    leaves: int
    fit_s: float  # CPU time
    fit_wall_s: float
    predict_s: float
    mse: float | None = None
    mse_as_filed: float | None = None
    accuracy: float | None = None
    log_loss: float | None = None
    brier: float | None = None

    @property
    def task(self) -> Task:
        return Task(self.fold, self.method, self.set)

    @property
    def is_current(self) -> bool:
        """Whether it has the method's current options and rows."""
        method = BY_NAME[self.method]
        return (self.options, self.rows) == (spell_options(method.options), method.rows)


COLUMNS = [field.name for field in fields(Result)][1:]
PARSERS: Mapping[Any, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": {"True": True, "False": False}.__getitem__,
    "float | None": lambda text: float(text) if text else None,
}
PARSER = [PARSERS[field.type] for field in fields(Result)][1:]


def spell_options(options: Mapping[str, Any]) -> str:
    """Options of a method in a cell.

    Examples
    --------
    >>> spell_options({"prune": "validation", "one_se": False})
    "one_se=False prune='validation'"
    """
    return " ".join(f"{name}={options[name]!r}" for name in sorted(options))


def put(results: Path, result: Result) -> None:
    """Add a row to its method's file, in place of an earlier one of the same set and fold."""
    with _lock(results):
        kept = [one for one in read_method(results, result.method) if one.task != result.task]
        _write(results, result.method, [*kept, result])


def remove(results: Path, tasks: Collection[Task]) -> None:
    """Remove the rows of these fits, if any."""
    for method in sorted({task.method for task in tasks}):
        with _lock(results):
            found = read_method(results, method)
            kept = [one for one in found if one.task not in tasks]
            if len(kept) < len(found):
                _write(results, method, kept)


def read_method(results: Path, method: str) -> list[Result]:
    """All rows of a method's file; none if there is no file."""
    path = results / f"{method}.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        if next(reader, None) != COLUMNS:
            raise ValueError(f"{path} must begin with {','.join(COLUMNS)}: restore it from git, or remove it.")
        return [_parse(path, reader.line_num, method, cells) for cells in reader]


def read_all(results: Path = RESULTS) -> Iterator[Result]:
    """All results, in the order of methods, sets and folds."""
    for method in sorted(path.stem for path in results.glob("*.csv")):
        yield from read_method(results, method)


def _parse(path: Path, line: int, method: str, cells: list[str]) -> Result:
    try:
        return Result(method, *(parse(cell) for parse, cell in zip(PARSER, cells, strict=True)))
    except (ValueError, KeyError) as error:
        raise ValueError(f"{path}, line {line}, is not a result ({error}): restore or remove the line.") from error


def _write(results: Path, method: str, rows: list[Result]) -> None:
    path = results / f"{method}.csv"
    part = path.with_suffix(".csv.part")
    with part.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(astuple(one)[1:] for one in sorted(rows, key=lambda one: (one.set, one.fold)))
    part.replace(path)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Lock the folder: between reading a file and renaming the new one no other process may do the same."""
    import fcntl  # not on Windows, where tables can still be made

    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
