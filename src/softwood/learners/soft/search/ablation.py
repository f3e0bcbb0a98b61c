"""Ablation importance of each input: the increase of the loss when the input stays at its mean.

The tree's linear sums are computed once; the terms of an input are subtracted from them. So all inputs together take
time proportional to the columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softwood.arrays import Floats
from softwood.engines.memory import from_columns
from softwood.kernels.arithmetic import matmul
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.regimes import MAX_NUMBERS_AT_ONCE
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.sparse_ablation import stored_ablation


def ablation_importance(tree: SoftTreeParams, design: DesignMatrix, rows: Dataset) -> Floats:
    """The increase of the mean loss when an input is held at its mean."""
    if rows.is_sparse:
        return stored_ablation(tree, design, rows)
    inputs = np.unique(design.feature)
    increase = np.zeros(rows.X.shape[1])
    base, *losses = _losses(tree, design, rows)
    increase[inputs] = np.array(losses) - base
    return increase


def _losses(tree: SoftTreeParams, design: DesignMatrix, rows: Dataset) -> Iterator[float]:
    """The loss of the tree, then its loss without each input; terms are computed twice if there is no room for them."""
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
        if about.size * len(inputs) <= MAX_NUMBERS_AT_ONCE:
            kept.append(about)
    yield loss(sums)
    for about in kept or (terms(f)[0] for f in inputs):
        yield loss(sums - about)
