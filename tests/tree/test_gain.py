"""Gains by reach: as in CART for hard gates, and conserved for soft ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import CARTClassifier, CARTRegressor, LinearDiscriminantTreeClassifier, SoftTreeClassifier, Tree
from softwood.kernels.kinds import Score, Squash
from softwood.tree import Basis, Schema
from softwood.tree.effect import weight_effects
from softwood.tree.gain import Arrivals, Sample


def table(rows: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4))
    return X, X[:, 0] + np.sin(3 * X[:, 1]), rng.integers(1, 4, rows).astype(float)


def soft_stump(weight: list[float], bias: float = 0.0, **changes: Any) -> Tree:
    """One sigmoid gate over two inputs."""
    parts: dict[str, Any] = {
        "response": [[0.5], [0.0], [1.0]],
        "schema": Schema.plain(2, 1),
        "first_child": [1, -1, -1],
        "n_children": [2, 0, 0],
        "score": [Score.LINEAR, 0, 0],
        "squash": [Squash.SIGMOID, 0, 0],
        "basis": Basis.identity(2),
        "bias": [bias, 0, 0],
        "weight_begin": [0, 2, 2, 2],
        "weight_column": [0, 1],
        "weight": weight,
        "count": [10.0, 5.0, 5.0],
    }
    return Tree(**{**parts, **changes})


@pytest.mark.parametrize("targets", [1, 2])
def test_of_a_regression_tree_they_are_what_it_grew_by(targets: int) -> None:
    X, y, weight = table()
    Y = np.column_stack([y, 3 * y**2])[:, :targets]
    model = CARTRegressor(prune=None, max_depth=4).fit(X, Y, sample_weight=weight)
    again = Arrivals(model.tree_, Sample(X, Y, weight)).with_gains()
    np.testing.assert_allclose(again.impurity, model.tree_.impurity, rtol=1e-9, atol=1e-12)
    branch = model.tree_.n_children > 0
    np.testing.assert_allclose(again.gain[branch], model.tree_.gain[branch], rtol=1e-9)
    assert not again.gain[~branch].any()
    np.testing.assert_allclose(
        Arrivals(model.tree_, Sample(X, Y, weight)).importances(), model.feature_importances_, rtol=1e-9
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_of_a_classification_tree_they_are_what_it_grew_by(classes: int) -> None:
    X, y, weight = table()
    label = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    model = CARTClassifier(prune=None, max_depth=4).fit(X, label, sample_weight=weight)
    target = (label[:, None] == 1).astype(float) if classes == 2 else np.eye(classes)[label]
    again = Arrivals(model.tree_, Sample(X, target, weight)).with_gains()
    np.testing.assert_allclose(again.impurity, model.tree_.impurity, rtol=1e-9, atol=1e-12)
    branch = model.tree_.n_children > 0
    np.testing.assert_allclose(again.gain[branch], model.tree_.gain[branch], rtol=1e-9)


def test_what_gates_take_away_and_what_leaves_have_left_is_all_there_was() -> None:
    X, y, _ = table()
    model = SoftTreeClassifier(gate="linear", leaf="constant", weight_penalty=1e-3).fit(X, y > 0)
    tree = model.tree_
    assert tree.n_nodes > 3
    leaf = tree.n_children == 0
    total = tree.count[0] * tree.impurity[0]
    assert np.all(tree.gain >= 0)
    assert tree.gain.sum() + tree.count[leaf] @ tree.impurity[leaf] == pytest.approx(total, rel=1e-3)  # counts: float32


def test_a_row_counts_at_a_child_as_far_as_it_arrives() -> None:
    X, y = np.array([[-1.0, 0.0], [0.0, 0.0], [2.0, 0.0]]), np.array([[1.0], [4.0], [7.0]])
    tree = Arrivals(soft_stump([1.0, 0.0], count=[3.0, 1.5, 1.5]), Sample(X, y, np.ones(3))).with_gains()
    left = 0.0
    for part in (1 / (1 + np.exp(-X[:, 0])), 1 / (1 + np.exp(X[:, 0]))):
        mean = part @ y[:, 0] / part.sum()
        left += part @ (y[:, 0] - mean) ** 2
    assert tree.impurity[0] == pytest.approx(6.0)
    assert tree.gain[0] == pytest.approx(18.0 - left)


def test_a_bud_gains_by_what_it_passes_on() -> None:
    X, y, weight = table()
    rows = Sample(X[:, :2], y[:, None], weight)
    whole, bud = (Arrivals(soft_stump([2.0, 0.0], leafness=[part, 1, 1]), rows).with_gains() for part in (0.0, 0.75))
    assert whole.gain[0] > 0
    assert bud.gain[0] == pytest.approx(whole.gain[0] / 4)


def test_a_gate_owes_its_gain_as_its_inputs_vary() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2)) * [1.0, 3.0] + [1e6, 0.0]
    sample = Sample(X, X[:, :1], np.ones(len(X)))
    found = Arrivals(soft_stump([0.03, 0.02], bias=-3e4), sample).importances()
    np.testing.assert_allclose(found, [0.2, 0.8], atol=0.02)  # variances .03^2 and .06^2


def test_linear_responses_have_what_they_save() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    line = Tree(
        response=[[0.0]],
        schema=Schema.plain(2, 1),
        basis=Basis.identity(2),
        slope_row=[0],
        slope=[[[1.0], [-2.0]]],
        count=[1.0],
    )
    assert Arrivals(line, Sample(X, X @ [[1.0], [-2.0]], np.ones(5000))).importances() == pytest.approx(
        [0.2, 0.8], abs=0.02
    )
    worse = Sample(X, X @ [[-1.0], [2.0]], np.ones(5000))  # than the mean: nothing is owed
    assert Arrivals(line, worse).importances().tolist() == [0.0, 0.0]


def test_slopes_that_leaves_share_count_as_their_own() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    sample = Sample(X, X @ [[1.0], [-2.0]] + (X[:, :1] > 0), np.ones(500))
    slope = [[1.0], [-1.5]]
    shared = soft_stump([3.0, 0.3], slope_row=[-1, 0, 0], slope=[slope])
    own = soft_stump([3.0, 0.3], slope_row=[-1, 0, 1], slope=[slope, slope])
    one, two = (Arrivals(tree, sample) for tree in (shared, own))
    np.testing.assert_allclose(one.importances(), two.importances(), rtol=1e-12)
    np.testing.assert_allclose(one.described().mean, two.described().mean, rtol=1e-12)


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1e9, 1e200])
def test_the_size_of_targets_changes_no_importance(size: float) -> None:
    X, y, weight = table()
    tree = soft_stump([1.0, 0.3])
    plain, large = (Arrivals(tree, Sample(X[:, :2], unit * y[:, None], weight)) for unit in (1.0, size))
    np.testing.assert_allclose(large.importances(), plain.importances(), rtol=1e-9)
    assert np.isnan(large.with_gains().gain).all() == (size > 1e150)


def test_effects_of_a_hard_tree_need_no_table_of_rows_and_nodes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=600) > 0).astype(int)
    X[rng.random(X.shape) < 0.03] = np.nan
    tree = LinearDiscriminantTreeClassifier(prune=None).fit(X, y).tree_
    weight = rng.random(600) * (rng.random(600) > 0.2)
    seen = Arrivals(tree, Sample(X, np.zeros((0, 1)), weight))
    effect = seen.with_effects().weight_effect
    assert np.count_nonzero(effect) > 50
    np.testing.assert_array_equal(effect, weight_effects(tree, seen.phi, seen.reach))
