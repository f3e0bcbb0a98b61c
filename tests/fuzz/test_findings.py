"""Findings of `make fuzz`, each on the smallest table after shrinking."""

from __future__ import annotations

import datetime
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import softwood
from softwood.parts.folds import raise_light


@pytest.fixture(autouse=True)
def _no_accident() -> Any:
    """An unintended warning is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.mark.parametrize("name", ["CART", "LinearDiscriminantTree", "OmnivariateTree", "SoftTree", "BuddingTree"])
def test_costs_of_one_class_cost_nothing(name: str) -> None:
    model = getattr(softwood, f"{name}Classifier")(costs=[[0.0]]).fit([[0.0], [1.0]], ["a", "a"])
    assert model.predict_proba([[2.0]]).tolist() == [[1.0]]


def test_dates_among_objects_are_refused_by_name() -> None:
    X = np.array([[datetime.datetime(2022, 1, 9), 1.0], [datetime.datetime(2022, 1, 7), 2.0]], object)
    with pytest.raises(TypeError, match="column 'x0' holds values like datetime"):
        softwood.CARTRegressor().fit(X, [1.0, 2.0])


@pytest.mark.parametrize("weight", [[1e-300], [1e300]])
def test_weights_beyond_squares_are_refused_by_every_learner(weight: list[float]) -> None:
    for model in (softwood.SoftTreeClassifier(), softwood.BuddingTreeClassifier(), softwood.CARTClassifier()):
        with pytest.raises(ValueError, match="sample_weight must have its largest weight"):
            model.fit([[0.0]], ["a"], sample_weight=weight)


LEARNERS = [softwood.CARTRegressor, softwood.LinearDiscriminantTreeRegressor, softwood.OmnivariateTreeRegressor]
LEARNERS += [softwood.SoftTreeRegressor, softwood.BuddingTreeRegressor, softwood.MixtureOfExpertsRegressor]


@pytest.mark.parametrize("given", [2.5, -1, "nonsense", [], float("nan"), 10**20])
def test_a_random_state_that_is_none_is_refused_by_name(given: Any) -> None:
    for learner in LEARNERS:
        with pytest.raises(ValueError, match="random_state must be None, an integer from 0"):
            learner(random_state=given).fit([[0.0], [1.0]], [0.0, 1.0])


def test_a_limit_beyond_any_table_is_no_limit() -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    for name in ("max_depth", "max_leaves", "min_samples_split", "max_surrogates"):
        model = softwood.CARTClassifier(prune=None, **{name: 10**20}).fit(X, y)
        assert model.get_n_leaves() == (1 if name == "min_samples_split" else 3)


def test_threads_beyond_any_table_are_all_that_have_work() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 2))
    for model in (softwood.CARTRegressor(), softwood.SoftTreeRegressor(gate="linear", weight_penalty=0.1, max_iter=2)):
        one, other = (clone(model).set_params(n_jobs=n).fit(X, X[:, 0]) for n in (1, 2**40))
        assert one.tree_ == other.tree_
        assert np.array_equal(other.predict(X), one.predict(X))
    assert len(softwood.explain(one, X[:3], n_jobs=2**40)) == 3


def test_rounding_does_not_decide_where_a_level_never_seen_goes() -> None:
    """Two levels with weights 1 and -1: another one is on the border, and the kernels rounded to different sides."""
    levels = ["red", "", "", "a b", "", "", "a b", "red", "a b"]
    model = softwood.LinearDiscriminantTreeClassifier(prune=None, categorical_features=[0])
    tree = model.fit(np.array(levels, object)[:, None], levels).tree_
    assert tree.bias[2] == 0.0
    assert tree.weight[tree.weight_begin[2] : tree.weight_begin[3]].round(9).tolist() == [1.0, -1.0]


def test_a_constrained_model_is_softened() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20.0) // 5
    hard = softwood.CARTRegressor(monotonic_cst=[1], prune=None, max_depth=2).fit(X, y)
    assert (np.diff(softwood.soften(hard, X, y, method="gradient").predict(X)) >= 0).all()


@pytest.mark.parametrize("how", [{"leafness_penalty": 0.0}, {"round_buds": True}])
def test_budding_trees_fit_constant_inputs(how: dict[str, Any]) -> None:
    for y in ([1.0, 2.0, 6.0], [[1.0, 2.0], [3.0, 5.0], [5.0, 5.0]]):
        model = softwood.BuddingTreeRegressor(**how).fit([[7.0]] * 3, y)
        np.testing.assert_allclose(model.predict([[7.0]])[0], np.mean(y, axis=0), rtol=0.1)


def test_a_heavy_row_beside_a_light_one() -> None:
    X, y, weight = [[0.0], [-1.0]], [3.0, 0.0], [1e15, 0.7]
    for learner in LEARNERS:
        assert np.isfinite(learner().fit(X, y, sample_weight=weight).predict(X)).all()


def test_probabilities_are_at_most_one() -> None:
    """Shares of ramps may add up to a little more than 1 (seed 271): log_loss refuses such probabilities."""
    model = softwood.CARTClassifier().fit([[0.0]], ["a"])
    model.tree_ = model.tree_.replace(response=[[np.nextafter(1.0, 2.0)]])
    assert model.tree_.predict([[0.0]])[0, 0] > 1.0
    assert model.predict_proba([[0.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("name", ["SoftTreeRegressor", "SoftTreeClassifier", "BuddingTreeRegressor"])
def test_a_held_out_row_may_lie_beyond_single_precision(name: str) -> None:
    """Seed 400117: by the spread of the rows learned from, the held-out one is at 1e40, and losses were infinite."""
    X, y = [[2.88e25], [5.96e-23], [5.97e-15], [2e-15], [1e-15]], [3.2, 4.48, 4.6, 4.5, 4.4]
    model = getattr(softwood, name)()
    model.fit(X, np.array(y) > 4.45 if name.endswith("Classifier") else y)
    assert np.isfinite(model.predict(X)).all()


def test_a_weight_of_rounding_is_none() -> None:
    """Seed 30797: weights of 1e-15 decided about rows on the border, whose level the node had never seen."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (60, 2)).astype(float)
        model = softwood.LinearDiscriminantTreeClassifier(prune=None, categorical_features=[0])
        tree = model.fit(X, (X.sum(axis=1) + rng.integers(0, 2, 60)) // 2).tree_
        assert np.abs(tree.weight).min() > 1e-9 * np.abs(tree.weight).max()


def test_room_for_nodes_without_end_is_refused() -> None:
    """Seed 409044: a state has room for all nodes from the start, and 2**31 of them were asked of the memory."""
    for learner in ("online", "joint"):
        with pytest.raises(ValueError, match="max_nodes must be an integer >= 1 and <= 1048575"):
            softwood.BuddingTreeClassifier(learner=learner, max_nodes=10**20).fit([[0.0], [1.0]], [0, 1])


def test_squares_of_squares_do_not_overflow() -> None:
    """Seed 408232: the standard error of squared errors of answers near 1e150; ramps are as of 1."""
    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], np.array([1.6, 1.3, 1.4, 3.0, 3.3, 3.1])
    ramps = []
    for unit in (1.0, 2.0**498):
        tree = softwood.SoftenedRegressor(method="statistics").fit(X, unit * y).tree_
        ramps.append(tree.softness)
    assert ramps[0].any()
    np.testing.assert_array_equal(ramps[0], ramps[1])


