"""Columns of random tables, as plain lists: numbers of every size, categories, booleans, dates, missing values."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np

Random = np.random.Generator
Cells = list[Any]


def _plain(rng: Random, n: int) -> Cells:
    return list(rng.normal(size=n).tolist())


def _integers(rng: Random, n: int) -> Cells:
    return [float(value) for value in rng.integers(0, int(rng.choice([2, 3, 5, 20])), n)]


def _constant(rng: Random, n: int) -> Cells:
    return [float(rng.choice([0.0, -0.0, 1.0, 1e9, -3.7]))] * n


def _huge(rng: Random, n: int) -> Cells:
    return list((rng.normal(size=n) * rng.choice([1e9, 1e20, 1e60, 1e155, 1e300])).tolist())


def _tiny(rng: Random, n: int) -> Cells:
    return list((rng.normal(size=n) * rng.choice([1e-9, 1e-20, 1e-60, 1e-155, 1e-310])).tolist())


def _far(rng: Random, n: int) -> Cells:
    """A spread of 1 far from zero."""
    return list((rng.normal(size=n) + rng.choice([1e4, 1e9, -1e15, 1e18])).tolist())


def _every_size(rng: Random, n: int) -> Cells:
    return list((rng.normal(size=n) * 10.0 ** rng.integers(-30, 30, n)).tolist())


def _close(rng: Random, n: int) -> Cells:
    """Neighbouring doubles: no number lies between."""
    base = float(rng.choice([1.0, 1e16, 0.1]))
    near = [base]
    for _ in range(3):
        near.append(float(np.nextafter(near[-1], np.inf)))
    return [near[i] for i in rng.integers(0, 4, n)]


def _booleans(rng: Random, n: int) -> Cells:
    return [bool(value) for value in rng.integers(0, 2, n)]


def _words(rng: Random, n: int) -> Cells:
    levels = ["red", "blue", "", "a b", "ünïcode", "NaN", "1", "None", "<b>", "x" * 60]
    chosen = levels[: int(rng.integers(1, len(levels) + 1))]
    return [chosen[i] for i in rng.integers(0, len(chosen), n)]


def _many_words(rng: Random, n: int) -> Cells:
    return [f"level {i}" for i in rng.integers(0, max(n, 1), n)]


def _dates(rng: Random, n: int) -> Cells:
    start = datetime.datetime(2020, 1, 1)
    return [start + datetime.timedelta(days=int(day)) for day in rng.integers(0, 1000, n)]


def _infinite(rng: Random, n: int) -> Cells:
    cells = _plain(rng, n)
    cells[int(rng.integers(n))] = float(rng.choice([np.inf, -np.inf]))
    return cells


KINDS: dict[str, tuple[Callable[[Random, int], Cells], float]] = {
    "plain": (_plain, 8),
    "integers": (_integers, 4),
    "constant": (_constant, 1),
    "huge": (_huge, 1.2),
    "tiny": (_tiny, 1),
    "far": (_far, 1),
    "every size": (_every_size, 0.7),
    "close": (_close, 0.5),
    "booleans": (_booleans, 1),
    "words": (_words, 2.5),
    "many words": (_many_words, 0.4),
    "dates": (_dates, 0.1),
    "infinite": (_infinite, 0.1),
}
MISSING = (*[0.0] * 10, *[0.1] * 4, *[0.5] * 3, 1.0)


def draw_column(rng: Random, n: int) -> tuple[str, Cells]:
    """The kind of a column and its cells; None is missing."""
    share = np.array([often for _, often in KINDS.values()])
    kind = list(KINDS)[int(rng.choice(len(KINDS), p=share / share.sum()))]
    cells = KINDS[kind][0](rng, n)
    gone = rng.random(n) < rng.choice(MISSING)
    return kind, [None if missing else cell for cell, missing in zip(cells, gone, strict=True)]
