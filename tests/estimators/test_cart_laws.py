"""Laws of CARTClassifier and CARTRegressor: invariances, and effects of options."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_friedman1
from sklearn.model_selection import KFold

from softwood import CARTClassifier, CARTRegressor

VARIANTS: list[dict[str, Any]] = [
    {},
    {"one_se": False},
    {"prune": None},
    {"min_samples_leaf": 5},
    {"max_bins": 16},
    {"max_leaves": 6, "prune": None},
    {"missing": "direction", "min_samples_leaf": 5, "one_se": False},
    {"missing": "fraction", "prune": None},
    {"missing": "category", "max_bins": 8},
    {"missing": "mean"},
]
MODELS = [CARTClassifier, CARTRegressor]
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
both = pytest.mark.parametrize("model", MODELS)


def draw(seed: int, n: int = 160, gaps: float = 0.1) -> tuple[Any, Any, Any]:
    """Four columns (the last two dependent on the first), three classes, numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 2] = X[:, 0] + rng.normal(size=n) / 3
    X[:, 3] = np.round(X[:, 1] * 2)
    y = X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=n) / 3
    X[rng.random(X.shape) < gaps] = np.nan
    return X, np.digitize(y, [0.3, 1.3]), y


def fit(model: Any, variant: dict[str, Any], X: Any, labels: Any, numbers: Any, weight: Any = None) -> Any:
    return model(**variant).fit(X, labels if model is CARTClassifier else numbers, weight)


