"""Sums of products of hats, and banded inverses: native and reference agree, for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels import arithmetic
from softwood.kernels.arithmetic import reference
from softwood.kernels.reference.hat_products import hat_products


def random_rows(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Three numbers, a category (whose parts are 0) and an input of two columns."""
    rng = np.random.default_rng(seed)
    size = np.array([5, 12, 3, 4, 2])
    segment = np.stack([rng.integers(0, m - 1, n) for m in size]).astype(np.int32)
    part = rng.random((len(size), n))
    segment[3], part[3] = rng.integers(0, 4, n), 0.0
    return segment, part, rng.random(n) + 0.5, np.r_[0, np.cumsum(size)].astype(np.int64)


def test_native_products_equal_the_reference() -> None:
    for seed in range(3):
        rows = random_rows(seed)
        H = kernels.hat_products(*rows)
        np.testing.assert_allclose(H, hat_products(*rows), rtol=1e-12, atol=1e-10)
        np.testing.assert_array_equal(H, H.T)


def test_products_of_one_thread_equal_those_of_three() -> None:
    rows = random_rows(4)
    np.testing.assert_array_equal(kernels.hat_products(*rows, 1), kernels.hat_products(*rows, 3))


def test_no_rows_have_no_products() -> None:
    segment, part, weight, begin = random_rows(5)
    assert not kernels.hat_products(segment[:, :0], part[:, :0], weight[:0], begin).any()


@pytest.mark.skipif(kernels.kernels == "reference", reason="the reference trusts its caller")
def test_a_segment_outside_its_input_is_refused() -> None:
    segment, part, weight, begin = random_rows(6)
    segment[2, 7] = 3
    with pytest.raises(ValueError, match="segment is not a column"):
        kernels.hat_products(segment, part, weight, begin)
    with pytest.raises(ValueError, match="weight for each row"):
        kernels.hat_products(segment, part, weight[1:], begin)


@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 65, 150])
def test_native_band_of_the_inverse_equals_the_reference(n: int) -> None:
    rng = np.random.default_rng(n)
    A = rng.standard_normal((n + 5, n))
    S, right = A.T @ A + 0.1 * np.eye(n), rng.standard_normal((n, 2))
    solution, band = arithmetic.solve_with_band(S, right)
    wanted, wanted_band = reference.solve_with_band(S, right)
    np.testing.assert_allclose(solution, wanted, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(band, wanted_band, rtol=1e-8, atol=1e-10)
    for one, other in zip((solution, band), arithmetic.solve_with_band(S, right, 3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_matrix_that_is_not_positive_definite_has_no_solution() -> None:
    assert arithmetic.solve_with_band(np.diag([1.0, -1.0]), np.ones((2, 1))) is None


def test_native_inverse_of_blocks_equals_the_reference() -> None:
    rng = np.random.default_rng(1)
    begin = np.array([0, 1, 3, 10, 90], np.int64)
    band = np.abs(rng.standard_normal((3, 90))) * np.array([[0.1], [0.1], [0.1]])
    band[0] += 1.0
    band[0, 10:] *= 1e6
    for k in (1, 2):
        for end in begin[1:]:
            band[k, max(0, end - k) : end] = 0.0
    found = arithmetic.invert_bands(band, begin)
    np.testing.assert_allclose(found, reference.invert_bands(band, begin), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[0, 0], 1.0 / band[0, 0])
    band[0, 5] = 0.01  # no longer positive definite: that block alone is left out
    band[1, 5] = 1.0
    without = arithmetic.invert_bands(band, begin)
    assert not without[:, 3:10].any()
    np.testing.assert_array_equal(without[:, 10:], found[:, 10:])
