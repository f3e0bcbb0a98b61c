"""Running scaling: the same for any chunks, and the same as its final columns."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels.formulas.equation import expand
from softwood.learners.budding.scaling import Moments, RunningScale


def rows(n: int = 200) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(5, 2, n), rng.integers(0, 3, n), rng.standard_cauchy(n), np.full(n, 7.0)]
    X[rng.random((n, 4)) < 0.1] = np.nan
    X[:20] = np.nan_to_num(X[:20])
    return X


@pytest.mark.parametrize("cuts", [[1], [50, 51, 52], [7, 100, 101, 150]])
def test_chunks_scale_as_the_whole(cuts: list[int]) -> None:
    X, weight = rows(), np.random.default_rng(1).uniform(0.5, 2.0, 200)
    whole, parts = RunningScale([0, 3, 0, 0]), RunningScale([0, 3, 0, 0])
    all_at_once = whole.take(X, weight)
    pieces = [parts.take(*pair) for pair in zip(np.split(X, cuts), np.split(weight, cuts), strict=True)]
    for piece, begin in zip(pieces, [0, *cuts], strict=True):
        np.testing.assert_array_equal(piece, all_at_once[begin : begin + len(piece), : piece.shape[1]])
        assert not all_at_once[begin : begin + len(piece), piece.shape[1] :].any()
    assert whole.gaps == parts.gaps


def test_the_last_row_is_scaled_as_the_columns_say() -> None:
    X = rows()
    scale = RunningScale([0, 3, 0, 0])
    phi = scale.take(X, np.ones(200))
    np.testing.assert_allclose(phi[-1], scale.columns().make(X[-1:])[0], atol=1e-9)


def test_columns_for_missing_values_stand_apart_from_their_inputs() -> None:
    """They follow all others, in the order in which values were first missing."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[4, 2] = X[6, 0] = X[7, 1] = np.nan
    scale = RunningScale([0, 0, 0])
    scale.take(X, np.ones(30))
    columns = scale.columns()
    assert columns.feature.tolist() == [0, 1, 2, 2, 0, 1]
    np.testing.assert_allclose(
        columns.make(X), expand(columns.basis, X) @ columns.mix.dense() + columns.shift, atol=1e-12
    )


def test_running_moments_are_the_moments() -> None:
    values = np.random.default_rng(2).normal(1e6, 3.0, (500, 2))
    moments = Moments.make(2)
    moments.take(values, np.ones(500))
    mean, spread = moments.now()
    np.testing.assert_allclose(mean, values.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(spread, values.std(axis=0), rtol=1e-6)


def test_overflow_is_said() -> None:
    with pytest.raises(ValueError, match="squares overflow"):
        Moments.make(1).take(np.array([[0.0], [1e200]]), np.ones(2))
