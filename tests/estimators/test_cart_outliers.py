"""Trees with absolute error and huber if there are a few outlying targets."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import CARTRegressor


def table(n: int, wild: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, the truth (four steps), and targets with some outliers."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    truth = 2.0 * (X[:, 0] > 0) + (X[:, 1] > 0.3)
    y = truth + 0.2 * rng.normal(size=n)
    far = rng.random(n) < wild
    y[far] += 1e5 * rng.normal(size=far.sum())
    return X, truth, y


@pytest.mark.parametrize("criterion", ["absolute_error", "huber"])
@pytest.mark.parametrize("prune", ["cv", "validation"])
def test_wild_targets_do_not_hide_the_tree(prune: str, criterion: str) -> None:
    """Their errors dominated the others, so that the root was within one standard error of the lowest error."""
    X, truth, y = table(1_500, 0.05)
    held = () if prune == "cv" else (X[1_000:], y[1_000:])
    model = CARTRegressor(criterion=criterion, prune=prune).fit(X[:1_000], y[:1_000], None, *held)
    assert 3 <= model.get_n_leaves() <= 4
    assert np.abs(model.predict(X) - truth).mean() < 0.2


def test_a_tree_that_is_not_pruned_grows_by_all_targets_as_they_are() -> None:
    X, _, y = table(200, 0.05)
    np.testing.assert_array_equal(CARTRegressor(criterion="absolute_error", prune=None).fit(X, y).predict(X), y)


@pytest.mark.parametrize("seed", [1, 2])
def test_huber_at_its_default_width_finds_all_four_steps(seed: int) -> None:
    """Squares of small steps are smaller than the distance that a leaf with one outlier saves."""
    X, truth, y = table(1_000, 0.05, seed)
    model = CARTRegressor(criterion="huber").fit(X, y)
    assert model.get_n_leaves() == 4
    assert np.abs(model.predict(X) - truth).mean() < 0.05


@pytest.mark.parametrize("criterion", ["absolute_error", "huber"])
def test_a_part_of_the_rows_that_is_far_away_is_answered_as_it_is(criterion: str) -> None:
    """One row in five is a thousand spreads away, as an input shows: clipped for growth, not for predictions."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = np.where(X[:, 0] > 0.8, 1e4, 0.0) + rng.normal(size=300)
    model = CARTRegressor(criterion=criterion).fit(X, y)
    assert np.abs(model.predict(X) - y).mean() < 2.0


def test_without_wild_targets_nothing_is_taken_off() -> None:
    X, _, y = table(300, 0.0)
    plain = CARTRegressor(criterion="absolute_error").fit(X, y)
    shifted = CARTRegressor(criterion="absolute_error").fit(X, 8.0 * y)
    np.testing.assert_array_equal(plain.apply(X), shifted.apply(X))
