"""Noise in the last digits of the inputs hides neither shared values nor what they are good for."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import SoftTreeRegressor
from softwood.kernels.kinds import Loss
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.last_digits import values_merged, without_last_digits


def rows_of(X: np.ndarray, levels: tuple[int, ...]) -> Dataset:
    return Dataset(X, np.zeros((len(X), 1)), np.ones(len(X)), levels, Loss.SQUARED)


def test_near_values_become_the_smallest_of_them_in_every_unit() -> None:
    rng = np.random.default_rng(0)
    plain = rng.integers(0, 9, 300) * 0.1
    noisy = plain * (1.0 + 1e-9 * rng.normal(size=300))
    merged = values_merged(noisy)
    assert merged is not None
    assert len(np.unique(merged)) == len(np.unique(plain))
    assert np.all(merged <= noisy)
    np.testing.assert_allclose(merged, plain, rtol=1e-8)
    np.testing.assert_array_equal(values_merged(noisy * 2.0**40), merged * 2.0**40)


def test_values_that_differ_by_more_stay() -> None:
    far_from_zero = 1.7e9 + np.arange(1000.0)  # seconds
    assert values_merged(far_from_zero) is None
    assert values_merged(np.append(np.linspace(0.0, 1.0, 500), 1e12)) is None  # an outlier
    assert values_merged(np.full(5, np.nan)) is None
    assert values_merged(np.array([-1.7e308, 1.7e308])) is None


def test_categories_and_tables_without_noise_are_not_copied() -> None:
    X = np.column_stack([np.arange(8.0), np.arange(8.0) % 2])
    rows = rows_of(X, (0, 2))
    assert without_last_digits(rows) is rows
    X[3, 0] = 2.0 + 1e-12
    changed = without_last_digits(rows)
    assert changed.X[3, 0] == 2.0
    assert X[3, 0] != 2.0


@pytest.mark.parametrize("gate", ["additive", "axis"])
def test_noise_in_the_last_digits_leaves_a_step_where_it_is(gate: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (300, 2)).astype(float)
    y = 2.0 * (X[:, 0] > 2) + 0.1 * rng.normal(size=300)
    error = []
    for _ in range(2):
        model = SoftTreeRegressor(gate=gate, random_state=0).fit(X, y)
        error.append(np.mean((model.predict(np.rint(X)) - 2.0 * (np.rint(X[:, 0]) > 2)) ** 2))
        X = X * (1.0 + 1e-12 * rng.normal(size=X.shape))
    assert error[1] == pytest.approx(error[0], rel=0.5, abs=1e-4)
