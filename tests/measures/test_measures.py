"""Measures equal those of scikit-learn and SciPy; their intervals have about the nominal coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sklearn import metrics

from softwood import measures

SEEDS = range(6)


def two_classes(seed: int, n: int = 300, levels: int = 0) -> tuple[Any, Any]:
    """Positive rows and their probabilities; with few levels there are many ties."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(1, 2, n)
    positive = rng.random(n) < chance
    return positive, np.round(chance * levels) / levels if levels else chance


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("levels", [0, 5])
def test_ranking_is_scikit_learns(seed: int, levels: int) -> None:
    positive, chance = two_classes(seed, levels=levels)
    area = metrics.roc_auc_score(positive, chance)
    assert measures.roc_auc(positive, chance).value == pytest.approx(area)
    assert measures.gini(positive, chance).value == pytest.approx(2 * area - 1)
    assert measures.ks_statistic(positive, chance) == pytest.approx(
        ks_2samp(chance[positive], chance[~positive]).statistic
    )
    curve = measures.roc_curve(positive, chance)
    false, true, threshold = metrics.roc_curve(positive, chance, drop_intermediate=False)
    np.testing.assert_allclose(curve.false_positive_rate, false)
    np.testing.assert_allclose(curve.true_positive_rate, true)
    np.testing.assert_array_equal(curve.threshold, threshold)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("classes", [2, 4])
def test_measures_of_probabilities_are_scikit_learns(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    chance = rng.dirichlet(np.ones(classes), 200)
    actual = rng.integers(0, classes, 200)
    labels = list(range(classes))
    assert measures.log_loss(actual, chance).value == pytest.approx(metrics.log_loss(actual, chance, labels=labels))
    squares = np.square(chance - np.eye(classes)[actual]).sum(axis=1).mean()
    brier = metrics.brier_score_loss(actual, chance[:, 1]) if classes == 2 else squares
    assert measures.brier_score(actual, chance).value == pytest.approx(brier)
    predicted = chance.argmax(axis=1)
    assert measures.error_rate(actual, predicted).value == pytest.approx(1 - metrics.accuracy_score(actual, predicted))
    np.testing.assert_array_equal(
        measures.confusion_matrix(actual, predicted, classes), metrics.confusion_matrix(actual, predicted)
    )


def test_a_row_that_is_wholly_wrong_has_scikit_learns_log_loss() -> None:
    chance, actual = np.array([[1.0, 0.0], [0.25, 0.75]]), np.array([1, 1])
    assert measures.log_loss(actual, chance).value == pytest.approx(metrics.log_loss(actual, chance, labels=[0, 1]))


def test_measures_of_numbers_are_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    actual, predicted = rng.normal(size=80), rng.normal(size=80)
    assert measures.rmse(actual, predicted).value == pytest.approx(
        np.sqrt(metrics.mean_squared_error(actual, predicted))
    )
    assert measures.mae(actual, predicted).value == pytest.approx(metrics.mean_absolute_error(actual, predicted))
    assert measures.r2(actual, predicted).value == pytest.approx(metrics.r2_score(actual, predicted))
    assert measures.mean_residual(actual, predicted).value == pytest.approx(np.mean(actual - predicted))
    assert np.isnan(measures.r2(np.ones(3), np.arange(3.0)).value)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_interval_holds_its_value(seed: int) -> None:
    positive, chance = two_classes(seed, 40)
    both, actual = np.column_stack([1 - chance, chance]), positive.astype(int)
    found = [measures.roc_auc(positive, chance), measures.gini(positive, chance), measures.log_loss(actual, both)]
    found += [measures.brier_score(actual, both), measures.error_rate(actual, (chance > 0.5).astype(int))]
    found += [each(chance, both[:, 0]) for each in (measures.rmse, measures.mae, measures.r2, measures.mean_residual)]
    assert all(each.low < each.value < each.high for each in found)


@pytest.mark.parametrize(("shift", "n"), [(0.7, 60), (2.0, 60), (3.0, 40)])
def test_the_interval_of_the_area_covers_it(shift: float, n: int) -> None:
    """Normal scores: the area is Phi(shift / sqrt 2)."""
    from statistics import NormalDist

    truth, rng, hits = NormalDist().cdf(shift / np.sqrt(2)), np.random.default_rng(0), 0
    for _ in range(600):
        positive = np.arange(n) < n // 2
        found = measures.roc_auc(positive, rng.normal(size=n) + shift * positive)
        hits += found.low <= truth <= found.high
    assert 0.925 <= hits / 600 <= 0.985


def test_an_area_without_a_pair_out_of_order_has_an_interval() -> None:
    found = measures.roc_auc(np.arange(40) >= 20, np.arange(40.0))
    assert found.value == 1.0 == found.high
    assert found.low == pytest.approx(measures.wilson(1.0, 20)[0])


def test_of_one_class_nothing_is_ranked() -> None:
    for positive in (np.ones(5, bool), np.zeros(5, bool)):
        assert np.isnan(measures.roc_auc(positive, np.arange(5.0)).value)
        assert np.isnan(measures.ks_statistic(positive, np.arange(5.0)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("levels", [0, 4])
def test_a_lift_table_adds_up(seed: int, levels: int) -> None:
    positive, chance = two_classes(seed, levels=levels)
    table = measures.lift_table(positive, chance)
    assert sum(line.rows for line in table) == len(positive)
    assert sum(line.positives for line in table) == positive.sum()
    assert table[-1].cumulated_rows == table[-1].cumulated_positives == table[-1].cumulated_lift == 1.0
    assert [line.mean_score for line in table] == sorted((line.mean_score for line in table), reverse=True)
    for line in table:
        assert line.lift == pytest.approx(line.rate / positive.mean())
        assert line.cumulated_lift == pytest.approx(line.cumulated_positives / line.cumulated_rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cutoff_table_is_scikit_learns(seed: int) -> None:
    positive, chance = two_classes(seed)
    for line in measures.cutoff_table(positive, chance):
        taken = chance >= line.cutoff
        (true_no, false_yes), (false_no, true_yes) = metrics.confusion_matrix(positive, taken)
        assert line.selection_rate == pytest.approx(taken.mean())
        assert line.precision == pytest.approx(metrics.precision_score(positive, taken))
        assert line.true_positive_rate == pytest.approx(metrics.recall_score(positive, taken))
        assert line.false_positive_rate == pytest.approx(false_yes / (false_yes + true_no))
        assert line.false_negative_rate == pytest.approx(false_no / (false_no + true_yes))
        assert line.error_rate == pytest.approx(np.mean(taken != positive))


def test_cutoffs_that_part_nothing_have_no_line() -> None:
    assert measures.cutoff_table(np.array([True, False]), np.array([0.5, 0.5])) == []


def test_rates_and_impact_ratios() -> None:
    positive = np.array([True, True, True, False, False])
    selected = np.array([True, True, False, True, False])
    found = measures.rates(positive, selected, np.full(5, 0.5))
    assert found == pytest.approx((0.6, 1 / 3, 0.5, 0.1))
    assert np.isnan(measures.rates(positive[:3], selected[:3], np.ones(3)).false_positive_rate)
    assert measures.impact_ratios([0.2, 0.5, 0.4]) == pytest.approx([0.4, 1.0, 0.8])
    assert np.isnan(measures.impact_ratios([0.0, 0.0])).all()


def test_rows_of_one_score_are_in_one_bin() -> None:
    score = np.repeat([0.1, 0.5, 0.9], [50, 3, 47])
    bins = measures.equal_bins(score, 10)
    assert [sorted(set(score[rows])) for rows in bins] == [[0.1], [0.5], [0.9]]
