"""Ablation importance of each input: the increase of the loss when the input stays at its mean.

    up to MAX_INPUTS_BY_PASSES    one pass over all columns per input
    more                 the tree's linear sums are computed once; an input's terms are subtracted from them

The second method takes time proportional to the columns, the first to the columns times the inputs; results agree
up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softwood.arrays import Floats
from softwood.engines import SampleEngine
from softwood.engines.memory import from_columns
from softwood.kernels.arithmetic import matmul
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.sparse_ablation import stored_ablation

MAX_INPUTS_BY_PASSES = 1_000  # with more, by sums
MAX_KEPT_TERMS = 10_000_000  # of all inputs (80 MB); with more, terms are computed twice


def ablation_importance(tree: SoftTreeParams, design: DesignMatrix, rows: Dataset, engine: SampleEngine) -> Floats:
    """The increase of the mean loss when an input is held at its mean; `engine` has the same rows as columns."""
    if rows.is_sparse:
        return stored_ablation(tree, design, rows)
    inputs = np.unique(design.feature)
    increase = np.zeros(rows.X.shape[1])
    if len(inputs) > MAX_INPUTS_BY_PASSES:
        base, *losses = _losses_by_sums(tree, design, rows)
    else:
        base, *losses = _losses_by_passes(tree, design, engine)
    increase[inputs] = np.array(losses) - base
    return increase


def _losses_by_passes(tree: SoftTreeParams, design: DesignMatrix, engine: SampleEngine) -> Iterator[float]:
    """The loss of the tree, then its loss without each input."""
    mean = engine.split_direction(tree.shape, tree.parameters, 0)[0]
    yield tree.loss(engine)
    for f in np.unique(design.feature):
        yield tree.hold_columns(design.feature == f, mean).loss(engine)


def _losses_by_sums(tree: SoftTreeParams, design: DesignMatrix, rows: Dataset) -> Iterator[float]:
    """The same, from the terms of each input in the tree's linear sums."""
    weight, over_sums = tree.linear_sums()
    X = rows.X if rows.place is None else rows.X[rows.place]
    share = rows.weight / rows.weight.sum()

    def terms(f: int) -> tuple[Floats, Floats]:
        """The terms of one input in every sum, minus their mean; and the mean."""
        mine = design.columns_of(f)
        found = matmul(design.of_input(f, X[:, f], mine), weight[:, mine].T)
        mean = matmul(share, found)
        return found - mean, mean

    def loss(sums: Floats) -> float:
        return over_sums.loss(from_columns(sums, rows.target, rows.weight, rows.loss, single=False))

    inputs = np.unique(design.feature).tolist()
    sums = np.zeros((len(X), len(weight)))
    kept: list[Floats] = []
    for f in inputs:
        about, mean = terms(f)
        sums += about + mean
        if about.size * len(inputs) <= MAX_KEPT_TERMS:
            kept.append(about)
    yield loss(sums)
    for about in kept or (terms(f)[0] for f in inputs):
        yield loss(sums - about)
