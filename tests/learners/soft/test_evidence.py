"""Curves by evidence: the strengths maximise the restricted likelihood, and the curves are near the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.kernels.formulas.losses import row_loss
from softwood.kernels.kinds import Loss, LossKind
from softwood.learners.soft.evidence.fit import Curves, best_constant, fit_curves, hats_of
from softwood.learners.soft.evidence.hat_rows import HatRows
from softwood.learners.soft.evidence.hats import pick_knots
from softwood.learners.soft.evidence.strengths import BENDS, STEPS, USE, Penalties, add_band
from softwood.learners.soft.rows.dataset import Dataset


def fitted(rows: Dataset) -> Curves:
    basis = hats_of(rows)
    assert basis is not None
    return fit_curves(rows, basis)


def output(curves: Curves, rows: Dataset) -> np.ndarray:
    return curves.output(HatRows.of(curves.basis, rows))


def waves(n: int, seed: int = 0, noise: float = 0.5) -> Dataset:
    """A wave, a step, a line and two inputs of no use."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    y = np.sin(7 * X[:, 0]) + (X[:, 1] > 0.4) + 2 * X[:, 2] + noise * rng.standard_normal(n)
    return Dataset(X, ((y - y.mean()) / y.std())[:, None], np.ones(n), [0] * 5, Loss.SQUARED)


def restricted_likelihood(rows: Dataset, curves: Curves, strength: np.ndarray) -> float:
    """Of a squared loss with the noise that was estimated, by dense matrices; without what does not change."""
    penalties = Penalties.of(curves.basis)
    at = HatRows.of(curves.basis, rows)
    B = np.stack([at.times(unit) for unit in np.eye(int(curves.basis.begin[-1]))], axis=1)
    centred, y = B - B.mean(axis=0), rows.target[:, 0] - rows.target.mean()
    changed = replace(curves.strength, value=strength)
    S = add_band(np.zeros((B.shape[1], B.shape[1])), penalties.total(changed))
    A = centred.T @ centred / curves.noise + S
    b = np.linalg.solve(A, centred.T @ y / curves.noise)
    misfit = np.sum((y - centred @ b) ** 2) / curves.noise + b @ S @ b
    return float(0.5 * (np.linalg.slogdet(S)[1] - np.linalg.slogdet(A)[1] - misfit))


def test_no_strength_can_be_changed_for_a_larger_restricted_likelihood() -> None:
    rows = waves(400)
    curves = fitted(rows)
    strength = curves.strength.value
    best = restricted_likelihood(rows, curves, strength)
    for which, f in np.ndindex(strength.shape):
        for factor in (0.5, 2.0):
            other = strength.copy()
            other[which, f] *= factor
            assert restricted_likelihood(rows, curves, other) < best + 0.05


def test_inputs_of_no_use_have_no_degrees_of_freedom() -> None:
    degrees = fitted(waves(1000)).degrees
    assert degrees[:2].min() > 3
    assert 0.9 < degrees[2] < 2.5
    assert degrees[3:].max() < 1.0
    assert degrees[3:].min() < 0.05


def test_curves_are_near_the_truth_that_noise_hides() -> None:
    train, fresh = waves(1000), waves(1000, seed=1, noise=0.0)
    assert np.corrcoef(output(fitted(train), fresh)[:, 0], fresh.target[:, 0])[0, 1] > 0.99


def test_weight_two_is_a_row_twice() -> None:
    rows = waves(200)
    heavy = replace(rows, weight=np.where(np.arange(200) < 50, 2.0, 1.0))
    twice = Dataset(
        np.r_[rows.X[:50], rows.X], np.r_[rows.target[:50], rows.target], np.ones(250), rows.n_levels, rows.loss
    )
    one, other = fitted(heavy), fitted(twice)
    np.testing.assert_allclose(output(one, rows), output(other, rows), atol=1e-6)


