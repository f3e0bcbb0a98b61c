"""Hashes of rows: native and reference agree, and only equal rows have equal hashes."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels.reference import linear_columns
from softwood.kernels.reference.table_scan import any_infinite, hash_rows


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (200, 4)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, rng.integers(0, 2, (200, 1)).astype(float)


def test_native_equals_reference_in_every_layout() -> None:
    X, y = table(0)
    for seed in (0, 1, 2**64 - 1):
        wanted = hash_rows(X, y, seed)
        for same in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
            np.testing.assert_array_equal(kernels.hash_rows(same, y, seed), wanted)
    assert len(kernels.hash_rows(X[:0], y[:0], 0)) == 0


def test_rows_have_one_number_if_and_only_if_they_are_equal() -> None:
    X, y = table(1)
    number = kernels.hash_rows(X, y, 7)
    _, place = np.unique(np.nan_to_num(np.hstack([X, y]), nan=9.0), axis=0, return_inverse=True)
    np.testing.assert_array_equal(number[:, None] == number, place[:, None] == place)
    X[X == 0.0] *= -1.0
    np.testing.assert_array_equal(kernels.hash_rows(X, y, 7), number)
    assert not np.any(kernels.hash_rows(X, y, 8) == number)


def test_native_moments_and_lines_equal_the_reference() -> None:
    rng = np.random.default_rng(2)
    X, weight = rng.normal(size=(150, 5)) * [1, 1e-3, 1e5, 0, 1] + [0, 1e3, 0, 7, 1], rng.uniform(0.5, 2, 150)
    for same in (X, np.asfortranarray(X)):
        for ours, theirs in zip(
            kernels.column_moments(same, weight), linear_columns.column_moments(X, weight), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    X[3, 2] = np.nan
    assert kernels.column_moments(X, weight) is None
    how = ([4, 2, 0], np.array([0.0, 5.0, 1.0]), np.array([2.0, 3.0, 4.0]), np.array([0.1, 0.2, 0.3]))
    np.testing.assert_array_equal(kernels.make_linear_columns(X, *how), linear_columns.make_linear_columns(X, *how))
    np.testing.assert_array_equal(
        kernels.make_linear_columns(np.asfortranarray(X), *how), linear_columns.make_linear_columns(X, *how)
    )


@pytest.mark.parametrize("shape", [(7, 3), (1, 9000), (9000, 1), (5000, 2)])
def test_one_infinite_value_is_found_wherever_it_is(shape: tuple[int, int]) -> None:
    X = np.full(shape, np.finfo(float).max)
    X[0, 0] = np.nan
    layouts = (lambda X: X, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: X[::-1, ::-1])
    assert not any(kernels.any_infinite(layout(X)) for layout in layouts)
    for at, bad in ((0, np.inf), (X.size - 1, -np.inf), (X.size // 2, np.inf)):
        spoilt = X.copy()
        spoilt.flat[at] = bad
        assert any_infinite(spoilt)
        assert all(kernels.any_infinite(layout(spoilt)) for layout in layouts)
    assert not kernels.any_infinite(X[:0])
    assert not kernels.any_infinite(X[:, :0])
