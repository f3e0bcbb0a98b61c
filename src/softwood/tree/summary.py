"""Summaries of the inputs in the training rows: range, quantiles, levels. Used for the axes of pictures and the sliders
of pages.

A row counts by its weight, so a row of weight two counts as two rows. The quantile of p is the smallest occurring value
such that at least p of the weight does not exceed it. For a large table quantiles are computed from a sample of the
rows, selected by their content; ranges and weights are always of all rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels import hash_rows
from softwood.kernels.sparse.table import SparseTable

PROBABILITIES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
ENOUGH_ROWS = 10_000  # for quantiles
BLOCK = 1 << 14  # rows per block
TOGETHER_MAX_CELLS = 1 << 20  # of a table whose columns are sorted together


@dataclass(frozen=True)
class Summary:
    """One input among the training rows.

    Attributes
    ----------
    known, missing : weight of the rows with and without a value.
    range : smallest and largest value; None for a category, and if all are missing.
    quantiles : pairs (p, value), p ascending; empty if `range` is None.
    counts : weight of every level of a category; empty for a number.
    """

    known: float
    missing: float
    range: tuple[float, float] | None = None
    quantiles: tuple[tuple[float, float], ...] = ()
    counts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        ends, points = self.range or (), self.quantiles
        at, values = [p for p, _ in points], [value for _, value in points]
        weights = (self.known, self.missing, *self.counts)
        if not all(map(math.isfinite, (*weights, *ends, *values))) or min(weights) < 0:
            raise ValueError(f"a summary must hold finite numbers, and weights that are not negative, got {self}.")
        if len(ends) not in (0, 2) or ends != tuple(sorted(ends)):
            raise ValueError(f"the range of an input must be (least, largest), got {self.range}.")
        if values != sorted(values) or at != sorted(set(at)) or (at and not 0.0 < at[0] <= at[-1] < 1.0):
            raise ValueError(f"quantiles must be pairs (p, value) that rise, p between 0 and 1, got {points}.")

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "known": self.known,
            "missing": self.missing,
            "range": None if self.range is None else list(self.range),
            "quantiles": [list(pair) for pair in self.quantiles],
            "counts": list(self.counts),
        }

    @classmethod
    def from_dict(cls, stored: Any) -> Summary:
        """The summary that `to_dict` wrote; otherwise a ValueError."""
        names = {"known", "missing", "range", "quantiles", "counts"}
        if not isinstance(stored, Mapping) or stored.keys() != names:
            raise ValueError(f"a summary must be a dict of {', '.join(sorted(names))}, got {stored!r:.80}.")
        ends = None if stored["range"] is None else _numbers("range", stored["range"])
        known, missing = _numbers("known and missing", [stored["known"], stored["missing"]])
        pairs = stored["quantiles"]
        if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise ValueError(f"quantiles must be a list of pairs (p, value), got {pairs!r:.80}.")
        quantiles = tuple((p, value) for p, value in (_numbers("quantiles", pair) for pair in pairs))
        if ends is not None and len(ends) != 2:
            raise ValueError(f"the range of an input must be (least, largest), got {ends}.")
        span = None if ends is None else (ends[0], ends[1])
        return cls(known, missing, span, quantiles, _numbers("counts", stored["counts"]))


def _numbers(name: str, values: Any) -> tuple[float, ...]:
    if not isinstance(values, list) or any(type(value) not in (int, float) for value in values):
        raise ValueError(f"{name} of a summary must be numbers, got {values!r:.80}.")
    return tuple(map(float, values))


def summarize(X: Floats | SparseTable, weight: Floats, n_levels: Sequence[int]) -> tuple[Summary, ...]:
    """A summary of every column; for a sparse table quantiles are those of all rows.

    Parameters
    ----------
    X : (rows, columns); NaN is missing, a category is its code.
    weight : of the rows; rows of weight 0 are ignored.
    n_levels : levels of each column, 0 for a number.

    Examples
    --------
    >>> summarize(np.array([[1.0], [4.0], [np.nan]]), np.array([1.0, 2.0, 1.0]), [0])[0].range
    (1.0, 4.0)
    """
    there = weight > 0
    if not there.all():
        X, weight = X[there], weight[there]
    if isinstance(X, SparseTable):
        return _of_stored_columns(X, weight)
    even = len(weight) > 0 and bool(np.all(weight == weight[0]))
    some = _rows_by_content(X) if len(X) > ENOUGH_ROWS else slice(None)
    if even and not any(n_levels):
        ordered = np.sort(X[some], axis=0)
        if not np.isnan(ordered[-1]).any() and len(ordered) == len(X):  # NaN comes last
            return _of_full_columns(ordered, float(weight[0]))
    total = len(weight) * float(weight[0]) if even else math.fsum(weight)
    low, high, gone = _column_ends(X)
    if not even and X.size <= TOGETHER_MAX_CELLS and len(X) <= ENOUGH_ROWS and not any(n_levels) and not gone.any():
        return _of_weighted_columns(X, weight, total, low, high)
    return tuple(
        _of_column(X[:, f], weight, total, some, n, even, (float(low[f]), float(high[f])), int(gone[f]))
        for f, n in enumerate(n_levels)
    )


def _column_ends(X: Floats) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Smallest and largest value of each column, and the number of missing values: all columns at once, in blocks of
    rows.
    """
    blocks = [X[begin : begin + BLOCK] for begin in range(0, len(X), BLOCK)] or [np.full((1, X.shape[1]), np.nan)]
    low = np.fmin.reduce([np.fmin.reduce(block, axis=0) for block in blocks])
    high = np.fmax.reduce([np.fmax.reduce(block, axis=0) for block in blocks])
    return low, high, np.sum([np.isnan(block).sum(axis=0) for block in blocks], axis=0)


