"""Generators: each follows the law in its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from softwood import datasets
from softwood.datasets import (
    make_friedman,
    make_magic,
    make_ringnorm,
    make_sinusoid,
    make_spiral,
    make_twonorm,
    make_xor,
)

MAKERS = [getattr(datasets, name) for name in datasets.__all__ if name.startswith("make_")]


@pytest.mark.parametrize("make", MAKERS)
def test_same_seed_same_rows(make: Callable[..., Any]) -> None:
    (X, y), (again, same), (other, _) = make(50), make(50), make(50, random_state=1)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, same)
    assert len(X) == len(y) == 50
    assert make is make_sinusoid or not np.array_equal(X, other)  # the sinusoid's x are even, its noise is not


@pytest.mark.parametrize("make", MAKERS)
def test_no_rows_are_refused(make: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="n_rows must be an integer >= 1, got 0"):
        make(0)


def test_noise_of_the_functions_is_what_was_asked() -> None:
    X, y = make_friedman(20_000, noise=2.0)
    _, plain = make_friedman(20_000, noise=0.0)
    assert np.std(y - plain) == pytest.approx(2.0, rel=0.03)
    assert (X.min(), X.max()) == pytest.approx((0.0, 1.0), abs=1e-3)
    x, y = make_sinusoid(5000, noise=0.3)
    assert np.std(y - np.sin(2 * x[:, 0])) == pytest.approx(0.3, rel=0.05)


def test_the_last_five_inputs_of_friedman_are_idle() -> None:
    X, y = make_friedman(20_000, noise=0.0)
    link = [abs(np.corrcoef(X[:, j], y)[0, 1]) for j in range(10)]
    assert max(link[5:]) < 0.03 < min(link[0], link[1], link[3], link[4])


def test_twonorm_is_as_hard_as_the_normal_law_says() -> None:
    X, y = make_twonorm(20_000)
    error = np.mean((X.sum(axis=1) < 0) != (y == 1))
    assert error == pytest.approx(norm.cdf(-2.0), abs=0.004)


def test_ringnorm_has_the_delve_data_s_means_and_spreads() -> None:
    X, y = make_ringnorm(20_000)
    assert X[y == 0].std() == pytest.approx(2.0, rel=0.01)
    assert X[y == 1].std() == pytest.approx(1.0, rel=0.01)
    assert X[y == 1].mean() == pytest.approx(2 / np.sqrt(20), abs=0.01)
    assert abs(X[y == 0].mean()) < 0.02


def test_no_input_of_xor_tells_by_itself() -> None:
    X, y = make_xor(20_000, flip=0.1)
    assert max(abs(np.corrcoef(X[:, j], y)[0, 1]) for j in (0, 1)) < 0.03
    assert np.mean(y != (X[:, 0] * X[:, 1] < 0)) == pytest.approx(0.1, abs=0.01)


def test_arms_of_the_spiral_lie_where_the_formula_says() -> None:
    X, y = make_spiral(300, n_arms=3, turns=2.0, noise=0.0)
    radius, angle = np.hypot(*X.T), np.arctan2(X[:, 1], X[:, 0])
    turn = angle / (2 * np.pi) - 2.0 * radius - y / 3
    np.testing.assert_allclose(turn, np.round(turn), atol=1e-9)
    with pytest.raises(ValueError, match="n_arms must be >= 1, got 0"):
        make_spiral(10, n_arms=0)


def test_magic_like_images_are_possible_images() -> None:
    X, y = make_magic(20_000)
    length, width, _, most, first, _, _, _, angle, distance = X.T
    assert np.mean(y == "g") == pytest.approx(0.648, abs=0.01)
    assert np.all((first > 0) & (first < most) & (most < 1))
    assert np.all((angle >= 0) & (angle <= 90) & (distance >= 0) & (length > 0) & (width > 0))
    assert np.median(angle[y == "g"]) < 15 < 40 < np.median(angle[y == "h"])


def test_bad_noise_is_refused() -> None:
    with pytest.raises(ValueError, match=r"noise must be >= 0, got -0\.1"):
        make_friedman(10, noise=-0.1)
