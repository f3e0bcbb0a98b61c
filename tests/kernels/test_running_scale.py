"""Scaling of streams: native code gives the same bits as NumPy, for any rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels.dispatch import native
from softwood.kernels.reference import running_scale as reference

RULE = reference.ScaleRule(8.0, 2.0, 1e-9, 2.0**-45)
NAMES = ("first", "weight", "total", "squares", "low", "high")


def empty(columns: int) -> Any:
    bare, zero = np.full(columns, np.nan), np.zeros(columns)
    return SimpleNamespace(
        first=bare, weight=zero, total=zero.copy(), squares=zero.copy(), low=bare.copy(), high=bare.copy()
    )


def scaled(scale: Any, X: Any, feature: Any, code: Any, weight: Any, cuts: list[int]) -> tuple[Any, ...]:
    moments, found, good = empty(len(feature)), [], True
    for rows, w in zip(np.split(X, cuts), np.split(weight, cuts), strict=True):
        phi = np.full((len(rows), len(feature) + 2), 9.0)
        good &= scale(rows, feature, code, w, moments, RULE, phi[:, 1:-1])  # within a wider table
        assert (phi[:, [0, -1]] == 9.0).all()
        found.append(phi)
    return good, np.concatenate(found).tobytes(), *(getattr(moments, name).tobytes() for name in NAMES)


@pytest.mark.skipif(native is None, reason="there is no native code to compare")
@pytest.mark.parametrize("seed", range(5))
def test_native_equals_reference_to_the_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 90))
    X = np.c_[rng.normal(1e3, 2, n), rng.integers(0, 3, n), rng.standard_cauchy(n), np.full(n, 7.0), np.full(n, np.nan)]
    X[rng.random(X.shape) < 0.2] = np.nan
    X = np.asfortranarray(X) if seed % 2 else X
    feature = np.array([0, 1, 1, 1, 2, 3, 4, 0, 4], np.int32)
    code = np.array([-1.0, 0, 1, 2, -1, -1, -1, np.nan, np.nan])
    weight = rng.choice([1.0, 0.5, 3.0], n)
    cuts = sorted(rng.integers(0, n + 1, 3).tolist())
    given = (X, feature, code, weight, cuts)
    assert scaled(kernels.scale_running, *given) == scaled(reference.scale_running, *given)


@pytest.mark.parametrize("scale", [kernels.scale_running, reference.scale_running])
def test_squares_without_an_end_are_told(scale: Any) -> None:
    given = np.zeros(1, np.int32), np.full(1, -1.0), np.ones(3), empty(1), RULE, np.empty((3, 1))
    assert not scale(np.array([[1.0], [1e160], [2.0]]), *given)


@pytest.mark.skipif(native is None, reason="there is no native code to ask")
@pytest.mark.parametrize(
    ("feature", "rows", "columns"), [([0, 2], 3, 2), ([0, -1], 3, 2), ([0, 1], 2, 2), ([0, 1], 3, 3), ([0], 3, 1)]
)
def test_sizes_that_do_not_agree_are_refused(feature: list[int], rows: int, columns: int) -> None:
    X, code, weight = np.ones((3, 2)), np.full(2, -1.0), np.ones(3)
    with pytest.raises(ValueError, match="must"):
        native.scale_running(X, np.array(feature, np.int32), code, weight, empty(2), RULE, np.empty((rows, columns)))