def _rows_by_content(X: Floats) -> npt.NDArray[np.intp]:
    """A sample of rows for quantiles: those with the smallest hashes, so all copies of a row or none, in any order."""
    number = hash_rows(X, np.empty((len(X), 0)), 0)
    size = 2 * ENOUGH_ROWS
    found = np.unique(np.partition(number, size)[:size] if size < len(X) else number)
    if len(found) <= ENOUGH_ROWS:  # many rows are copies
        found = np.unique(number)
    return np.flatnonzero(number <= found[ENOUGH_ROWS - 1]) if len(found) > ENOUGH_ROWS else np.arange(len(X))


def _of_full_columns(ordered: Floats, weight: float) -> tuple[Summary, ...]:
    """All columns at once: sorted numbers, none missing, all rows of one weight."""
    n = len(ordered)
    values = (ordered[[0, *_places(n), n - 1]].T + 0.0).tolist()  # -0.0 is 0.0: sorting puts either first
    return tuple(_sound(n * weight, (row[0], row[-1]), row[1:-1]) for row in values)


def _of_weighted_columns(X: Floats, weight: Floats, total: float, low: Floats, high: Floats) -> tuple[Summary, ...]:
    """All columns at once: few numbers, none missing. Equal values by weight, as in `_of_column`."""
    by_weight = np.argsort(weight, kind="stable")
    columns, weight = np.ascontiguousarray(X[by_weight].T), weight[by_weight]
    order = np.argsort(columns, axis=1, kind="stable")
    below = np.cumsum(weight[order], axis=1)
    wanted = np.multiply.outer(below[:, -1], PROBABILITIES)
    ends = zip((low + 0.0).tolist(), (high + 0.0).tolist(), strict=True)  # -0.0 is 0.0
    found = []
    for f, span in enumerate(ends):
        place = order[f, np.searchsorted(below[f], wanted[f], side="left")]
        found.append(_sound(total, span, columns[f, place].tolist()))
    return tuple(found)