def assert_same(one: Any, other: Any) -> None:
    """The same gates to the bit, the same numbers to rounding."""
    for name in ("first_child", "feature", "threshold", "default", "missing", "group"):
        np.testing.assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)
    for name in ("response", "count", "impurity"):
        np.testing.assert_allclose(getattr(one.tree_, name), getattr(other.tree_, name), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(one.tree_.surrogates.feature, other.tree_.surrogates.feature)
    np.testing.assert_allclose(one.pruning_table_.alpha, other.pruning_table_.alpha, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(one.pruning_table_.tested_error, other.pruning_table_.tested_error, rtol=1e-8)


# -- rows ----------------------------------------------------------------------------------------------------------


@pytest.mark.fewer(8)
@both
@every_variant
def test_weight_two_is_a_row_twice_and_weight_zero_its_absence(model: Any, variant: dict[str, Any]) -> None:
    X, labels, numbers = draw(1)
    weight = np.random.default_rng(2).integers(0, 4, len(X))
    weighted = fit(model, variant, X, labels, numbers, weight)
    repeated = fit(model, variant, *(np.repeat(part, weight, axis=0) for part in (X, labels, numbers)))
    assert_same(weighted, repeated)


@pytest.mark.fewer(8)
@both
@every_variant
def test_the_order_of_rows_does_not_matter(model: Any, variant: dict[str, Any]) -> None:
    X, labels, numbers = draw(3)
    order = np.random.default_rng(4).permutation(len(X))
    assert_same(fit(model, variant, X, labels, numbers), fit(model, variant, X[order], labels[order], numbers[order]))


@both
@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_do_not_matter(model: Any, n_jobs: int) -> None:
    X, labels, numbers = draw(5, 400)
    one, more = (fit(model, {"n_jobs": n}, X, labels, numbers) for n in (1, n_jobs))
    assert one.tree_ == more.tree_
    np.testing.assert_array_equal(one.predict(X), more.predict(X))


@both
def test_same_data_same_tree(model: Any) -> None:
    X, labels, numbers = draw(6)
    one, two = (fit(model, {}, X, labels, numbers) for _ in range(2))
    assert one.tree_ == two.tree_
    assert str(one.pruning_table_) == str(two.pruning_table_)


@both
def test_another_random_state_deals_other_folds(model: Any) -> None:
    X, labels, numbers = draw(6)
    errors = [fit(model, {"random_state": s}, X, labels, numbers).pruning_table_.tested_error for s in (0, 1)]
    assert not np.array_equal(*errors)


@both
def test_columns_in_another_order_are_the_same_tree(model: Any) -> None:
    X, labels, numbers = draw(7, gaps=0.0)
    order = [2, 0, 3, 1]
    plain, turned = (fit(model, {"max_depth": 3, "min_samples_leaf": 9}, x, labels, numbers) for x in (X, X[:, order]))
    branch = plain.tree_.n_children > 0
    np.testing.assert_array_equal(np.array(order)[turned.tree_.feature[branch]], plain.tree_.feature[branch])
    np.testing.assert_allclose(turned.predict(X[:, order]), plain.predict(X), rtol=1e-12)


# -- classes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [["a", "b", "c"], [1, 2, 3], [-1.0, 5.0, 9.0], [10, 200, 3000]])
def test_the_names_of_classes_do_not_matter(labels: list[Any]) -> None:
    X, codes, _ = draw(8)
    plain, named = CARTClassifier().fit(X, codes), CARTClassifier().fit(X, np.array(labels)[codes])
    assert named.classes_.tolist() == labels
    np.testing.assert_array_equal(plain.predict_proba(X), named.predict_proba(X))
    np.testing.assert_array_equal(np.array(labels)[plain.predict(X)], named.predict(X))


def test_balanced_classes_are_weights() -> None:
    X, y, _ = draw(9, gaps=0.0)
    factor = len(y) / (3 * np.bincount(y))
    balanced = CARTClassifier(class_weight="balanced", prune=None, max_depth=4).fit(X, y)
    weighted = CARTClassifier(prune=None, max_depth=4).fit(X, y, 10 * factor[y])  # weights count as rows
    np.testing.assert_array_equal(balanced.tree_.threshold, weighted.tree_.threshold)
    np.testing.assert_allclose(balanced.predict_proba(X), weighted.predict_proba(X), rtol=1e-12)
    by_name = CARTClassifier(class_weight=dict(enumerate(factor)), prune=None, max_depth=4).fit(X, y)
    assert by_name.tree_ == balanced.tree_


def test_observed_shares_as_priors_change_nothing() -> None:
    X, y, _ = draw(10)
    share = np.bincount(y) / len(y)
    plain, prior = CARTClassifier().fit(X, y), CARTClassifier(priors=share).fit(X, y)
    assert_same(plain, prior)
    np.testing.assert_allclose(plain.predict_proba(X), prior.predict_proba(X), rtol=1e-12)


def test_other_priors_are_weights_of_classes() -> None:
    X, y, _ = draw(11)
    prior = np.array([0.6, 0.3, 0.1])
    by_prior = CARTClassifier(priors=dict(enumerate(prior))).fit(X, y)
    by_weight = CARTClassifier(class_weight=dict(enumerate(prior * len(y) / np.bincount(y)))).fit(X, y)
    assert_same(by_prior, by_weight)
    np.testing.assert_allclose(by_prior.tree_.response[0], prior, rtol=1e-12)


def test_equal_costs_change_nothing() -> None:
    X, y, _ = draw(12)
    assert_same(CARTClassifier().fit(X, y), CARTClassifier(costs=1 - np.eye(3)).fit(X, y))


def test_unequal_costs_move_answers_to_the_dear_class_and_lower_the_bill() -> None:
    X, y, _ = draw(13, 2000)
    costs = np.array([[0, 1, 1], [1, 0, 1], [8, 8, 0.0]])
    plain, dear = CARTClassifier().fit(X[:1000], y[:1000]), CARTClassifier(costs=costs).fit(X[:1000], y[:1000])
    answers = [model.predict(X[1000:]) for model in (plain, dear)]
    assert (answers[1] == 2).sum() > (answers[0] == 2).sum()
    assert costs[y[1000:], answers[1]].sum() < costs[y[1000:], answers[0]].sum()
    by_label = CARTClassifier(costs={(2, 0): 8, (2, 1): 8}).fit(X[:1000], y[:1000])
    assert by_label.tree_ == dear.tree_


# -- monotone ------------------------------------------------------------------------------------------------------


def along(X: Any, feature: int, n_rows: int = 60) -> Any:
    """(rows, steps, columns): rows with one feature run through its range."""
    grid = np.repeat(np.nan_to_num(X[:n_rows])[:, None, :], 25, axis=1)
    grid[:, :, feature] = np.linspace(-4, 4, 25)
    return grid


@pytest.mark.fewer(8)
@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize(
    "variant", [{}, {"prune": None}, {"max_bins": 16}, {"missing": "direction", "prune": None}], ids=str
)
def test_monotone_constraints_hold(variant: dict[str, Any], n_classes: int, by_name: bool) -> None:
    X, labels, numbers = draw(14, 300)
    signs = {"x0": 1, "x1": -1} if by_name else {0: 1, 1: -1}
    kind = CARTClassifier if n_classes else CARTRegressor
    y = np.minimum(labels, n_classes - 1) if n_classes else numbers
    model = kind(monotonic_cst=signs, **variant).fit(X, y)
    free = kind(**variant).fit(X, y)
    broken = 0
    for feature, sign in ((0, 1), (1, -1)):
        grid = along(X, feature)
        for k in range(1, max(n_classes, 2)):
            steps = sign * np.diff(rising_answer(model, grid, k), axis=1)
            assert steps.min() >= -1e-12
            broken += int((sign * np.diff(rising_answer(free, grid, k), axis=1)).min() < -1e-12)
    assert broken, "the data obey the constraint by themselves: the test would prove nothing"


def rising_answer(model: Any, grid: Any, k: int) -> Any:
    """P(class >= k), or the prediction."""
    rows = grid.reshape(-1, grid.shape[2])
    answer = model.predict_proba(rows)[:, k:].sum(axis=1) if hasattr(model, "classes_") else model.predict(rows)
    return answer.reshape(grid.shape[:2])


# -- sizes ---------------------------------------------------------------------------------------------------------


@both
def test_pruned_trees_are_nested(model: Any) -> None:
    X, labels, numbers = draw(15)
    grown = fit(model, {"prune": None}, X, labels, numbers)
    table = grown.pruning_table_
    sizes = [grown.prune_to(alpha=alpha).get_n_leaves() for alpha in table.alpha]
    assert sizes == table.n_leaves.tolist()
    assert sizes == sorted(sizes)
    assert sizes[0] == 1
    for small, large in itertools.pairwise(table.alpha):
        leaf = grown.prune_to(alpha=large).apply(X)
        parts = len({*zip(leaf.tolist(), grown.prune_to(alpha=small).apply(X).tolist(), strict=True)})
        assert parts == len(set(leaf.tolist()))  # every leaf of the larger lies in one leaf of the smaller


@both
def test_prune_to_leaves(model: Any) -> None:
    X, labels, numbers = draw(16)
    grown = fit(model, {"prune": None}, X, labels, numbers)
    before = grown.get_n_leaves()
    for n in (1, 2, 5, 9, 10_000):
        assert grown.prune_to(n_leaves=n).get_n_leaves() <= n
    assert grown.prune_to(n_leaves=10_000).get_n_leaves() == grown.pruning_table_.n_leaves[-1]
    assert grown.get_n_leaves() == before
    chosen = fit(model, {}, X, labels, numbers)
    same = chosen.prune_to(alpha=chosen.pruning_table_.alpha[chosen.pruning_table_.chosen])
    np.testing.assert_array_equal(same.predict(X), chosen.predict(X))


@both
def test_snip_makes_a_leaf(model: Any) -> None:
    X, labels, numbers = draw(17)
    grown = fit(model, {"max_depth": 3, "prune": None}, X, labels, numbers)
    node = int(np.flatnonzero(grown.tree_.n_children)[-1])
    inside = np.asarray(grown.decision_path(X).toarray())[:, node] > 0
    snipped = grown.snip(node)
    assert snipped.get_n_leaves() == grown.get_n_leaves() - 1
    np.testing.assert_array_equal(snipped.predict(X)[~inside], grown.predict(X)[~inside])
    assert len(set(snipped.apply(X)[inside].tolist())) == 1
    assert grown.snip(0).get_n_leaves() == 1
    with pytest.raises(ValueError, match="is a leaf"):
        grown.snip(int(grown.apply(X)[0]))


@both
@pytest.mark.parametrize("method", ["validation", "reduced_error"])
def test_rows_held_back_choose_the_size(model: Any, method: str) -> None:
    X, labels, numbers = draw(18, 600)
    y = labels if model is CARTClassifier else numbers
    grown = model(prune=None).fit(X[:300], y[:300])
    pruned = model(prune=method, one_se=False).fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    assert 1 < pruned.get_n_leaves() < grown.get_n_leaves()
    assert pruned.score(X[300:], y[300:]) >= grown.score(X[300:], y[300:])


def test_one_se_is_never_the_larger_tree() -> None:
    for seed in range(19, 24):
        X, y, _ = draw(seed)
        small, best = (CARTClassifier(one_se=one_se).fit(X, y) for one_se in (True, False))
        assert small.get_n_leaves() <= best.get_n_leaves()


@pytest.mark.parametrize("model", [CARTRegressor, CARTClassifier])
def test_folds_given_twice_are_the_folds_once(model: Any) -> None:
    X, labels, numbers = draw(3)
    pairs = list(KFold(5, shuffle=True, random_state=0).split(X))
    once, twice = (fit(model, {"cv": folds}, X, labels, numbers) for folds in (pairs, pairs + pairs))
    assert_same(once, twice)
    se = once.pruning_table_.standard_error, twice.pruning_table_.standard_error
    np.testing.assert_allclose(*se, rtol=1e-9)  # sums of more rows round differently


def test_pruning_keeps_what_the_data_hold() -> None:
    X, y = load_iris(return_X_y=True)
    assert CARTClassifier().fit(X, y).get_n_leaves() == 3
    X, y = make_friedman1(400, noise=1.0, random_state=0)
    pruned, grown = (CARTRegressor(prune=prune).fit(X[:200], y[:200]) for prune in ("cv", None))
    assert pruned.get_n_leaves() < grown.get_n_leaves() / 3
    assert pruned.score(X[200:], y[200:]) > 0.4


def test_xor_needs_a_split_that_gains_nothing() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    y = np.array([0, 1, 1, 0])
    assert (CARTClassifier(prune=None).fit(X, y).predict(X) == y).all()
    assert (CARTRegressor(prune=None).fit(X, y).predict(X) == y).all()
