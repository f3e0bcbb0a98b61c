"""soften, SoftenedTreeClassifier and SoftenedTreeRegressor; test_softened_models.py tests their results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import NotFittedError

from softwood import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    SoftenedClassifier,
    SoftenedRegressor,
    SoftenedTreeClassifier,
    SoftenedTreeRegressor,
    Tree,
    soften,
    to_text,
)
from softwood.kernels import native, reference
from softwood.kernels.contracts.growth import Growth
from softwood.kernels.kinds import Criterion, Score, Squash
from softwood.learners.hard.problem import Problem
from softwood.learners.softening.anneal import anneal_tree
from softwood.learners.softening.gates import SofteningRows, with_widths
from softwood.learners.softening.softened import hard_trees, learn_softened
from softwood.tree import Basis, Schema
from tests.estimators.sklearn_checks import parametrize_with_checks

METHODS = ("statistics", "anneal", "gradient")
CANCER, IRIS, DIABETES = (load(return_X_y=True) for load in (load_breast_cancer, load_iris, load_diabetes))


def exponential_error(model: Any, X: Any, y: Any) -> float:
    own = model.predict_proba(X)[np.arange(len(y)), y]
    return float(np.exp(-4 * own).sum())


def without_widths(tree: Tree, like: Tree) -> Tree:
    """The tree with the widths of another, and the statistics that depend on them: counts, means and targets."""
    kept = {name: getattr(like, name) for name in ("squash", "softness", "count", "mean", "arrived")}
    return tree.replace(**kept)


@parametrize_with_checks(
    [
        SoftenedTreeClassifier(n_successes=2, patience=5),
        SoftenedTreeClassifier(n_successes=2, patience=3, n_splits=1, mean_widths=True),
        SoftenedTreeRegressor(n_successes=2, patience=3),
        SoftenedClassifier(),
        SoftenedRegressor(),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", [CARTClassifier(), C45Classifier()], ids=["cart", "c45"])
def test_only_widths_change(method: str, model: Any) -> None:
    X, y = CANCER
    hard = model.fit(X, y)
    before = hard.tree_
    soft = soften(hard, X, y, method=method)
    assert hard.tree_ is before
    assert (soft.tree_.squash[before.n_children > 0] == Squash.RAMP).all()
    assert not soft.tree_.is_hard
    assert without_widths(soft.tree_, before) == before
    if method != "statistics":  # which does not look at the loss
        assert exponential_error(soft, X, y) < exponential_error(hard, X, y)
    assert soft.score(X, y) > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_three_classes_strings_and_frames(method: str) -> None:
    X = pd.DataFrame(IRIS[0], columns=list("abcd"))
    y = np.array(["red", "green", "blue"])[IRIS[1]]
    soft = soften(CARTClassifier().fit(X, y), X, y, method=method)
    np.testing.assert_allclose(soft.predict_proba(X).sum(axis=1), 1.0)
    assert soft.score(X, y) > 0.9
    assert "soft" in str(soft.tree_)
    assert to_text(soft)


@pytest.mark.parametrize("method", ["anneal", "gradient"])
def test_regression_error_falls(method: str) -> None:
    X, y = DIABETES
    hard = CARTRegressor().fit(X, y)
    soft = soften(hard, X, y, method=method)
    assert ((soft.predict(X) - y) ** 2).mean() < ((hard.predict(X) - y) ** 2).mean()


def test_statistics_soften_numbers_too() -> None:
    X, y = DIABETES
    hard = CARTRegressor().fit(X, y)
    assert not soften(hard, X, y).tree_.is_hard


@pytest.mark.parametrize("method", METHODS)
def test_a_tree_gives_a_tree(method: str) -> None:
    X, y = IRIS
    model = CARTClassifier().fit(X, y)
    soft = soften(model.tree_, X, y, method=method)
    assert isinstance(soft, Tree)
    assert soft == soften(model, X, y, method=method).tree_


@pytest.mark.parametrize("method", METHODS)
def test_weight_zero_is_absence(method: str) -> None:
    X, y = CANCER
    model = CARTClassifier().fit(X, y)
    weight = np.random.default_rng(0).integers(0, 2, len(y)).astype(float)
    kept = weight > 0
    one = soften(model, X, y, method=method, sample_weight=weight).tree_
    assert one == soften(model, X[kept], y[kept], method=method).tree_


@pytest.mark.parametrize("kernel", [native, reference], ids=["native", "reference"])
def test_widths_of_zero_are_the_hard_tree_but_at_its_thresholds(kernel: Any) -> None:
    tree, X = CARTClassifier().fit(*CANCER).tree_, CANCER[0]
    zero = kernel.Evaluator(with_widths(tree, np.zeros((tree.n_nodes, 2))))
    np.testing.assert_array_equal(zero.output(X), tree.output(X))  # thresholds lie between training values
    at = X[:1].copy()
    at[0, tree.feature[0]] = tree.threshold[0]
    np.testing.assert_array_equal(zero.reach(at)[0, [1, 2]], [0.5, 0.5])
    for step, side in ((-np.inf, 1), (np.inf, 2)):
        at[0, tree.feature[0]] = np.nextafter(tree.threshold[0], step)
        assert zero.reach(at)[0, side] == 1.0


@pytest.mark.parametrize("model", [CARTClassifier(), CARTRegressor()], ids=["classes", "numbers"])
def test_gradient_moves_thresholds_and_responses_if_asked(model: Any) -> None:
    """The loss is never higher than with widths alone."""
    X, y = CANCER if isinstance(model, CARTClassifier) else DIABETES
    hard = model.fit(X, y).tree_
    leaf, gate = hard.n_children == 0, hard.n_children > 0
    losses = []
    for thresholds, responses in ((False, False), (True, False), (False, True), (True, True)):
        soft = soften(hard, X, y, method="gradient", thresholds=thresholds, responses=responses)
        assert thresholds or (soft.threshold[gate] == hard.threshold[gate]).all()
        assert bool((soft.response[leaf] != hard.response[leaf]).any()) == responses
        np.testing.assert_array_equal(soft.response[gate], hard.response[gate])
        answer = soft.output(X)
        if hard.schema.task == "classification":
            np.testing.assert_allclose(answer.sum(axis=1), 1.0)
            losses.append(np.exp(-4 * answer[np.arange(len(y)), y]).sum())
        else:
            losses.append(((answer[:, 0] - y) ** 2).sum())
    assert losses[1] <= losses[0]
    assert losses[2] < losses[0]
    assert losses[3] < losses[0]


def test_gradient_does_not_depend_on_threads() -> None:
    X, y = CANCER
    hard = CARTClassifier(one_se=False).fit(X, y)
    one, five = (soften(hard, X, y, method="gradient", thresholds=True, n_jobs=n).tree_ for n in (1, 5))
    assert one == five


def test_a_ramp_goes_through_its_three_points() -> None:
    tree = CARTClassifier(max_depth=1, prune=None).fit(*CANCER).tree_
    softness = np.zeros((3, 2))
    softness[0] = 2.0, 4.0
    X = np.tile(CANCER[0].mean(axis=0), (5, 1))
    X[:, tree.feature[0]] = tree.threshold[0] + np.array([-2.0, -1.0, 0.0, 2.0, 4.0])
    share = with_widths(tree, softness).reach(X)[:, 1]
    np.testing.assert_allclose(share, [1.0, 0.75, 0.5, 0.25, 0.0])


def test_statistics_bounds_are_one_standard_error_wide() -> None:
    """No errors at the threshold, one for every row that changes sides: sqrt(0.5 * 100.5 / 101) < 1, so none may."""
    X = np.arange(-50.0, 50.0)[:, None] + 0.5
    y = (X[:, 0] > 0).astype(int)
    tree = soften(CARTClassifier(prune=None).fit(X, y), X, y).tree_
    np.testing.assert_allclose(tree.softness[0], [0.5, 0.5])
    noisy = np.where(np.abs(X[:, 0]) < 10, np.arange(100) % 2, y)  # no side is better near the threshold
    wide = soften(CARTClassifier(max_depth=1, prune=None).fit(X, noisy), X, noisy).tree_
    assert wide.softness[0].sum() > 10


def test_annealing_depends_on_the_seed_and_nothing_else() -> None:
    X, y = CANCER
    model = CARTClassifier(one_se=False).fit(X, y)
    one, again, other = (soften(model, X, y, method="anneal", random_state=s).tree_ for s in (1, 1, 2))
    assert one == again
    assert one != other


def test_jobs_change_nothing() -> None:
    X, y = CANCER
    one, five = (SoftenedTreeClassifier(n_successes=3, patience=5, n_jobs=n).fit(X, y).tree_ for n in (1, 5))
    assert one == five


def test_one_split_grows_on_two_thirds_of_the_rows_and_three_on_all() -> None:
    X, y = CANCER
    rows = [SoftenedTreeClassifier(n_successes=1, patience=3, n_splits=n).fit(X, y).hard_tree_.count[0] for n in (1, 3)]
    assert rows == pytest.approx([569 * 2 / 3, 569], abs=1)


def test_three_classes_are_softened_as_a_whole() -> None:
    X, y = load_wine(return_X_y=True)
    model = SoftenedTreeClassifier(n_successes=2, patience=10).fit(X, y)
    assert exponential_error(model, X, y) < np.exp(-4 * model.hard_tree_.output(X)[np.arange(len(y)), y]).sum()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_the_softened_tree_is_one_of_the_sequence() -> None:
    X, y = CANCER
    model = SoftenedTreeClassifier(n_successes=3, patience=5).fit(X, y)
    soft, hard = model.tree_, model.hard_tree_
    assert hard.is_hard
    assert (soft.squash == Squash.RAMP).any()
    assert without_widths(soft, hard) == hard


def test_categories_and_gaps_keep_their_shares() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": rng.choice(["a", "b", "c"], 300), "size": rng.normal(size=300)})
    y = ((X["size"] + (X.kind == "b") + rng.normal(0, 0.5, 300)) > 0.3).to_numpy()
    X.loc[rng.random(300) < 0.1, "size"] = np.nan
    hard = C45Classifier(confidence=None).fit(X, y)
    assert {Score.CATEGORY, Score.THRESHOLD} <= set(hard.tree_.score)
    for method in METHODS:
        soft = soften(hard, X, y, method=method).tree_
        assert (soft.squash[soft.score == Score.CATEGORY] == Squash.STEP).all()
        rows = hard._read(X)[X["size"].isna().to_numpy()]
        np.testing.assert_allclose(soft.reach(rows), hard.tree_.reach(rows))


def test_an_interrupt_keeps_what_there_is() -> None:
    tree = CARTClassifier(one_se=False).fit(*CANCER).tree_

    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    rows = SofteningRows(CANCER[0], CANCER[1].astype(np.int32), np.ones(len(CANCER[1])))
    with pytest.raises(KeyboardInterrupt):
        anneal_tree(tree, rows, 0, report=stop)
    soft = anneal_tree(tree, rows, 0, keep=True, report=stop)
    assert soft.interrupted
    assert not soft.tree.is_hard
    assert soft.loss_after < soft.loss_before


def test_an_interrupt_keeps_the_best_tree_so_far() -> None:
    def stop(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    X, y = CANCER
    problem = Problem(X, np.zeros(30, np.int32), y.astype(np.int32), np.ones(len(y)), Criterion.GINI, 2)
    schema = Schema.plain(30, 2, "classification")
    with pytest.raises(KeyboardInterrupt):
        learn_softened(problem, schema, Growth(Criterion.GINI), seed=0, patience=5, report=stop)
    found = learn_softened(problem, schema, Growth(Criterion.GINI), seed=0, patience=5, keep=True, report=stop)
    assert found.interrupted
    assert found.n_softened == 2
    assert not found.tree.is_hard


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = IRIS
    soften(CARTClassifier().fit(X, y), X, y, method="anneal", patience=3, progress=True)
    assert "annealing" in capsys.readouterr().out
    SoftenedTreeClassifier(n_successes=1, patience=3, progress=True).fit(X, y)
    assert "softening" in capsys.readouterr().out


def test_a_single_leaf_stays() -> None:
    model = SoftenedTreeClassifier().fit([[0.0], [1.0]], [1, 1])
    assert model.get_n_leaves() == 1
    for method in METHODS:
        assert soften(model, [[0.0], [1.0]], [1, 1], method=method).tree_ == model.tree_


def linear_tree() -> Tree:
    return Tree(
        response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
        score=[Score.LINEAR, 0, 0], basis=Basis.identity(1), weight_begin=[0, 1, 1, 1], weight_column=[0], weight=[1.0],
    )  # fmt: skip


def test_errors_say_what_is_wanted() -> None:
    X, y = IRIS
    model = CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="only univariate trees can be softened; the gate of node 0 is linear"):
        soften(linear_tree(), [[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match=r"only hard trees can be softened.*CARTClassifier"):
        soften(soften(model, X, y), X, y)
    with pytest.raises(ValueError, match="X must be numbers and category codes"):
        soften(model.tree_, [["a", "b", "c", "d"]], y[:1])
    with pytest.raises(NotFittedError):
        SoftenedTreeClassifier().predict(X)
    with pytest.raises(ValueError, match=r"X must have shape \(rows, 4\), one column per input, got \(150, 2\)"):
        soften(model.tree_, X[:, :2], y)
    with pytest.raises(ValueError, match="X has 2 features"):
        soften(model, X[:, :2], y)
    with pytest.raises(NotFittedError):
        soften(CARTClassifier(), X, y)
    with pytest.raises(TypeError, match="a fitted softwood estimator or a Tree, got int"):
        soften(3, X, y)
    with pytest.raises(ValueError, match="method must be one of 'statistics', 'anneal', 'gradient', got 'magic'"):
        soften(model, X, y, method="magic")
    with pytest.raises(ValueError, match="not among the classes"):
        soften(model, X, y + 7)
    with pytest.raises(ValueError, match="thresholds=True needs method='gradient', got method='anneal'"):
        soften(model, X, y, method="anneal", thresholds=True)
    with pytest.raises(ValueError, match="responses must be True or False, got 1"):
        soften(model, X, y, method="gradient", responses=1)
    with pytest.raises(ValueError, match="n_splits must be 1 or 3, got 2"):
        SoftenedTreeClassifier(n_splits=2).fit(X, y)
    with pytest.raises(ValueError, match="y must have 1 targets"):
        soften(CARTRegressor().fit(X, X[:, 0]), X, X[:, :2])


def test_trees_to_soften_get_smaller() -> None:
    X, y = CANCER
    problem = Problem(X, np.zeros(30, np.int32), y.astype(np.int32), np.ones(len(y)), Criterion.GINI, 2)
    trees = hard_trees(problem, Schema.plain(30, 2, "classification"), Growth(Criterion.GINI), 0)
    sizes = [tree.n_leaves for tree in trees]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] > 1


def test_mean_widths_are_the_mean_of_the_softenings() -> None:
    """One softening is its own mean; several move every width, and nothing else, of the same hard tree."""
    X, y = CANCER
    best, one = (
        SoftenedTreeClassifier(n_successes=1, patience=5, mean_widths=m).fit(X, y).tree_ for m in (False, True)
    )
    assert one == best
    models = [SoftenedTreeClassifier(n_successes=8, patience=5, mean_widths=m).fit(X, y) for m in (False, True)]
    assert models[0].hard_tree_ == models[1].hard_tree_
    soft, mean = (model.tree_ for model in models)
    assert soft != mean
    assert without_widths(mean, soft) == soft
