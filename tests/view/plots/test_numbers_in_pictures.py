"""The numbers that pictures show are those of the model."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.inspection import partial_dependence

import softwood
from softwood import (
    BuddingTreeRegressor,
    CARTClassifier,
    CARTRegressor,
    MixtureOfExpertsRegressor,
    SoftTreeClassifier,
    Tree,
)
from softwood.measures import equal_bins, wilson
from softwood.view import plots
from softwood.view.plots.curves import depend
from softwood.view.plots.scene import look_at
from tests.strategies import random_tree
from tests.view.plots import scenes


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("row", [0, 75, 149])
def test_a_waterfall_goes_from_the_mean_to_the_output(row: int) -> None:
    why = softwood.explain(scenes.soft_iris(), scenes.iris_rows()[0])
    answer = why.decided(row)
    place = why.tree.schema.answers.index(answer)
    bars = plots.plot_reasons(why, row).patches
    assert bars[0].get_x() == pytest.approx(why.base[place])
    assert bars[-1].get_x() + bars[-1].get_width() == pytest.approx(why.output[row, place])
    for one, other in pairwise(bars):
        assert one.get_x() + one.get_width() == pytest.approx(other.get_x())


def test_of_many_inputs_the_rest_is_one_bar() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    why = softwood.explain(SoftTreeClassifier(random_state=0).fit(X, y), X[:20])
    ax = plots.plot_reasons(why, 1, n=4)
    assert len(ax.patches) == 5
    assert ax.get_yticklabels()[-1].get_text() == f"{np.count_nonzero(why.contributions[1]) - 4} more inputs"
    total = sum(bar.get_width() for bar in ax.patches)
    assert total == pytest.approx(abs(why.output[1, 0] - why.base[0]))


def test_curves_are_scikit_learns_partial_dependence() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X, y = X[:100], y[:100]
    model = CARTRegressor(max_leaves=6, prune=None).fit(X, y)
    curve = depend(look_at(model, X, wanted_by="test"), 2, 0)
    theirs = partial_dependence(model, X, [2], custom_values={2: curve.values}, method="brute")
    np.testing.assert_allclose(curve.mean(0), theirs["average"][0])


def test_the_band_of_a_sum_of_curves_has_no_width() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = SoftTreeClassifier(random_state=0, max_leaves=1, leaf="linear").fit(X, y)
    assert model.tree_.n_nodes == 1
    low, high = depend(look_at(model, X, wanted_by="test"), 21, 1).band(1)
    np.testing.assert_allclose(low, high, atol=1e-9)


def test_curves_of_the_two_classes_mirror_each_other() -> None:
    tree, X, _ = scenes.hostile()
    scene = look_at(tree, X, wanted_by="test")
    np.testing.assert_allclose(depend(scene, 0, 0).mean(0), -depend(scene, 0, 1).mean(1))


def test_bins_hold_every_row_once_and_equal_answers_together() -> None:
    given = np.random.default_rng(0).integers(0, 7, 200) / 7
    bins = equal_bins(given, 4)
    assert sorted(np.concatenate(bins).tolist()) == list(range(200))
    owners = [{float(value) for value in given[rows]} for rows in bins]
    assert sum(map(len, owners)) == len(set().union(*owners))
    assert len(equal_bins(np.arange(100.0), 5)) == 5
    assert {len(rows) for rows in equal_bins(np.arange(100.0), 5)} == {20}


def test_wilsons_interval_stays_inside() -> None:
    assert wilson(0.0, 10)[0] == 0.0
    assert wilson(1.0, 10)[1] == pytest.approx(1.0)
    assert wilson(1.0, 10)[1] <= 1.0
    low, high = wilson(0.3, 50)
    assert low < 0.3 < high


def test_a_calibrated_model_lies_on_the_diagonal() -> None:
    tree, X, _ = scenes.hostile()
    X = np.repeat(X, 2000, axis=0)
    chance = tree.predict(X)[:, 1]
    y = np.array(tree.schema.answers)[(np.random.default_rng(0).random(len(X)) < chance).astype(int)]
    x, part = plots.plot_calibration(tree, X, y).lines[1].get_data()
    np.testing.assert_allclose(x, part, atol=0.02)


def test_the_row_that_is_followed_shows_its_shares_and_its_answer() -> None:
    X, y = scenes.iris_rows()
    tree = scenes.soft_iris()
    ax = plots.plot_row(tree, X, y, row=75)
    chance = tree.predict(X)[75]
    best = int(chance.argmax())
    assert f"predicted: {tree.schema.answers[best]} {chance[best]:.2f} (actual: {y[75]})" in texts(ax)
    kept = (tree.reach(X.to_numpy()) * tree.leafness)[75]
    shown = {text.split(" × ")[0] for text in texts(ax) if " × " in text}
    assert {f"{100 * part:.1f}%" for part in kept if part > 0.01} <= shown


def test_the_chosen_tree_is_marked_among_the_pruned_ones() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = CARTClassifier(random_state=0).fit(X, y)
    ax = plots.plot_pruning(model)
    x, height = ax.lines[-1].get_data()
    assert x[0] == model.get_n_leaves()
    assert height[0] == model.pruning_table_.tested_error[model.pruning_table_.chosen]


def test_histories_of_every_learner_are_drawn() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    soft = SoftTreeClassifier(random_state=0).fit(X, y)
    ax = plots.plot_history(soft)
    assert len([tick for tick in ax.get_xticks() if ax.get_xlim()[0] <= tick <= ax.get_xlim()[1]]) <= 5
    assert ax.lines[-1].get_xdata()[0] == min(line["loss"] for line in soft.history_)
    online = BuddingTreeRegressor(learner="online", max_epochs=3, random_state=0).fit(X[["petal length (cm)"]], y)
    assert plots.plot_history(online).get_xlabel() == "epoch"
    mixture = MixtureOfExpertsRegressor(random_state=0).fit(X[["petal length (cm)"]], y)
    np.testing.assert_allclose(plots.plot_history(mixture).lines[0].get_ydata(), mixture.log_likelihood_)


def test_importances_are_drawn_largest_first_with_intervals_where_repeated() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = CARTClassifier(random_state=0).fit(X, y)
    widths = [bar.get_width() for bar in plots.plot_importance(model).patches]
    assert widths == sorted(model.feature_importances_[model.feature_importances_ > 0], reverse=True)
    ax = plots.plot_importance(model, values=np.random.default_rng(0).random((4, 9)), n=2)
    assert len(ax.patches) == 2
    assert ax.collections  # the intervals


class TestErrors:
    def test_what_a_model_does_not_have(self) -> None:
        tree: Tree = scenes.hard_iris()
        with pytest.raises(ValueError, match="needs a model with a pruning_table_, got Tree"):
            plots.plot_pruning(tree)
        with pytest.raises(ValueError, match="needs a model with a history_ that is not empty, got Tree"):
            plots.plot_history(tree)
        with pytest.raises(
            ValueError, match="needs feature_importances_, which a Tree does not have: pass X and y, or values"
        ):
            plots.plot_importance(tree)

    def test_values_of_other_inputs(self) -> None:
        with pytest.raises(ValueError, match=r"a row for each of 2 inputs, got shape \(3,\)"):
            plots.plot_importance(scenes.hard_iris(), values=[1, 2, 3])

    def test_reasons_of_a_model(self) -> None:
        with pytest.raises(TypeError, match=r"needs an Explanation, got Tree: pass softwood\.explain\(model, X\)"):
            plots.plot_reasons(scenes.hard_iris())

    def test_a_row_that_is_not_there(self) -> None:
        with pytest.raises(ValueError, match=r"row must be 0\.\.149, a position in X, got 150"):
            plots.plot_row(scenes.hard_iris(), scenes.iris_rows()[0], row=150)
        with pytest.raises(ValueError, match="plot_row needs rows to follow one of them: pass X"):
            plots.plot_row(scenes.hard_iris(), None)

    def test_calibration_without_answers(self) -> None:
        with pytest.raises(ValueError, match="plot_calibration needs actual values to compare with: pass y"):
            plots.plot_calibration(scenes.hard_iris(), scenes.iris_rows()[0], None)

    def test_a_tree_without_inputs_has_no_curves(self) -> None:
        with pytest.raises(ValueError, match="the tree uses no input"):
            plots.plot_curves(random_tree(0, 0, hard=True), np.zeros((3, 6)))
