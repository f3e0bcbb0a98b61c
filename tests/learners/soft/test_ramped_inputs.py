"""Which inputs have ramps: told by held-out rows of all folds, input by input."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.kernels.kinds import Loss
from softwood.learners.soft.dataset import Dataset
from softwood.learners.soft.finer_curves import find_ramps
from softwood.learners.soft.joint import JointOptions, make_search, training_rows
from softwood.learners.soft.model_search.curve_selection import select_curves
from softwood.learners.soft.model_search.ramped_inputs import ramped_inputs, saved_by_ramps
from softwood.learners.soft.model_search.trials import Trials
from softwood.learners.soft.tree_kinds import SOME_ROWS


def saved_with(mean: list[float], n: int = 400) -> np.ndarray:
    """Losses saved with these means, in standard errors."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(n, len(mean)))
    noise = (noise - noise.mean(axis=0)) / noise.std(axis=0)
    return noise + np.array(mean) / np.sqrt(n)


@pytest.mark.parametrize(
    ("score", "ramped"),
    [
        ([5.0, 1.5, 0.5, -4.0, 0.0], [True, True, False, False]),  # one tells more than chance: so do others that save
        ([2.5, 1.5, 0.5, -4.0, 0.0], [False, False, False, False]),  # the largest of four by chance
        ([0.5, 0.5, 0.5, 0.5, 3.0], [True, True, True, True]),  # none alone, all together
        ([0.5, 0.5, 0.5, 0.5, 1.5], [False, False, False, False]),
    ],
)
def test_inputs_have_ramps_where_these_save_more_than_chance(score: list[float], ramped: list[bool]) -> None:
    saved = saved_with(score)
    np.testing.assert_array_equal(ramped_inputs(saved, np.ones(len(saved))), ramped)


def test_a_weight_counts_as_rows_and_inputs_without_curves_do_not_count() -> None:
    saved = saved_with([2.0, 0.0], 100)
    assert not ramped_inputs(np.c_[saved[:, :1] / 2.0, saved], np.ones(100)).any()
    np.testing.assert_array_equal(ramped_inputs(saved, np.full(100, 4.0)), [True])
    still = np.zeros((100, 50))
    np.testing.assert_array_equal(ramped_inputs(np.c_[saved[:, :1], still, saved[:, 1:]], np.ones(100)).sum(), 1)


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
    np.testing.assert_array_equal(after.design.make(x)[:, after.design.feature != 0], before.design.make(x)[:, others])


def test_what_an_input_saves_is_the_loss_of_the_smooth_sum_with_its_curve_exchanged() -> None:
    trials = search_of(500)
    smooth, local = (
        [trials.trainer.trial(spec, "shared", False, 0.01, fold) for fold in range(len(spec.row_folds))]
        for spec in trials.specs
        if spec.basis_spec.curve
    )
    saved, weight = saved_by_ramps(smooth, local)
    assert saved.shape == (500, 4)
    assert len(weight) == 500
    whole = np.concatenate([trial.candidate.row_loss for trial in smooth]) - np.concatenate(
        [trial.candidate.row_loss for trial in local]
    )
    np.testing.assert_allclose(saved[:, -1], whole, atol=1e-4)


def test_steps_of_few_rows_are_steep_from_some_rows_on() -> None:
    X, y, truth = made(SOME_ROWS + 3000)
    few, some = (SoftTreeRegressor(max_leaves=1).fit(X[:n], y[:n]) for n in (SOME_ROWS - 1, SOME_ROWS))
    smooth, steep = (np.mean(np.square(model.predict(X[SOME_ROWS:]) - truth[SOME_ROWS:])) for model in (few, some))
    assert steep < 0.8 * smooth


def test_validation_rows_categories_missing_values_and_classes_go_together() -> None:
    rng = np.random.default_rng(2)
    X = np.c_[rng.random(600), rng.integers(0, 3, 600), rng.random(600)]
    X[rng.random(600) < 0.1, 2] = np.nan
    y = np.where(np.floor(5.0 * X[:, 0]) % 2 == 0, X[:, 1], 2.0).astype(int)
    model = SoftTreeClassifier(categorical_features=[1], max_leaves=2)
    model.fit(X[:450], y[:450], X_val=X[450:], y_val=y[450:])
    assert model.score(X[450:], y[450:]) > 0.8