@pytest.mark.parametrize("y", [[1.0, 2.0], [1.0, 2.0, 6.0], [[1.0, 2.0], [3.0, 5.0], [5.0, 5.0]]])
@pytest.mark.parametrize("leaf", ["auto", "constant", "linear"])
def test_where_nothing_varies_the_answer_is_the_mean(y: Any, leaf: str) -> None:
    """The leaf was refined on all rows, and stayed near the mean of a fold."""
    for learner in (softwood.SoftTreeRegressor, softwood.BuddingTreeRegressor):
        model = learner(leaf=leaf).fit([[7.0]] * len(y), y)
        np.testing.assert_allclose(model.predict([[7.0]])[0], np.mean(y, axis=0), rtol=1e-12)


def test_rows_of_weight_zero_leave_the_others_their_weights_to_the_last_bit() -> None:
    """Seed 505459: light weights are raised by their sum, which rounds otherwise with zeros in between."""
    rng = np.random.default_rng(0)
    for n in range(2, 60):
        X, y, weight = rng.normal(size=(n + 3, 2)), rng.normal(size=n + 3), rng.random(n) / n
        light, is_raised = raise_light(X, y, np.append(weight, [0.0, 0.0, 0.0]))
        assert is_raised
        np.testing.assert_array_equal(light[:n], raise_light(X[:n], y[:n], weight)[0])


