"""Starts of gates: a threshold on a number, or two groups of a category's levels."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.split_features import SplitFeatures
from softwood.learners.soft.growth.split_candidates import START_SLOPE, axis_candidate
from softwood.learners.soft.rows.binning import OTHERS_BIN, level_bins
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import Fold, init_root

N = 600


def ground_of(X: np.ndarray, target: np.ndarray, n_levels: list[int], loss: Loss = Loss.SQUARED) -> Fold:
    dataset = Dataset(X, target, np.ones(len(X)), n_levels, loss)
    return Fold.make(dataset, dataset, build_design(X, n_levels, dataset.weight, BasisSpec()))


def scores(X: np.ndarray, target: np.ndarray, n_levels: list[int], loss: Loss = Loss.SQUARED) -> np.ndarray:
    """The score of the best start by one input, at each row."""
    fold, columns = ground_of(X, target, n_levels, loss), build_design(X, n_levels, np.ones(len(X)), BasisSpec())
    start = axis_candidate(init_root(fold.train, len(columns), "none"), fold.train, fold.split_features, 0)
    assert start is not None
    return np.asarray(columns.make(X) @ start.gate[:-1] + start.gate[-1])


@pytest.mark.parametrize("levels", [4, 12])
def test_levels_that_ask_for_the_same_answer_go_the_same_way(levels: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, levels, N).astype(np.float64)
    odd = x % 2 == 1
    score = scores(x[:, None], (odd + 0.1 * rng.normal(size=N))[:, None], [levels])
    np.testing.assert_allclose(np.abs(score), START_SLOPE)
    assert len(set(np.sign(score[odd]))) == len(set(np.sign(score[~odd]))) == 1
    assert np.sign(score[odd][0]) != np.sign(score[~odd][0])


def test_levels_are_grouped_by_classes_too() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 6, N).astype(np.float64)
    target = np.eye(3)[np.where(x < 4, rng.integers(0, 2, N), 2)]
    score = scores(x[:, None], target, [6], Loss.SOFTMAX)
    assert len(set(np.sign(score[x < 4]))) == len(set(np.sign(score[x >= 4]))) == 1
    assert np.sign(score[x < 4][0]) != np.sign(score[x >= 4][0])


def test_a_missing_level_goes_both_ways() -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, N).astype(np.float64)
    target = x[:, None].copy()
    x[:50] = np.nan
    score = scores(x[:, None], target, [2])
    np.testing.assert_allclose(score[:50], 0.0, atol=1e-12)


def test_a_category_wins_only_where_it_tells_more_than_a_number() -> None:
    rng = np.random.default_rng(3)
    X = np.c_[rng.integers(0, 3, N), rng.normal(size=N)]
    by_level = scores(X, (X[:, [0]] == 1).astype(np.float64), [3, 0])
    by_number = scores(X, (X[:, [1]] > 0.3).astype(np.float64), [3, 0])
    np.testing.assert_allclose(np.abs(by_level), START_SLOPE)
    assert np.corrcoef(by_number, X[:, 1])[0, 1] ** 2 == pytest.approx(1.0)


def test_the_most_frequent_levels_have_a_bin_and_the_others_share_the_last() -> None:
    x = np.r_[np.repeat(np.arange(40.0), 2), np.full(7, 39.0)]
    bins = level_bins(x, np.ones(len(x)), 40)
    assert bins[39] == 0
    assert np.count_nonzero(bins == -1) == 40 - OTHERS_BIN
    assert isinstance(ground_of(x[:, None], x[:, None], [40]).split_features, SplitFeatures)
    assert ground_of(x[:, None], x[:, None], [40]).train.bin.max() == OTHERS_BIN
