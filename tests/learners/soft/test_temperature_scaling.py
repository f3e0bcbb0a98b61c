"""One factor on the outputs: recovered if it is known, and 1 where it should be."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels.formulas.losses import row_loss
from softwood.kernels.kinds import Loss
from softwood.learners.soft.growth.temperature_scaling import MAX_FACTOR, PRIOR_ROWS, best_output_scale


def outputs_and_targets(loss: Loss, n: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Calibrated outputs, and classes drawn from them."""
    rng = np.random.default_rng(0)
    if loss == Loss.LOGISTIC:
        output = rng.normal(size=(n, 1)) * 2
        return output, (rng.random((n, 1)) < 1 / (1 + np.exp(-output))).astype(float)
    output = rng.normal(size=(n, 3)) * 2
    drawn = (output + rng.gumbel(size=(n, 3))).argmax(axis=1)
    return output, np.eye(3)[drawn]


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SOFTMAX])
@pytest.mark.parametrize("shrunken", [0.3, 1.0, 3.0])
def test_a_shrunken_voice_is_raised_and_a_loud_one_lowered(loss: Loss, shrunken: float) -> None:
    output, target = outputs_and_targets(loss)
    factor = best_output_scale(loss, shrunken * output, target, np.ones(len(output)))
    assert factor == pytest.approx(1 / shrunken, rel=0.05)


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SOFTMAX])
def test_held_out_rows_never_lose_by_it(loss: Loss) -> None:
    output, target = outputs_and_targets(loss, 40)
    for size in (0.1, 1.0, 10.0):
        factor = best_output_scale(loss, size * output, target, np.ones(40))
        after, before = (row_loss(loss, f * size * output, target).mean() for f in (factor, 1.0))
        assert after <= before + 1e-12
        assert 1 / MAX_FACTOR <= factor <= MAX_FACTOR


def test_numbers_and_silence_stay_as_they_are() -> None:
    assert best_output_scale(Loss.SQUARED, np.ones((5, 1)), np.zeros((5, 1)), np.ones(5)) == 1.0
    assert best_output_scale(Loss.LOGISTIC, np.zeros((5, 1)), np.ones((5, 1)), np.ones(5)) == 1.0


@pytest.mark.parametrize("outputs", [1, 3, 10])
@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("noise", [0.1, 5.0])
def test_no_other_factor_is_better(outputs: int, size: float, noise: float) -> None:
    rng = np.random.default_rng(outputs)
    output = size * rng.normal(size=(60, outputs))
    noisy = output + noise * rng.normal(size=output.shape)
    target = (noisy > 0).astype(float) if outputs == 1 else np.eye(outputs)[noisy.argmax(axis=1)]
    loss = Loss.LOGISTIC if outputs == 1 else Loss.SOFTMAX

    def cost(factor: float) -> float:
        return float(row_loss(loss, factor * output, target).sum() + 0.5 * PRIOR_ROWS * np.log(factor) ** 2)

    found = best_output_scale(loss, output, target, np.ones(60))
    best = min(cost(factor) for factor in np.geomspace(1 / MAX_FACTOR, MAX_FACTOR, 500))
    assert cost(found) <= best * (1 + 1e-5)


def test_steps_of_heavy_rows_end_within_the_bounds() -> None:
    """Outputs that hardly bend the loss and rows of weight 1e6 make steps of thousands, whose exponential overflows."""
    output, target = 1e-4 * np.array([[1.0], [2.0]]), np.array([[1.0], [1.0]])
    with np.errstate(all="raise"):
        assert best_output_scale(Loss.LOGISTIC, output, target, np.full(2, 1e8)) == pytest.approx(MAX_FACTOR)
