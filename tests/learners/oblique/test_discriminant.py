"""Directions, groups and cuts of oblique trees, against algebra, scikit-learn and counts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge

from softwood.kernels.formulas.class_groups import coefficients, exchange, seed_groups
from softwood.kernels.formulas.score_threshold import best_cut
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.problem import Problem
from softwood.learners.oblique.direction import KEPT_VARIANCE_SHARE, discriminants, regression, scatter, solve
from softwood.learners.oblique.rows import Rows
from softwood.learners.soft.columns.design import BasisSpec


def class_problem(X: np.ndarray, y: np.ndarray, criterion: Criterion = Criterion.ENTROPY) -> Problem:
    codes = y.astype(np.int32)
    return Problem(X, np.zeros(X.shape[1], np.int32), codes, np.ones(len(y)), criterion, int(codes.max()) + 1)


def parallel(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_two_classes_give_the_direction_of_scikit_learn() -> None:
    X, y = load_wine(return_X_y=True)
    X, y = X[y < 2] / X.std(axis=0), y[y < 2]
    D, size = discriminants(X, np.eye(2)[y], 0.0).D, np.bincount(y)
    ours = D @ coefficients(np.array([[False, True]]), size)[0]
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    assert parallel(ours, theirs) == pytest.approx(1.0, abs=1e-9)


def test_every_grouping_has_fishers_direction() -> None:
    """S_T^-1 (m_L - m_R) is proportional to S_W^-1 (m_L - m_R)."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    D, size = discriminants(X, np.eye(3)[y], 0.0).D, np.bincount(y)
    for first in ([True, False, False], [False, True, False], [True, True, False]):
        group = np.array(first)[y]
        means = X[group].mean(axis=0), X[~group].mean(axis=0)
        within = np.cov(X[group].T, bias=True) * group.sum() + np.cov(X[~group].T, bias=True) * (~group).sum()
        fisher = np.linalg.solve(within, means[0] - means[1])
        assert parallel(D @ coefficients(np.array([first]), size)[0], fisher) == pytest.approx(1.0, abs=1e-9)


def test_a_singular_scatter_is_solved_in_its_principal_components() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(50, 3)) * [3.0, 2.0, 1e-3]
    X = base @ rng.normal(size=(3, 5))
    S = np.cov(X.T)
    right = rng.normal(size=(5, 1))
    value, vector = np.linalg.eigh(S)
    kept = np.cumsum(value[::-1]) / value.sum()
    n = int(np.searchsorted(kept, KEPT_VARIANCE_SHARE)) + 1
    V = vector[:, ::-1][:, :n]
    np.testing.assert_allclose(solve(S, right), V @ np.linalg.solve(V.T @ S @ V, V.T @ right), rtol=1e-6)


def test_regression_is_ridge() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    y = y - y.mean()
    tally = np.column_stack([np.ones(60), y, y * y])
    S = np.cov(X.T, bias=True)
    ridge = Ridge(alpha=60 * 0.1 * np.trace(S) / 4).fit(X, y).coef_
    np.testing.assert_allclose(regression(X, tally, 0.1), ridge, rtol=1e-9)
    S = scatter(np.eye(4), np.full(4, 0.25), 8.0, None)
    np.testing.assert_allclose(S, 1.5 * 0.25 * np.eye(4))  # columns / rows of the mean variance on top


def test_exchange_finds_the_groups_that_a_cut_can_tell_apart() -> None:
    """Four classes on a line, 0 and 2 on the left; the start may be wrong, the result must not be."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 400)
    X = np.array([0.0, 10.0, 1.0, 9.0])[y][:, None] + rng.normal(size=(400, 1))
    rows = Rows.make(class_problem(X, y), BasisSpec())
    found = discriminants(rows.phi, rows.tally, 0.0)
    a = exchange(found.projected, found.gram, rows.tally, int(Criterion.ENTROPY))
    assert (a > 0).tolist() in ([True, False, True, False], [False, True, False, True])
    assert seed_groups(found.gram).any()


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.ENTROPY, Criterion.ERROR])
def test_the_best_cut_is_the_best_of_all(criterion: Criterion) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 12, (60, 1)).astype(float) + 0.25 * rng.integers(0, 2, (60, 1)), rng.integers(0, 3, 60)
    rows = Rows.make(class_problem(X, y, criterion), BasisSpec())
    score = rows.problem.X[:, 0]
    how = (np.ascontiguousarray(score), rows.tally, rows.problem.weight, int(criterion), 3.0)
    best, at = best_cut(*how, np.nan)

    def gain(at: float) -> float:
        sides = np.array([rows.tally[score < at].sum(axis=0), rows.tally[score >= at].sum(axis=0)])
        return float(rows.loss(rows.tally.sum(axis=0, keepdims=True))[0] - rows.loss(sides).sum())

    values = np.unique(score)
    places = [at for at in 0.5 * (values[1:] + values[:-1]) if 3 <= rows.problem.weight[score < at].sum() <= 57]
    assert best == pytest.approx(max(map(gain, places)))
    assert gain(at) == pytest.approx(best)
    near_gain, near_at = best_cut(*how, float(values[5]))
    assert near_gain >= 0.5 * best
    worthy = [at for at in places if gain(at) >= 0.5 * best]
    assert abs(near_at - values[5]) == pytest.approx(min(abs(at - values[5]) for at in worthy))


def test_rows_in_order_are_merged() -> None:
    X, y = np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 1, 0, 1])
    merged = (
        Problem(X, np.zeros(1, np.int32), y.astype(np.int32), np.array([1.0, 1, 2, 0]), Criterion.GINI, 2)
    ).in_order()
    assert sorted(zip(merged.X[:, 0].tolist(), merged.weight.tolist(), strict=True)) == [(1.0, 3.0), (2.0, 1.0)]