def test_a_chunk_of_missing_cells_says_nothing_of_a_columns_kind() -> None:
    """Seed 600047: a polars column of nulls was a category without levels, and the numbers after it were all unseen."""
    pl = pytest.importorskip("polars")
    x, y = [None, 0.3, -1.2, 0.8, None, 2.0], [0.4, 1.8, 0.0, 0.6, 0.9, 1.0]
    answers = []
    for cut in (1, 3):
        model = softwood.BuddingTreeRegressor(batch_size=1, max_nodes=3)
        for rows in (slice(cut), slice(cut, 6)):
            model.partial_fit(pl.DataFrame({"x": x[rows]}, strict=False), y[rows])
        answers.append(model.predict(pl.DataFrame({"x": x})).tolist())
    assert answers[0] == answers[1]


def test_of_errors_that_differ_by_rounding_the_smaller_tree_is_kept() -> None:
    """Costs make every leaf predict one class: all sizes have the same error, but sums run in another order."""
    costs, kept = [[0.0, 51.3], [1.7, 0.0]], []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        X, y, prior = rng.normal(size=(60, 2)), rng.integers(0, 2, 60), rng.uniform(0.3, 0.7)
        model = softwood.CARTClassifier(
            min_samples_leaf=0.1, one_se=False, costs=costs, priors=[prior, 1.0 - prior], cv=5
        ).fit(X, y)
        if np.ptp(model._pruning_table.tested_error) < 1e-12:
            kept.append(model.tree_.n_nodes)
    assert len(kept) > 20
    assert set(kept) == {1}


@pytest.mark.parametrize("far", [[-2e300], [-2e299, 2e299], [-2e299, 2e299, 5e298]])
def test_a_weight_times_a_far_value_may_pass_the_doubles(far: list[float]) -> None:
    """Seed 901504: the mean of such an input was inf, with a warning from inside."""
    X, y = np.array([far, [2.3] * len(far)]).T, np.arange(len(far), dtype=float)
    heavy = softwood.SoftTreeRegressor(max_leaves=4).fit(X, y, sample_weight=[1e15] * len(far))
    assert np.isfinite(heavy.predict(X)).all()
    assert np.isfinite(heavy.tree_.response).all()


def test_the_smallest_targets_are_pruned_to_the_leaves_asked_for() -> None:
    """Seed 911779: a light far row gave the range, and the squares of all others lost their digits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = 1e-9 * X[:, 0] + 1e-10 * rng.normal(size=80)
    y[0], weight = 1.0, np.append(1e-8, np.ones(79))
    model = softwood.CARTRegressor().fit(X, 2e-130 * y, sample_weight=weight)
    asked = range(1, int(model.pruning_table_.n_leaves.max()) + 1)
    assert all(model.prune_to(n_leaves=n).get_n_leaves() <= n for n in asked)
    with pytest.raises(ValueError, match="so that doubles hold its squares"):
        softwood.CARTRegressor().fit(X, 5e-131 * y, sample_weight=weight)


def test_a_price_of_leafness_that_single_precision_does_not_hold_is_told() -> None:
    """Seed 912294. The step is the whole one again afterwards: the next rows are learned from."""
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    model = softwood.BuddingTreeClassifier(optimizer="adam", leafness_penalty=1e20, max_nodes=3)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"leafness_penalty \(now 1e\+20\), or optimizer='adagrad'"):
            model.partial_fit(X, y, classes=[0, 1])


def test_a_light_row_beside_a_heavy_one_is_saved(tmp_path: Path) -> None:
    """Seed 5222: the weight up to a held-out score did not rise by the light row's, and the file was not loaded."""
    X, y, weight = [[-0.54], [0.63], [0.46], [-0.24]], [0, 1, 0, 0], [0.7, 5.5e14, 0.4, 0.004]
    model = softwood.LinearDiscriminantTreeClassifier().fit(X, y, sample_weight=weight)
    softwood.save(model, tmp_path / "model.softwood")
    assert softwood.load(tmp_path / "model.softwood").tree_ == model.tree_


