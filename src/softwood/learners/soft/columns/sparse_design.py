"""The design matrix of a sparse table: one linear column for each input that varies, and indicators of missing values.

    column = (x - mean) / scale,    scale = spread / sqrt(proportion of rows that store a value)

For an input that all rows store this is the usual standardised column. The column of a rare word is as large, in rows
with the word, as that of a common word: with standardised columns a rare word would count the more the rarer it is,
and a penalty would shrink common words most. The unit of an input does not matter. Columns are centred by one number
per sum, so that zeros stay zeros (kernels/sparse/stored_rows.py); none is clipped.

An input that fewer than two rows store (by weight) has no column: a single row cannot be confirmed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.kinds import Term
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.soft.columns.build import INDICATOR_SCALE
from softwood.learners.soft.columns.design import MIN_LEVEL_ROWS, DesignMatrix
from softwood.learners.soft.columns.mix import Mix
from softwood.learners.soft.rows.moments import CONSTANT_MAX_SPREAD, MAX_VALUE, MIN_SPREAD
from softwood.tree import Basis


def stored_design(X: SparseTable, weight: Floats) -> DesignMatrix:
    """Columns for the training rows: inputs, then indicators of missing values, each in the order of the inputs.

    Examples
    --------
    >>> X = SparseTable.of_dense(np.array([[0.0, 3.0], [4.0, 3.0], [0.0, 3.0], [4.0, 3.0]]))
    >>> design = stored_design(X, np.ones(4))
    >>> design.feature, design.make(X.dense()).ravel().round(3)
    (array([0], dtype=int32), array([-0.707,  0.707, -0.707,  0.707]))
    """
    of_row, gone, total = weight[X.row], np.isnan(X.value), float(weight.sum())
    value = np.where(gone, 0.0, X.value)
    missing = np.bincount(X.column[gone], of_row[gone], X.n_columns)
    stored = np.bincount(X.column[~gone], of_row[~gone], X.n_columns)
    known = np.maximum(total - missing, 1e-300)
    largest = np.zeros(X.n_columns)
    np.maximum.at(largest, X.column, np.abs(value))
    _refuse_extremes(largest)
    part = value / np.where(largest > 0.0, largest, 1.0)[X.column]  # squares neither overflow nor vanish
    mean = np.bincount(X.column, of_row * part, X.n_columns) / known
    away = np.where(gone, 0.0, np.square(part - mean[X.column]))
    has_zeros = np.bincount(X.column, minlength=X.n_columns) < len(X)
    zeros = np.where(has_zeros, np.maximum(known - stored, 0.0), 0.0)
    spread = np.sqrt((np.bincount(X.column, of_row * away, X.n_columns) + zeros * np.square(mean)) / known)
    share = np.clip(stored / known, 1.0 / max(total, 1.0), 1.0)
    kept = np.flatnonzero((stored >= MIN_LEVEL_ROWS) & (spread > CONSTANT_MAX_SPREAD)).astype(np.int32)
    indicators = np.flatnonzero((missing >= MIN_LEVEL_ROWS) & (total - missing >= MIN_LEVEL_ROWS)).astype(np.int32)
    scale = np.sqrt(share[kept]) / (spread[kept] * largest[kept])
    middle = mean[kept] * largest[kept]
    return _design(kept, middle, scale, indicators, missing[indicators] / total)


def _design(
    inputs: npt.NDArray[np.int32], middle: Floats, scale: Floats, indicators: npt.NDArray[np.int32], share: Floats
) -> DesignMatrix:
    """Columns of inputs, then indicators of missing values; `share` of the values are missing."""
    n, m = len(inputs), len(indicators)
    term = np.repeat(np.array([Term.IDENTITY, Term.MISSING], np.uint8), [n, m])
    feature = np.concatenate([inputs, indicators])
    basis = Basis(term, feature, np.zeros(n + m), np.concatenate([middle, np.ones(m)]))
    shift = np.concatenate([-middle * scale, -INDICATOR_SCALE * share])
    factor = np.concatenate([scale, np.full(m, INDICATOR_SCALE)])
    kind = np.repeat(np.array([0, 3], np.uint8), [n, m])
    return DesignMatrix(basis, Mix.diagonal(factor), shift, feature, kind)


def _refuse_extremes(largest: Floats) -> None:
    """An error for columns whose largest values make weights overflow or underflow."""
    bad = (largest > MAX_VALUE) | ((largest > 0.0) & (largest < MIN_SPREAD))
    if bad.any():
        f = int(bad.argmax())
        raise ValueError(
            f"column {f} of X (the first is 0) has values up to {largest[f]:g}, whose weights would overflow or "
            f"underflow. Rescale it by a constant: the largest may be from {MIN_SPREAD:g} to {MAX_VALUE:g}."
        )