def _sound(known: float, ends: tuple[float, float], quantiles: list[float]) -> Summary:
    """The summary of sorted numbers, none missing; valid by construction, so it is not checked."""
    summary = object.__new__(Summary)
    vars(summary).update(known=known, missing=0.0, range=ends, quantiles=_pairs(quantiles), counts=())
    return summary


def _of_column(
    values: Floats,
    weight: Floats,
    total: float,
    some: Any,
    n_levels: int,
    even: bool,
    ends: tuple[float, float],
    gone: int,
) -> Summary:
    lost = gone * float(weight[0]) if even else math.fsum(weight[np.isnan(values)]) if gone else 0.0
    total = max(total - lost, 0.0)
    if n_levels:
        known = ~np.isnan(values)
        counts = np.bincount(values[known].astype(np.int64), weight[known], n_levels).tolist()
        return Summary(total, lost, counts=tuple(counts))
    if gone >= len(values):
        return Summary(0.0, lost)
    ends = ends[0] + 0.0, ends[1] + 0.0  # -0.0 is 0.0
    part = values[some]
    known = ~np.isnan(part)
    part, weight = part[known], weight[some][known]
    if not len(part):
        return Summary(total, lost, ends)
    if even:
        return Summary(total, lost, ends, _pairs(np.sort(part)[_places(len(part))].tolist()))
    order = np.lexsort((weight, part))  # by weight too: sums do not depend on the order of the rows
    below = np.cumsum(weight[order])
    place = np.searchsorted(below, np.multiply(PROBABILITIES, below[-1]), side="left")
    return Summary(total, lost, ends, _pairs(part[order][place].tolist()))


def _of_stored_columns(X: SparseTable, weight: Floats) -> tuple[Summary, ...]:
    """For a sparse table: the stored values, and 0 with the weight of all other rows."""
    begin, row, value = X.by_column()
    even, total = len(weight) > 0 and bool(np.all(weight == weight[0])), math.fsum(weight)
    same = _pairs([0.0] * len(PROBABILITIES))  # one shared object for all columns that are mostly 0
    stored = np.bincount(X.column, weight[X.row], X.n_columns)
    low, high = X.ends().T
    gone = np.bincount(X.column[np.isnan(X.value)], minlength=X.n_columns)
    mostly = (stored < PROBABILITIES[0] / 2 * total) & (gone == 0)
    found = []
    for f, at in enumerate(slice(begin[f], begin[f + 1]) for f in range(X.n_columns)):
        if mostly[f]:
            found.append(Summary(total, 0.0, (float(low[f]), float(high[f])), same))
            continue
        known = ~np.isnan(value[at])
        x, w = value[at][known], weight[row[at][known]]
        lost = math.fsum(weight[row[at][~known]])
        zeros = len(X) - len(known)
        if zeros:
            x, w = np.append(x, 0.0), np.append(w, max(total - lost - math.fsum(w), 0.0))
        if not len(x):
            found.append(Summary(0.0, lost))
            continue
        order = np.lexsort((w, x))
        below = np.cumsum(np.rint(w[order] / weight[0]) if even else w[order])
        wanted = np.multiply(PROBABILITIES, below[-1])
        quantiles = _pairs(x[order][np.searchsorted(below, wanted, side="left")].tolist())
        ends = float(x.min()) + 0.0, float(x.max()) + 0.0
        found.append(Summary(max(total - lost, 0.0), lost, ends, same if quantiles == same else quantiles))
    return tuple(found)


def _places(n: int) -> list[int]:
    """Places of the quantiles among n sorted values of equal weight."""
    return [max(math.ceil(p * n) - 1, 0) for p in PROBABILITIES]


def _pairs(values: list[float]) -> tuple[tuple[float, float], ...]:
    return tuple((p, value + 0.0) for p, value in zip(PROBABILITIES, values, strict=True))  # -0.0 is 0.0
