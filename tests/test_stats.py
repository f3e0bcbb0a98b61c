"""The statistics agree with other systems and with simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlxtend.evaluate import combined_ftest_5x2cv
from scipy.stats import binomtest, mannwhitneyu, norm, ttest_rel
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from softwood.stats import (
    binomial_limits,
    delong_test,
    five_by_two_f_test,
    mcnemar_test,
    paired_t_test,
    population_stability_index,
    wilcoxon_sizes,
)


@pytest.mark.parametrize("seed", range(3))
def test_f_test_agrees_with_mlxtend(seed: int) -> None:
    X, y = load_iris(return_X_y=True)
    scores: list[float] = []

    def remember(model: Any, rows: np.ndarray, labels: np.ndarray) -> float:
        scores.append(model.score(rows, labels))
        return scores[-1]

    models = DecisionTreeClassifier(max_depth=1, random_state=0), LogisticRegression(max_iter=500)
    f, p = combined_ftest_5x2cv(*models, X, y, scoring=remember, random_seed=seed)
    table = 1.0 - np.reshape(scores, (5, 2, 2))  # replication, half, model
    assert five_by_two_f_test(table[..., 0], table[..., 1]) == pytest.approx((f, p), rel=1e-9)


def test_f_test_knows_its_ends() -> None:
    same, rng = np.full((5, 2), 0.25), np.random.default_rng(0)
    assert five_by_two_f_test(same, same) == (0.0, 1.0)
    assert five_by_two_f_test(same, same + 0.125) == (np.inf, 0.0)
    a, b = rng.random((5, 2)), rng.random((5, 2))
    assert five_by_two_f_test(a, b) == pytest.approx(five_by_two_f_test(b, a))
    assert five_by_two_f_test(a * 1e-200, b * 1e-200) == pytest.approx(five_by_two_f_test(a, b))


@pytest.mark.parametrize("n", [4, 10, 25])
def test_rank_sums_without_ties_agree_with_scipy(n: int) -> None:
    a, b = np.split(np.random.default_rng(n).permutation(2 * n).astype(float), 2)
    expected = mannwhitneyu(a, b, method="exact").pvalue
    assert wilcoxon_sizes(a, b).p_value == pytest.approx(expected, rel=1e-9)


def test_rank_sums_with_ties_count_every_draw() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(3, 7, 5), rng.integers(3, 9, 5)
    both = np.concatenate([a, b])
    far = abs(wilcoxon_sizes(a, b).statistic - 27.5)
    draws = [
        wilcoxon_sizes(mixed[:5], mixed[5:]).statistic for mixed in rng.permuted(np.tile(both, (6_000, 1)), axis=1)
    ]
    assert wilcoxon_sizes(a, b).p_value == pytest.approx(np.mean(np.abs(np.array(draws) - 27.5) >= far), abs=0.015)


def test_many_sizes_take_the_normal_limit() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(3, 30, 60), rng.integers(5, 32, 70)
    expected = mannwhitneyu(a, b, method="asymptotic").pvalue
    assert wilcoxon_sizes(a, b).p_value == pytest.approx(expected, rel=1e-9)
    assert wilcoxon_sizes(np.ones(60), np.ones(60)).p_value == 1.0


@pytest.mark.parametrize(("count", "total"), [(0, 7), (7, 7), (3, 20), (150, 4000)])
def test_limits_agree_with_scipy(count: int, total: int) -> None:
    expected = binomtest(count, total).proportion_ci(0.9, method="exact")
    assert binomial_limits(count, total, 0.9) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wrong_shapes_and_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"first must have shape \(5, 2\)"):
        five_by_two_f_test([[0.1, 0.2]], np.zeros((5, 2)))
    with pytest.raises(ValueError, match="second must hold finite errors"):
        five_by_two_f_test(np.zeros((5, 2)), np.full((5, 2), np.nan))
    with pytest.raises(ValueError, match="first must be a list of finite numbers"):
        wilcoxon_sizes([], [3])
    with pytest.raises(ValueError, match="count must be a whole number"):
        binomial_limits(5, 4)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        binomial_limits(1, 4, 95)


@pytest.mark.parametrize("seed", range(3))
def test_tests_of_two_models_agree_with_scipy_and_counting(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.random((2, 40)) < np.array([[0.4], [0.2]])
    alone = int((first & ~second).sum()), int((~first & second).sum())
    assert mcnemar_test(first, second).p_value == pytest.approx(binomtest(alone[0], sum(alone)).pvalue)
    a, b = rng.normal(size=(2, 30))
    assert paired_t_test(a, b) == pytest.approx(tuple(ttest_rel(a, b)))


def test_delong_is_the_jackknife_in_the_limit() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    first, second = y + rng.normal(size=400), y + 1.5 * rng.normal(size=400)
    gap = roc_auc_score(y, first) - roc_auc_score(y, second)
    left = np.array(
        [roc_auc_score(np.delete(y, i), np.delete(first, i)) - roc_auc_score(np.delete(y, i), np.delete(second, i))
         for i in range(400)]
    )  # fmt: skip
    jackknife = np.sqrt(399 * np.var(left))
    z, p = delong_test(y, first, second)
    assert z == pytest.approx(gap / jackknife, rel=0.01)
    assert p == pytest.approx(2 * norm.sf(z))


def test_tests_of_two_models_without_a_difference_say_so() -> None:
    same = np.arange(4.0)
    assert mcnemar_test([0, 0], [0, 0]).p_value == 1.0
    assert paired_t_test(same, same) == (0.0, 1.0)
    assert paired_t_test(same + 1, same) == (np.inf, 0.0)
    assert delong_test([0, 1, 0, 1], same, -same).p_value <= 1.0
    assert population_stability_index(same, same) == 0.0
    with pytest.raises(ValueError, match="must be of the same rows, got 2 and 3"):
        paired_t_test([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="some of them true and some false"):
        delong_test([1, 1], [0, 1], [0, 1])
    with pytest.raises(ValueError, match="n_bins must be at least 2"):
        population_stability_index(same, same, n_bins=1)
