"""Importance by ablation."""

from __future__ import annotations

import numpy as np

from softwood.parts.ablation import ablation, as_parts


def test_of_a_linear_model_an_input_is_worth_its_variance() -> None:
    rng = np.random.default_rng(0)
    phi, weight = rng.normal(size=(500, 3)), rng.uniform(0.5, 2.0, 500)
    slope, feature = np.array([1.0, 2.0, 0.0]), np.array([0, 1, 2])
    target = phi @ slope
    found = ablation(lambda x: float(weight @ np.square(x @ slope - target)), phi, weight, feature, 4)
    mean = weight @ phi / weight.sum()
    variance = weight @ np.square(phi - mean) * np.square(slope)
    np.testing.assert_allclose(found[:3], variance / variance.sum())
    assert found[3] == 0.0


def test_columns_of_no_input_stay_as_they_are() -> None:
    phi = np.array([[1.0, 5.0], [3.0, 7.0]])
    seen: list[np.ndarray] = []
    ablation(lambda x: float(seen.append(x) or 0.0), phi, np.ones(2), np.array([0, -1]), 1)
    np.testing.assert_array_equal(seen[1], [[2.0, 5.0], [2.0, 7.0]])


def test_where_nothing_rises_nothing_is_worth_anything() -> None:
    np.testing.assert_array_equal(as_parts(np.array([-1.0, 0.0])), [0.0, 0.0])
