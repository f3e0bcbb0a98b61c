"""Engines of sparse rows, and starts of new gates.

A gate on one input starts half-way between 0 and the mean of the stored values: whether a word occurs.
"""

from __future__ import annotations

import numpy as np

from softwood.engines import SampleEngine
from softwood.engines.memory import from_stored
from softwood.kernels.kinds import Term
from softwood.kernels.sparse.stored_rows import StoredColumns
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.columns.split_features import SplitFeatures
from softwood.learners.soft.rows.dataset import Dataset


def stored_engine(rows: Dataset, design: DesignMatrix, splits: bool = False, n_threads: int = 1) -> SampleEngine:
    """The engine of sparse rows, over all or some columns of `stored_design`; `splits`: with histograms."""
    linear = design.basis.term == Term.IDENTITY
    inputs = np.unique(design.feature)
    place = np.searchsorted(inputs, design.feature[linear])
    columns = stored_columns(rows.X if rows.place is None else rows.X[rows.place], design)
    n_inputs = len(inputs) if splits else 0
    return from_stored(columns, rows.target, rows.weight, rows.loss, n_threads, place=place, n_inputs=n_inputs)


def has_stored_columns(design: DesignMatrix) -> bool:
    """Whether columns are as `stored_design` makes them: inputs, then indicators, each in the order of the inputs."""
    term, feature = design.basis.term, design.feature
    if not design.mix.is_diagonal or not np.all(np.isin(term, [Term.IDENTITY, Term.MISSING])):
        return False
    return bool(np.array_equal(np.lexsort((feature, term == Term.MISSING)), np.arange(len(feature))))


def stored_columns(X: SparseTable, design: DesignMatrix) -> StoredColumns:
    """The columns of rows."""
    linear, at = design.basis.term == Term.IDENTITY, design.feature.astype(np.intp)
    missing = design.basis.when_missing[linear]
    return StoredColumns.make(X, at[linear], missing, at[~linear], design.mix.value, design.shift)


def stored_split_features(X: SparseTable, design: DesignMatrix) -> SplitFeatures:
    """One threshold per input with a linear column."""
    inputs, place = np.unique(design.feature, return_inverse=True)
    columns = np.flatnonzero(design.basis.term == Term.IDENTITY)
    linear = np.full(len(inputs), -1, np.int32)
    linear[place[columns]] = columns
    known = ~np.isnan(X.value)
    count = np.bincount(X.column[known], minlength=X.n_columns)
    total = np.bincount(X.column[known], X.value[known] / 2.0, X.n_columns)  # halves, so that the sum does not overflow
    middle = (total / np.maximum(count, 1))[inputs]
    scale, shift = design.mix.value[linear], design.shift[linear]
    return SplitFeatures(list(middle[:, None]), linear, list((middle * scale + shift)[:, None]), place, {})
