"""The threshold with the largest gain in a node's histogram. The reference for native/soft/best_threshold.cpp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softwood.arrays import Floats


def best_thresholds(table: Floats, cuts: Sequence[int], ridge: float) -> Floats:
    """The largest gain of each node (0: none), and the input and bin up to which rows go one way; (nodes, 3).

    table : (nodes, inputs, bins, 2, outputs), sums of slope and curvature.  cuts : bins of each input that may end the
        first side.  A side gains slope^2 / (curvature + ridge) by its best step; the gain of both together is
        subtracted.
    """
    first, both = np.cumsum(table, axis=2), table.sum(axis=2, keepdims=True)
    gain = _saved(first, ridge) + _saved(both - first, ridge) - _saved(both, ridge)
    gain = np.where(np.arange(table.shape[2]) < np.asarray(cuts)[:, None], gain, 0.0)
    flat = gain.reshape(len(table), -1)
    place = flat.argmax(axis=1) if flat.size else np.zeros(len(table), np.intp)
    most = flat.max(axis=1, initial=0.0)
    at = np.where(most > 0, place, 0)
    return np.column_stack([most, at // table.shape[2], at % table.shape[2]])


def _saved(sums: Floats, ridge: float) -> Floats:
    return np.asarray((np.square(sums[..., 0, :]) / (sums[..., 1, :] + ridge)).sum(axis=-1))
