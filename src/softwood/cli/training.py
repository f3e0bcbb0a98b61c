"""Training rows: the target column, whether it holds classes or numbers, and the inputs.

Every automatic choice is reported (`Training.said`), with the option that overrides it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.cli.table import Table
from softwood.tree.spelling import spell_label, spell_list, spell_number

TASKS = ("auto", "classification", "regression")
MOST_CLASSES = 10  # maximum number of distinct integers that are treated as classes
FEW_ROWS = 20  # with fewer rows, text that differs in every row is kept
ROOM = 90  # width of a list of names or classes, in characters
INPUTS = 400  # and of a list of inputs with their kinds
NAMES_ROWS = re.compile(r"(^|[\W_])(id|ID|Id)($|[\W_])|[a-z](Id|ID)$")


@dataclass(frozen=True)
class Training:
    """Rows with their targets.

    table : the rows that have a target.
    target, inputs : names of columns.
    task : "classification" or "regression".
    weight : weights of the rows.
    said : the report, pairs (heading, text).
    """

    table: Table
    target: str
    inputs: tuple[str, ...]
    task: str
    weight: Floats
    said: tuple[tuple[str, str], ...]

    def __len__(self) -> int:
        return len(self.table)

    @property
    def X(self) -> Any:  # noqa: N802  # as scikit-learn has it
        """The inputs, as a data frame."""
        return self.table.pick(self.inputs)

    @property
    def y(self) -> Any:
        """The target as a frame of one column, so that the model learns its name."""
        return self.table.pick([self.target])

    def some(self, most: int, seed: int) -> Training:
        """At most this number of rows, sampled with the seed."""
        if len(self) <= most:
            return self
        places = np.sort(np.random.default_rng(seed).permutation(len(self))[:most])
        return Training(self.table.rows(places), self.target, self.inputs, self.task, self.weight[places], self.said)


def find_training(
    table: Table, target: str, *, task: str = "auto", drop: Sequence[str] = (), weight: str | None = None
) -> Training:
    """The training rows of a table.

    Parameters
    ----------
    target : name of the column to predict.
    task : "auto": numbers are regression, unless they are at most MOST_CLASSES distinct integers; otherwise
        classification.
    drop : columns to drop.
    weight : name of the column with the weights of the rows.
    """
    if task not in TASKS:
        raise ValueError(f"--task must be one of {', '.join(TASKS)}, got {task!r}.")
    table.require([target], "--target")
    table.require(drop, "--drop")
    table.require([weight] if weight else [], "--weight")
    n_all, absent = len(table), table.missing(target)
    if absent.all():
        raise ValueError(f"no row of {table.source!r} has a value of {target!r}; choose another --target.")
    if absent.any():
        table = table.rows(np.flatnonzero(~absent))
    task, why = _find_task(table, target, task)
    rest = [name for name in table.names if name not in (target, weight, *drop)]
    useless = {name: reason for name in rest if (reason := _why_not(table, name))}
    inputs = tuple(name for name in rest if name not in useless)
    if not inputs:
        left = f"; dropped: {_spell_left(useless)}" if useless else ""
        raise ValueError(f"{table.source!r} has no usable column besides {target!r}{left}.")
    said = [("rows", f"{len(table):,}" + (f" of {n_all:,}; the others have no {target}" if absent.any() else ""))]
    said += [("target", f"{target}: {why}"), ("inputs", spell_list([_spell(table, name) for name in inputs], INPUTS))]
    said += [("dropped", _spell_left(useless))] if useless else []
    counters = [name for name in inputs if _is_counter(table, name)]
    said += [
        (
            "check",
            f"{spell_list(counters, ROOM)}: a different integer in every row; --drop columns that only identify rows",
        )
    ] * bool(counters)
    weights = np.ones(len(table)) if weight is None else table.numbers(weight)
    return Training(table, target, inputs, task, weights, tuple(said))


def _find_task(table: Table, target: str, task: str) -> tuple[str, str]:
    """The task, and why."""
    kind, n = table.kind(target), table.n_distinct(target)
    if kind not in ("number", "boolean", "category"):
        raise ValueError(f"target {target!r} is a {kind}; it must be classes or numbers.")
    if task == "auto" and kind == "number":
        numbers = table.numbers(target)
        classes = n <= MOST_CLASSES and bool(np.all(numbers == np.rint(numbers)))
    else:
        classes = kind != "number"
    if task != "auto":
        classes = task == "classification"
    if not classes:
        numbers = table.numbers(target)
        span = f"numbers from {spell_number(numbers.min())} to {spell_number(numbers.max())}"
        return "regression", f"{span}, so regression (override: --task classification)"
    labels = [spell_label(label) for label in sorted(set(table.values(target)), key=str)]
    hint = " (override: --task regression)" if kind == "number" else ""
    return "classification", f"{n} {'class' if n == 1 else 'classes'}: {spell_list(labels, ROOM)}{hint}"


def _why_not(table: Table, name: str) -> str:
    """Why a column is dropped; empty if it is used."""
    kind, n = table.kind(name), len(table)
    if kind not in ("number", "boolean", "category"):
        return (
            f"a {kind}: convert it to a number, such as a year"
            if kind == "date"
            else f"{kind}: neither number nor text"
        )
    if kind == "category" and n >= FEW_ROWS and table.n_distinct(name) == n:
        return "text, another in every row"
    return "the same in every row" if n > 1 and table.is_constant(name) else ""


def _spell_left(useless: dict[str, str]) -> str:
    """Dropped columns, by reason."""
    reasons = dict.fromkeys(useless.values())
    groups = {reason: [name for name, why in useless.items() if why == reason] for reason in reasons}
    return "; ".join(f"{spell_list(names, ROOM)} ({reason})" for reason, names in groups.items())


def _is_counter(table: Table, name: str) -> bool:
    """Whether integers look like row identifiers: distinct, and consecutive or named id."""
    n = len(table)
    if n < FEW_ROWS or table.kind(name) != "number" or table.n_missing(name):
        return False
    numbers = table.numbers(name)
    if not (np.ptp(numbers) == n - 1 or NAMES_ROWS.search(name)) or np.any(numbers != np.rint(numbers)):
        return False
    return table.n_distinct(name) == n


def _spell(table: Table, name: str) -> str:
    kind, missing = table.kind(name), table.n_missing(name)
    levels = f" of {table.n_distinct(name)}" if kind == "category" else ""
    return f"{name} {kind}{levels}" + (f" ({missing:,} missing)" if missing else "")
