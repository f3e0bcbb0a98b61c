"""Selection of inputs with ramps: by held-out rows of all folds, input by input."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.kernels.kinds import Loss
from softwood.learners.soft.learn import make_search, training_rows
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.regimes import RAMPS_MIN_ROWS
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.curve_selection import select_curves
from softwood.learners.soft.search.finer_curves import find_ramps
from softwood.learners.soft.search.ramped_inputs import Exchange, ramped_inputs, score
from softwood.learners.soft.search.trials import Trials


def exchange_with(scores: list[float], whole: float, weight: float = 1.0, n: int = 400) -> list[Exchange]:
    """Two folds of targets 0: exchanging the curve of an input saves as many standard errors, and all together `whole`.

    The smooth sum answers 1; what a row saves by a small change of its answer is nearly as much.
    """
    noise = np.random.default_rng(0).normal(size=(len(scores) + 1, 2 * n, 1))
    noise = (noise - noise.mean(axis=1, keepdims=True)) / noise.std(axis=1, keepdims=True)
    mean = np.array([*scores, whole]) / np.sqrt(2 * n)
    *local, together = -1e-6 * (noise + mean[:, None, None])
    found = []
    for part in (slice(0, n), slice(n, None)):
        rows = Dataset(np.zeros((n, 1)), np.zeros((n, 1)), np.full(n, weight), [0], Loss.SQUARED)
        curves = np.stack([one[part] for one in local])
        change = together[part] - curves.sum(axis=0)
        found.append(Exchange(rows, np.ones((n, 1)), change, np.zeros_like(curves), curves))
    return found


@pytest.mark.parametrize(
    ("scores", "whole", "ramped"),
    [
        ([5.0, 1.5, 0.5, -4.0], 0.0, [True, True, False, False]),  # one tells more than chance: so do others that save
        ([2.5, 1.5, 0.5, -4.0], 0.0, [False, False, False, False]),  # the largest of four by chance
        ([0.5, 0.5, 0.5, 0.5], 3.0, [True, True, True, True]),  # none alone, all together
        ([0.5, 0.5, 0.5, 0.5], 1.5, [False, False, False, False]),
    ],
)
def test_inputs_have_ramps_where_these_save_more_than_chance(
    scores: list[float], whole: float, ramped: list[bool]
) -> None:
    folds = exchange_with(scores, whole)
    assert [score(folds, np.arange(4) == f) for f in range(4)] == pytest.approx(scores, abs=0.01)
    assert score(folds, np.ones(4, np.bool_)) == pytest.approx(whole, abs=0.01)
    np.testing.assert_array_equal(ramped_inputs(folds), ramped)


def test_a_weight_counts_as_rows() -> None:
    inputs = np.array([True, False])
    assert score(exchange_with([1.0, 0.0], 0.0, 4.0), inputs) == pytest.approx(2.0, abs=0.01)


def test_inputs_that_share_a_curve_must_save_together_what_they_save_alone() -> None:
    rng = np.random.default_rng(3)
    n, target = 500, rng.normal(size=(500, 1))
    rows = Dataset(np.zeros((n, 1)), target, np.ones(n), [0], Loss.SQUARED)
    smooth = np.zeros((2, n, 1))
    local = np.stack([1.5 * target, 1.5 * target])  # each alone is nearer to the targets than 0, both are too much
    folds = [Exchange(rows, np.zeros((n, 1)), np.zeros(1), smooth, local)]
    assert score(folds, np.array([True, False])) > 5
    assert not ramped_inputs(folds).any()


def made(n: int = 800) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps of the first input, a smooth curve of the second, nothing of the third; and the truth."""
    rng = np.random.default_rng(5)
    X = rng.random((n, 3))
    truth = 1.5 * np.floor(5.0 * X[:, 0]) % 4.0 + np.sin(3.0 * X[:, 1])
    return X, truth + 0.5 * rng.normal(size=n), truth


def search_of(n: int) -> Trials:
    X, y, _ = made(n)
    how = JointOptions()
    rows = training_rows(Dataset(X, y[:, None], np.ones(n), [0] * 3, Loss.SQUARED), how)
    return make_search(rows, None, how, None).trials


def test_the_input_with_steps_has_ramps_and_the_others_keep_their_curves() -> None:
    trials = search_of(800)
    (before,) = [spec for spec in trials.specs if spec.basis_spec.n_ramps]
    select_curves(trials)
    (after,) = [spec for spec in trials.specs if spec.basis_spec.n_ramps]
    ramps = find_ramps(after.design)
    assert set(after.design.feature[ramps.column].tolist()) == {0}
    assert set(find_ramps(before.design).column) > set(ramps.column)
    x = np.random.default_rng(1).random((50, 3))
    kept = before.design.feature == 0
    others = ~kept & ~np.isin(np.arange(len(before.design)), find_ramps(before.design).column)
    # Both are products of matrices, of which BLAS orders the sums by their shapes: equal up to rounding.
    made_after, made_before = after.design.make(x)[:, after.design.feature != 0], before.design.make(x)[:, others]
    np.testing.assert_allclose(made_after, made_before, rtol=0.0, atol=1e-13)


def test_exchanging_all_curves_is_what_the_other_root_answers() -> None:
    trials = search_of(500)
    smooth, local = (
        [trials.trainer.trial(spec, "shared", False, 0.01, fold) for fold in range(len(spec.row_folds))]
        for spec in trials.specs
        if spec.basis_spec.curve
    )
    for fold_index, (one, other) in enumerate(zip(smooth, local, strict=True)):
        exchange = Exchange.of(one, other, fold_index)
        none, every = np.zeros(3, np.bool_), np.ones(3, np.bool_)
        np.testing.assert_array_equal(exchange.saved(none), 0.0)
        whole = one.candidate.row_loss - other.candidate.row_loss
        np.testing.assert_allclose(exchange.saved(every), whole, atol=1e-4)


def test_steps_of_few_rows_are_steep_from_some_rows_on() -> None:
    X, y, truth = made(RAMPS_MIN_ROWS + 3000)
    few, some = (SoftTreeRegressor(max_leaves=1).fit(X[:n], y[:n]) for n in (RAMPS_MIN_ROWS - 1, RAMPS_MIN_ROWS))
    smooth, steep = (
        np.mean(np.square(model.predict(X[RAMPS_MIN_ROWS:]) - truth[RAMPS_MIN_ROWS:])) for model in (few, some)
    )
    assert steep < 0.8 * smooth


def test_validation_rows_categories_missing_values_and_classes_go_together() -> None:
    rng = np.random.default_rng(2)
    X = np.c_[rng.random(600), rng.integers(0, 3, 600), rng.random(600)]
    X[rng.random(600) < 0.1, 2] = np.nan
    y = np.where(np.floor(5.0 * X[:, 0]) % 2 == 0, X[:, 1], 2.0).astype(int)
    model = SoftTreeClassifier(categorical_features=[1], max_leaves=2)
    model.fit(X[:450], y[:450], X_val=X[450:], y_val=y[450:])
    assert model.score(X[450:], y[450:]) > 0.8
