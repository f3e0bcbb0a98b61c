"""The native exp: within 2 ulp everywhere, and correct at the ends."""

from __future__ import annotations

import os

import numpy as np
import pytest

if os.environ.get("SOFTWOOD_KERNELS") == "reference":
    pytest.skip("SOFTWOOD_KERNELS=reference: the native kernels are not to be used", allow_module_level=True)

from softwood.kernels import _native

SMALLEST = 5e-324  # the smallest positive number
LARGEST = np.log(np.finfo(np.float64).max)  # the largest x with a finite exp, about 709.78


def native_exp(x: np.ndarray) -> np.ndarray:
    value = np.array(x, np.float64)
    _native.exp_lanes(value)
    return value


def ulps(x: np.ndarray) -> np.ndarray:
    """Distance to the true exp (by long doubles) in units of the last place of the result."""
    true = np.exp(x.astype(np.longdouble))
    return np.asarray(np.abs(native_exp(x).astype(np.longdouble) - true) / np.spacing(true.astype(np.float64)), float)


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (-40, 40), (-708, 709.7), (-1e-8, 1e-8), (-745, -708)])
def test_exp_is_within_two_ulp(low: float, high: float) -> None:
    x = np.random.default_rng(0).uniform(low, high, 200_000)
    assert ulps(x).max() <= 2


def test_exp_is_within_two_ulp_where_the_exponent_changes() -> None:
    middle = (np.arange(-1000, 1000) + 0.5) * np.log(2)
    near = np.concatenate([middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)])
    assert ulps(near).max() <= 2


def test_exp_at_the_ends() -> None:
    x = np.array(
        [np.nan, np.inf, -np.inf, 0.0, -0.0, 710.0, 1e308, -746.0, -1e308, LARGEST + 1e-9, SMALLEST, -SMALLEST]
    )
    want = np.array([np.nan, np.inf, 0.0, 1.0, 1.0, np.inf, np.inf, 0.0, 0.0, np.inf, 1.0, 1.0])
    np.testing.assert_array_equal(native_exp(x), want)


def test_exp_does_not_overflow_early_or_underflow_early() -> None:
    largest, smallest = native_exp(np.array([np.nextafter(LARGEST, 0), -745.13]))
    assert np.isfinite(largest)
    assert largest > 1.79e308
    assert smallest == SMALLEST


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 9, 64, 65])
def test_exp_of_a_number_does_not_depend_on_its_neighbours(n: int) -> None:
    x = np.linspace(-750, 750, n)
    alone = np.array([native_exp(x[i : i + 1])[0] for i in range(n)])
    assert native_exp(x).tobytes() == alone.tobytes()
