"""The best threshold of a histogram: native and reference agree, and both find it."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels.reference.thresholds import best_thresholds


def histograms(seed: int, nodes: int = 3, inputs: int = 4, bins: int = 8, outputs: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(nodes, inputs, bins, 2, outputs))
    table[..., 1, :] = rng.uniform(0.1, 1.0, size=(nodes, inputs, bins, outputs))
    return table


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_native_equals_reference(seed: int, outputs: int) -> None:
    table, cuts = histograms(seed, outputs=outputs), [7, 3, 0, 5]
    np.testing.assert_allclose(
        kernels.best_thresholds(table, cuts, 0.01), best_thresholds(table, cuts, 0.01), rtol=1e-12
    )


def test_the_place_of_a_step_is_found() -> None:
    table = np.zeros((1, 2, 6, 2, 1))
    table[0, :, :, 1] = 1.0
    table[0, 0, :, 0, 0] = [1, -1, 1, -1, 1, -1]
    table[0, 1, :, 0, 0] = [1, 1, -1, -1, -1, 1]
    gain, f, b = kernels.best_thresholds(table, [5, 5], 0.0)[0]
    assert (f, b) == (1, 1)
    assert gain == pytest.approx(2.0 + 1.0)  # slopes of 2 and -2 over 2 and 4 rows, 0 together


@pytest.mark.parametrize("cuts", [[0, 0], [5, 5]])
def test_without_cuts_or_slopes_there_is_no_gain(cuts: list[int]) -> None:
    table = np.zeros((2, 2, 6, 2, 1))
    table[..., 1, :] = 1.0
    assert kernels.best_thresholds(table, cuts, 0.1).tolist() == [[0.0, 0.0, 0.0]] * 2


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="cuts for every input"):
        kernels.best_thresholds(histograms(0), [1, 2], 0.1)
    with pytest.raises(ValueError, match="more cuts than bins"):
        kernels.best_thresholds(histograms(0), [1, 2, 3, 9], 0.1)
