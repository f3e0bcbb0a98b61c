"""Centre and scale of targets: the same for rows in memory and for rows in batches."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.intake.parts.column_scan import TargetScan
from softwood.kernels.kinds import Loss
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.target_scale import mean_scale

N = 60
NUMBERS = np.random.default_rng(0).normal(5.0, 2.0, N)


def in_memory(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return Dataset(np.zeros((len(y), 1)), y[:, None], np.ones(len(y)), [0], Loss.SQUARED).target_scale()


def in_batches(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scan = TargetScan(is_classes=False)
    for part in np.split(y, 3):
        scan.take(part, np.ones(len(part)))
    return scan.scale()


CLOSE = 1e3 + 1e-11 * np.arange(N)  # they differ in their last digits, so that a spread has about four digits


@pytest.mark.parametrize("y", [NUMBERS, CLOSE, np.full(N, 0.1)], ids=["usual", "close", "constant"])
def test_batches_have_the_scale_of_memory(y: np.ndarray) -> None:
    for ours, theirs in zip(in_batches(y), in_memory(y), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_a_constant_target_is_its_own_centre_with_scale_one() -> None:
    y = np.full(N, 0.1)  # the mean of sixty times 0.1 is not 0.1
    for centre, scale in (in_memory(y), in_batches(y)):
        assert (centre[0], scale[0]) == (0.1, 1.0)


def test_rounding_of_the_moments_does_not_make_a_constant_vary() -> None:
    one = np.array([0.1])
    centre, scale = mean_scale(one + 1e-17, np.array([1e-17]), one, one)
    assert (centre[0], scale[0]) == (0.1, 1.0)
