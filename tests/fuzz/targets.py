"""Targets and weights of random tables, as plain lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Random = np.random.Generator
Floats = np.ndarray[Any, np.dtype[np.float64]]

LABELS: list[Callable[[int], Any]] = [
    int,
    lambda code: f"class {code}",
    lambda code: float(code),
    lambda code: bool(code % 2),
    lambda code: code * 1000 - 7,
]


def signal_of(rng: Random, columns: dict[str, list[Any]], n: int) -> Floats:
    """A number per row that depends on one or two columns, with or without noise; sometimes only noise."""
    noise: Floats = rng.normal(size=n)
    if rng.random() < 0.2:
        return noise
    chosen = rng.choice(list(columns), min(len(columns), int(rng.integers(1, 3))), replace=False)
    signal: Floats = sum((_rank(columns[str(name)]) for name in chosen), np.zeros(n))
    if rng.random() < 0.3:
        signal = np.abs(signal - signal.mean())
    noisy: Floats = signal + rng.choice([0.0, 0.1, 0.3]) * noise
    return noisy


def _rank(cells: list[Any]) -> Floats:
    """The rank of every cell among the distinct ones, from 0 to 3; a missing one is in the middle."""
    known = sorted({cell for cell in cells if cell is not None}, key=lambda cell: (isinstance(cell, str), cell))
    rank = {value: 3 * place / max(len(known) - 1, 1) for place, value in enumerate(known)}
    return np.array([rank.get(cell, 1.5) for cell in cells], np.float64)


def draw_labels(rng: Random, signal: Floats) -> list[Any]:
    """A class per row: from one class to one class per row."""
    n, kind = len(signal), rng.random()
    if kind < 0.03:
        codes = np.zeros(n, int)
    elif kind < 0.06:
        codes = np.arange(n)
    elif kind < 0.12:  # one row is alone in its class
        codes = (np.arange(n) == rng.integers(n)).astype(int)
    else:
        classes = int(rng.choice([2, 2, 2, 3, 4, 7]))
        even = rng.random() < 0.6
        edges = np.quantile(signal, np.linspace(0, 1, classes + 1)[1:-1] if even else np.sort(rng.random(classes - 1)))
        codes = np.digitize(signal, edges)
    name = LABELS[int(rng.integers(len(LABELS)))]
    return [name(int(code)) for code in codes]


def draw_numbers(rng: Random, signal: Floats) -> list[Any]:
    """A number for every row, or several."""
    n, kind = len(signal), rng.random()
    if kind < 0.05:
        return [float(rng.choice([0.0, 1.0, 1e9]))] * n
    if kind < 0.15:
        return [float(value) for value in np.round(signal)]
    if kind < 0.25:
        return list((signal * rng.choice([1e9, 1e60, 1e150, 1e300])).tolist())
    if kind < 0.33:
        return list((signal * rng.choice([1e-9, 1e-60, 1e-150, 1e-310])).tolist())
    if kind < 0.4:
        return list((signal + rng.choice([1e4, 1e9, -1e15])).tolist())
    if kind < 0.55:
        more = np.c_[signal, rng.normal(size=(n, int(rng.integers(1, 3))))]
        return list((more * rng.choice([1.0, 1.0, 1e5], more.shape[1])).tolist())
    if kind < 0.56:
        return [float("nan"), *signal[1:].tolist()]
    return list(signal.tolist())


def draw_weights(rng: Random, n: int) -> list[float] | None:
    """A weight for every row; half the time none."""
    kind = rng.random()
    if kind < 0.5:
        return None
    if kind < 0.65:
        return [float(value) for value in rng.integers(1, 4, n)]
    if kind < 0.75:
        return list(rng.random(n).tolist())
    if kind < 0.82:
        return [float(value) for value in rng.integers(0, 2, n)]  # all zero is refused
    if kind < 0.87:
        share = rng.random(n)
        return list((share / share.sum()).tolist())
    if kind < 0.97:
        weight = rng.random(n)
        weight[rng.integers(n)] *= rng.choice([1e-12, 1e-100, 1e-300, 1e10, 1e15, 1e100, 1e300])
        return list(weight.tolist())
    if kind < 0.98:
        return [-1.0, *[1.0] * (n - 1)]
    return list((rng.random(n) * rng.choice([1e-300, 1e-20, 1e20, 1e300])).tolist())
