"""Binned rows for histograms: the bin of every value, between cuts of a number or by the levels of a category."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Bytes, Floats, Index
from softwood.learners.soft.rows.dataset import Dataset

N_BINS = 32  # of an input, for the histograms that new gates start from
OTHERS_BIN = N_BINS - 1  # bin of a category's rare levels and of missing values


@dataclass(frozen=True)
class Binned:
    """For all inputs: cuts (none for a category), bins of a category's levels, and the bins of all rows."""

    cut: list[Floats]
    bin_of_level: dict[int, Index]
    code: Bytes

    @classmethod
    def of(cls, rows: Dataset) -> Binned:
        """Bins from the rows and their weights."""
        bin_of_level = {f: level_bins(rows.X[:, f], rows.weight, n) for f, n in enumerate(rows.n_levels) if n}
        cut = [np.zeros(0) if f in bin_of_level else cuts(x, rows.weight) for f, x in enumerate(rows.X.T)]
        return cls(cut, bin_of_level, _coded(rows, cut, bin_of_level))

    def code_of(self, inputs: npt.NDArray[np.int32]) -> Bytes:
        """The bins of some of the inputs."""
        return self.code if len(inputs) == self.code.shape[1] else np.ascontiguousarray(self.code[:, inputs])


def _middle(rows: Dataset) -> Floats:
    """Weighted mean of each input's known values."""
    known = np.where(np.isnan(rows.X), 0.0, rows.weight[:, None])
    total = np.maximum(known.sum(axis=0), 1e-300)
    return np.asarray(np.sum(np.nan_to_num(rows.X) * (known / total), axis=0))


def _coded(rows: Dataset, cut: list[Floats], bin_of_level: dict[int, Index]) -> Bytes:
    """The bin of each value, shape (rows, inputs). A missing number counts as the mean; a missing level has no bin."""
    centre, code = _middle(rows), np.full(rows.X.shape, OTHERS_BIN, np.uint8)
    for f, x in enumerate(rows.X.T):
        known = ~np.isnan(x)
        if f in bin_of_level:
            code[known, f] = bin_of_level[f][x[known].astype(np.intp)] % N_BINS
        else:
            code[:, f] = np.searchsorted(cut[f], np.where(known, x, centre[f]))
    return code


def level_bins(x: Floats, weight: Floats, n: int) -> Index:
    """The bin of each level of a category; -1 (no bin of its own) for all but the most frequent."""
    known = ~np.isnan(x)
    mass = np.bincount(x[known].astype(np.intp), weight[known], n)
    often = np.argsort(-mass, kind="stable")[:OTHERS_BIN]
    bins = np.full(n, -1, np.intp)
    bins[often] = np.arange(len(often))
    return bins


def cuts(x: Floats, weight: Floats) -> Floats:
    """Edges between bins of about equal weight: the values x at which bins end, in increasing order."""
    known = ~np.isnan(x)
    order = np.argsort(x[known], kind="stable")
    value = x[known][order]
    if len(value) == 0:
        return np.zeros(0)
    share = np.cumsum(weight[known][order])
    at = np.searchsorted(share, np.linspace(0, share[-1], N_BINS + 1)[1:-1])
    edges = np.unique(value[np.minimum(at, len(value) - 1)])
    return np.asarray(edges[edges < value[-1]])
