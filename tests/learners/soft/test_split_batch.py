"""Trees with many leaves split several at once; the number of leaves depends on the rows."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.growth.split_batch import LEAVES_PER_BATCHED_SPLIT, ONE_BY_ONE_MAX_LEAVES, split_leaves
from softwood.learners.soft.growth.split_step import GrowOptions, split_step
from softwood.learners.soft.learn import leaves_for
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.regimes import MAX_LEAVES_OF_LARGE_TABLE
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import Fold, init_root

HOW = GrowOptions(1e-4, max_leaves=64, batch_splits=True)


def wavy(rows: int = 600) -> Fold:
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(rows, 2))
    y = np.sin(9.0 * X[:, 0]) * np.cos(9.0 * X[:, 1])
    dataset = Dataset(X, y[:, None], np.ones(rows), [0, 0], Loss.SQUARED)
    return Fold.make(dataset, dataset, build_design(X, [0, 0], dataset.weight, BasisSpec()))


def grown(fold: Fold, leaves: int) -> SoftTreeParams:
    tree = init_root(fold.train, 2, "none")
    while len(tree.leaves) < leaves:
        larger = split_step(tree, fold.train, fold.split_features, HOW)
        assert larger is not None
        tree = larger
    return tree


def test_a_tree_of_many_leaves_is_split_in_a_quarter_of_them_at_once() -> None:
    fold = wavy()
    tree = grown(fold, ONE_BY_ONE_MAX_LEAVES)
    larger = split_leaves(tree, fold.train, fold.split_features, HOW)
    assert larger is not None
    assert len(larger.leaves) == ONE_BY_ONE_MAX_LEAVES + ONE_BY_ONE_MAX_LEAVES // LEAVES_PER_BATCHED_SPLIT
    assert larger.loss(fold.train) < tree.loss(fold.train)


@pytest.mark.parametrize(("leaves", "how"), [(3, HOW), (ONE_BY_ONE_MAX_LEAVES, GrowOptions(1e-4, max_leaves=64))])
def test_otherwise_it_is_one_split_as_ever(leaves: int, how: GrowOptions) -> None:
    fold = wavy()
    tree = grown(fold, leaves)
    some, one = (make(tree, fold.train, fold.split_features, how) for make in (split_leaves, split_step))
    assert some is not None
    assert one is not None
    np.testing.assert_array_equal(some.parameters, one.parameters)


def test_it_never_has_more_leaves_than_it_may() -> None:
    fold = wavy()
    how = GrowOptions(1e-4, max_leaves=17, batch_splits=True)
    larger = split_leaves(grown(fold, ONE_BY_ONE_MAX_LEAVES), fold.train, fold.split_features, how)
    assert larger is not None
    assert len(larger.leaves) == 17


def test_leaves_follow_the_rows() -> None:
    assert leaves_for(3_000, 16) == 16
    assert leaves_for(10_000, 16) == 50
    assert leaves_for(10**6, 16) == MAX_LEAVES_OF_LARGE_TABLE