def test_one_thread_equals_three() -> None:
    rows = waves(300)
    basis = hats_of(rows)
    assert basis is not None
    one, three = fit_curves(rows, basis, 1), fit_curves(rows, basis, 3)
    np.testing.assert_array_equal(one.coefficient, three.coefficient)


def test_knots_are_spent_on_the_rows_that_do_not_share_a_value() -> None:
    mass = np.r_[900.0, np.ones(100)]
    kept = pick_knots(mass, 20)
    assert {0, 1, 100} <= set(kept.tolist())
    assert len(kept) >= 18
    assert np.diff(kept).max() <= 6


def test_penalties_are_sums_of_squared_differences() -> None:
    rows = waves(60)
    basis = hats_of(rows)
    assert basis is not None
    penalties, b = Penalties.of(basis), np.random.default_rng(0).standard_normal(int(basis.begin[-1]))
    squares = penalties.squares(b)
    for f, (first, last) in enumerate(zip(basis.begin[:-1], basis.begin[1:], strict=True)):
        mine = b[first:last]
        wanted = {STEPS: np.sum(np.diff(mine) ** 2), BENDS: np.sum(np.diff(mine, 2) ** 2), USE: np.sum(mine**2)}
        for which, value in wanted.items():
            np.testing.assert_allclose(squares[which, f], value, rtol=1e-10)


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.POISSON, Loss.GAMMA, Loss(LossKind.TWEEDIE, 1.5)])
def test_every_loss_with_a_likelihood_beats_the_constant_on_fresh_rows(loss: Loss) -> None:
    rng = np.random.default_rng(3)
    X = rng.random((1600, 3))
    score = 2.0 * np.sin(6 * X[:, 0]) + (X[:, 1] > 0.5)
    target = (rng.random(1600) < 1 / (1 + np.exp(-score)))[:, None] * 1.0
    if not loss.is_classes:
        target = (rng.gamma(2.0, np.exp(score) / 2) if loss == Loss.GAMMA else rng.poisson(np.exp(score)))[
            :, None
        ] * 1.0
    rows = Dataset(X, target, np.ones(1600), [0] * 3, loss)
    train, fresh = rows.head(800), rows.rows(np.arange(1600) >= 800)
    lost = row_loss(loss, output(fitted(train), fresh), fresh.target).mean()
    constant = row_loss(loss, np.full((800, 1), best_constant(train)), fresh.target).mean()
    assert lost < 0.85 * constant


def test_no_curves_without_a_likelihood_or_room() -> None:
    rows = waves(200)
    assert hats_of(replace(rows, loss=Loss.ABSOLUTE)) is None
    wide = Dataset(np.random.default_rng(0).random((50, 200)), np.zeros((50, 1)), np.ones(50), [0] * 200, Loss.SQUARED)
    assert hats_of(wide) is None
    assert hats_of(replace(rows, X=np.ones_like(rows.X))) is None


def test_missing_values_and_rare_levels_have_columns_of_their_own() -> None:
    rng = np.random.default_rng(8)
    X = np.c_[rng.random(600), rng.exponential(size=600) * (rng.random(600) < 0.3), rng.integers(0, 4, 600)]
    y = np.sin(5 * X[:, 0]) + (X[:, 1] > 0) + (X[:, 2] == 2) + 0.2 * rng.standard_normal(600)
    X[:3, 2] = [4.0, 5.0, 6.0]
    X[rng.random(600) < 0.1, 0] = np.nan
    X[-30:, 2] = np.nan
    rows = Dataset(X, y[:, None], np.ones(600), [0, 0, 7], Loss.SQUARED)
    curves = fitted(rows)
    wave, mass, level = curves.basis.inputs
    assert (wave.n_missing, mass.n_missing, level.n_missing) == (1, 0, 1)
    assert (level.level.tolist(), level.n_rest) == ([0, 1, 2, 3], 1)
    assert np.corrcoef(output(curves, rows)[:, 0], y)[0, 1] > 0.9
