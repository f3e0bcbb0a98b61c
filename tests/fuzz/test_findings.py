"""What `make fuzz` found, each on the smallest table it was cut to."""

from __future__ import annotations

import datetime
import warnings
from typing import Any

import numpy as np
import pytest

import softwood


@pytest.fixture(autouse=True)
def _no_accident() -> Any:
    """A warning that nobody meant is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.mark.parametrize("name", ["CART", "LinearDiscriminantTree", "OmnivariateTree"])
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