@pytest.mark.parametrize("seed", [72, 560])
def test_the_branch_that_c45_raises_does_not_depend_on_the_order_of_rows(seed: int) -> None:
    """Seed 921209: of two branches with as many cases, parts of cases included, rounding chose the one to raise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(48, 5)).astype(float)
    X[:, 0], X[:, 1] = rng.permutation(np.repeat(np.arange(4.0), 12)), rng.permutation(np.repeat([0.0, 1.0], 24))
    X[rng.random(X.shape) < 0.2] = np.nan
    y, order = rng.integers(0, 3, 48), rng.permutation(48)
    model = softwood.C45Classifier(min_cases=2, categorical_features=[0, 1], confidence=0.5)
    one, other = (clone(model).fit(X[rows], y[rows]).predict_proba(X) for rows in (np.arange(48), order))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_branch_that_is_better_by_rounding_alone_is_cut() -> None:
    """Seed 940714: the middle one of three even steps is their mean, but for the last digit."""
    X, leaves = np.arange(6.0)[:, None], []
    for first in range(50):
        step = 3e60 * np.arange(first, first + 3) / 106
        y = np.append(step, 1e62 + step)
        model = softwood.CARTRegressor(prune="reduced_error").fit(X, y, X_val=X[[1, 4]], y_val=y[[1, 4]])
        leaves.append(model.get_n_leaves())
    assert set(leaves) == {2}


def test_far_targets_are_softened_without_a_warning() -> None:
    """Seeds 970305, 971395: the squares of losses passed the doubles, where CART counts in a unit of its own."""
    x = np.linspace(0, 6, 120)[:, None]
    y = np.sin(x[:, 0]).round(2)
    near, far = (
        softwood.SoftenedTreeRegressor(n_successes=2, random_state=0).fit(x, y * 2.0**k).predict(x) / 2.0**k
        for k in (0, 490)
    )
    np.testing.assert_array_equal(near, far)


def test_copies_weighted_by_class_are_the_row_twice_where_a_tree_is_refined() -> None:
    """Seed 145: class weights of copies were summed one by one, and the refinement made much of the last digit."""
    rng = np.random.default_rng(0)
    X, count = rng.integers(0, 12, size=(80, 1)).astype(float), rng.integers(1, 4, 80)
    y = (rng.random(80) < 1 / (1 + np.exp(X[:, 0] - 6))).astype(int)
    model = softwood.OmnivariateTreeClassifier(max_depth=3, soft=True, class_weight="balanced")
    one = clone(model).fit(X, y, sample_weight=count).predict_proba(X)
    other = clone(model).fit(np.repeat(X, count, axis=0), np.repeat(y, count)).predict_proba(X)
    np.testing.assert_array_equal(one, other)


def test_a_parameter_that_fit_would_refuse_does_not_keep_a_loaded_tree_from_being_pruned() -> None:
    """As in a file whose parameters were changed: mutants 91,795 and 99,508."""
    X = np.arange(40.0)[:, None]
    model = softwood.CARTRegressor(cv=2).fit(X, X[:, 0] > 15)
    model.criterion = 2
    assert model.prune_to(n_leaves=1).tree_.n_leaves == 1
