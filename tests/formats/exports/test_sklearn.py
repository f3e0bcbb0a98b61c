"""scikit-learn's trees and ours, both ways, and single trees of LightGBM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, export_text

import softwood
from softwood import CARTClassifier, CARTRegressor, from_sklearn, to_sklearn
from tests.formats.exports.cases import learned_cases


def rows_on_the_edge(model: Any, seed: int = 0) -> Any:
    """Rows of doubles on, just below and just above the thresholds, as doubles and as floats."""
    rng, theirs = np.random.default_rng(seed), model.tree_
    X = rng.normal(size=(400, theirs.n_features))
    for feature, threshold in zip(theirs.feature, theirs.threshold, strict=True):
        if feature >= 0:
            single = np.float32(threshold)
            near = [
                threshold,
                np.nextafter(threshold, 9e9),
                float(single),
                float(np.nextafter(single, np.float32(9e9))),
            ]
            near.append((near[2] + near[3]) / 2)  # halfway between two floats
            near += [np.nextafter(near[-1], 9e9), np.nextafter(near[-1], -9e9)]
            X[rng.integers(0, 400, 40), feature] = rng.choice(near, 40)
    return X


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_classes_of_scikit_learn_are_answered_to_the_last_bit(kind: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = np.array(["no", "yes", "who knows"])[(X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)]
    model = kind(random_state=0).fit(X, y, sample_weight=rng.integers(1, 4, 300))
    tree, asked = from_sklearn(model), rows_on_the_edge(model)
    assert np.array_equal(tree.predict(asked), model.predict_proba(asked))
    given = tree.classify(asked)
    assert (given.tolist(), given.dtype) == (model.predict(asked).tolist(), model.classes_.dtype)
    assert tree.n_nodes == model.tree_.node_count
    assert np.allclose(
        tree.gain.sum(), tree.count[0] * tree.impurity[0] - (tree.count * tree.impurity)[tree.n_children == 0].sum()
    )


def test_numbers_of_scikit_learn_are_answered_to_the_last_bit() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=7, random_state=0).fit(X, np.stack([y, -y], axis=1))
    asked = rows_on_the_edge(model)
    assert np.array_equal(from_sklearn(model).predict(asked), model.predict(asked))


def test_missing_values_go_as_in_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    model = DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, np.isnan(X[:, 0]) ^ (X[:, 1] > 0))
    asked = rng.normal(size=(400, 3))
    asked[rng.random(asked.shape) < 0.3] = np.nan
    assert np.array_equal(from_sklearn(model).predict(asked), model.predict_proba(asked))


def test_a_tree_of_scikit_learn_can_be_softened_saved_viewed_and_exported(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    tree = from_sklearn(model)
    assert "petal length (cm) ≤" in softwood.to_text(tree) or "petal width (cm) ≤" in softwood.to_text(tree)
    soft = softwood.soften(tree, X, y)
    assert not soft.is_hard
    for each in (tree, soft):
        softwood.save(each, tmp_path / "tree.softwood")
        assert softwood.load(tmp_path / "tree.softwood") == each
        assert (each.classify(X) == y).mean() > 0.9
        assert "petal" in softwood.view(each, X, y, path=tmp_path / "tree.html").html
        assert "petal" in softwood.report(each, X, y, path=tmp_path / "report.html").html
        assert "petal" in softwood.explain(each, X[:3], background=X).to_text(0)
        for language in ("c", "dot", "java", "javascript", "mermaid", "sql"):
            assert "petal" in softwood.export(each, to=language)
    module: dict[str, Any] = {}
    exec(softwood.export(tree, to="python"), module)
    assert [module["predict"](row) for row in X.to_numpy().tolist()] == model.predict(X).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_there_and_back_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 > 0.5, "b", "a")
    mine = CARTClassifier(missing="direction", prune=None, max_depth=5).fit(X.astype(np.float64), y)
    theirs = to_sklearn(mine)
    asked = rng.normal(size=(500, 4)).astype(np.float32)
    for feature, threshold in zip(mine.tree_.feature, mine.tree_.threshold, strict=True):
        if feature >= 0 and np.isfinite(threshold):
            asked[rng.integers(0, 500, 30), feature] = np.float32(threshold)
    asked[rng.random(asked.shape) < 0.2] = np.nan
    assert np.array_equal(theirs.predict_proba(asked), mine.predict_proba(asked.astype(np.float64)))
    assert theirs.predict(asked).tolist() == mine.predict(asked.astype(np.float64)).tolist()
    assert theirs.get_n_leaves() == mine.get_n_leaves()
    assert theirs.get_depth() == mine.get_depth()
    assert export_text(theirs).count("class:") == mine.get_n_leaves()
    assert np.array_equal(from_sklearn(theirs).predict(asked), theirs.predict_proba(asked))


def test_numbers_go_to_scikit_learn() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    mine = CARTRegressor(random_state=0, prune=None, max_depth=4).fit(X, np.stack([y, y**2], axis=1))
    theirs = to_sklearn(mine, drop_surrogates=True)
    single = X.astype(np.float32).astype(np.float64)
    assert theirs.feature_names_in_.tolist() == X.columns.tolist()
    assert np.array_equal(theirs.predict(single), mine.predict(single))


def test_what_scikit_learn_has_not_is_refused() -> None:
    by_name = {case.name: case.model for case in learned_cases()}
    with pytest.raises(ValueError, match="no categories, no linear or soft gates"):
        to_sklearn(by_name["cart"])
    with pytest.raises(ValueError, match="no categories, no linear or soft gates"):
        to_sklearn(by_name["soft"])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + X[:, 1] > 0
    X[::5, 0] = np.nan
    with pytest.raises(ValueError, match=r"no surrogates: fit with missing='direction'.*drop_surrogates=True"):
        to_sklearn(CARTClassifier(prune=None, max_depth=3).fit(X, y))
    with pytest.raises(ValueError, match="missing values that go to one child"):
        to_sklearn(CARTClassifier(missing="fraction", prune=None, max_depth=3).fit(X, y))
    with pytest.raises(ValueError, match="have no costs; fit without them"):
        to_sklearn(CARTClassifier(missing="direction", costs=[[0, 1], [5, 0]], prune=None, max_depth=3).fit(X, y))
    with pytest.raises(TypeError, match="extra trees of scikit-learn, got CARTClassifier"):
        from_sklearn(CARTClassifier())
    with pytest.raises(ValueError, match="classes of one target, got a model of 2 targets"):
        from_sklearn(DecisionTreeClassifier().fit(np.nan_to_num(X), np.stack([y, ~y], axis=1)))


# -- forests -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["RandomForest", "ExtraTrees"])
@pytest.mark.parametrize("kind", ["Classifier", "Regressor", "Regressor of two targets"])
def test_a_forest_is_the_mean_of_its_trees(family: str, kind: str, tmp_path: Path) -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(0)
    X, asked = (rng.normal(size=(n, 4)).astype(np.float32).astype(float) for n in (200, 300))
    y = X[:, 0] + np.sin(3 * X[:, 1])
    target = {"Classifier": np.digitize(y, [-0.5, 0.5]) + 10, "Regressor": y}.get(kind, np.stack([y, y**2], axis=1))
    model = getattr(ensemble, f"{family}{kind.split()[0]}")(n_estimators=7, random_state=0).fit(X, target)
    tree = from_sklearn(model)
    assert tree.n_children[0] == 7
    wanted = model.predict_proba(asked) if kind == "Classifier" else model.predict(asked).reshape(len(asked), -1)
    np.testing.assert_allclose(tree.predict(asked), wanted, rtol=0, atol=1e-12)
    if kind == "Classifier":
        assert tree.schema.answers == (10, 11, 12)
    softwood.save(tree, tmp_path / "forest.softwood")
    assert softwood.load(tmp_path / "forest.softwood") == tree
    assert tree.provenance is not None
    assert tree.provenance.n_rows == 200


def test_a_forest_that_is_not_fitted_or_of_another_kind_is_refused() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    with pytest.raises(ValueError, match="not fitted"):
        from_sklearn(ensemble.RandomForestRegressor())
    with pytest.raises(TypeError, match="a random forest or extra trees of scikit-learn, got AdaBoostClassifier"):
        from_sklearn(ensemble.AdaBoostClassifier())


# -- LightGBM ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", [0.0, 0.2])
def test_single_trees_of_lightgbm(gone: float) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed: its trees are not read.")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    X[rng.random(X.shape) < gone] = np.nan
    y = np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + rng.normal(0, 0.1, 500)
    model = lightgbm.LGBMRegressor(n_estimators=3, verbose=-1, n_jobs=1).fit(X, y)
    asked = rng.normal(size=(300, 4))
    asked[rng.random(asked.shape) < 0.1] = np.nan
    for at in range(3):
        wanted = model.booster_.predict(asked, raw_score=True, start_iteration=at, num_iteration=1)
        np.testing.assert_array_equal(softwood.formats.from_lightgbm(model, at).predict(asked)[:, 0], wanted)
    with pytest.raises(ValueError, match=r"tree must be 0\.\.2, got 3"):
        softwood.formats.from_lightgbm(model, 3)
    with pytest.raises(TypeError, match="needs a Booster or a fitted LightGBM estimator, got int"):
        softwood.formats.from_lightgbm(3)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Regressor", {}),
        ("Regressor", {"objective": "poisson"}),
        ("Regressor", {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}),
        ("Classifier", {"sigmoid": 2.0, "objective": "binary"}),
        ("Classifier", {}),
        ("Classifier", {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}),
    ],
)
@pytest.mark.parametrize("gone", [0.0, 0.2])
def test_a_model_of_lightgbm_is_the_sum_of_its_trees(kind: str, options: dict[str, object], gone: float) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(300, 4)), rng.normal(size=(200, 4))
    X[rng.random(X.shape) < gone], asked[rng.random(asked.shape) < 0.1] = np.nan, np.nan
    y = np.abs(np.nan_to_num(X[:, 0])) + rng.normal(0, 0.1, 300) ** 2
    cuts = [0.6] if "sigmoid" in options else [0.4, 1.0]
    target = np.array(["a", "b", "c"])[np.digitize(y, cuts)] if kind == "Classifier" else y
    fresh = getattr(lightgbm, f"LGBM{kind}")(n_estimators=6, num_leaves=7, verbose=-1, n_jobs=1, **options)
    model = fresh.fit(X, target)
    tree = softwood.formats.from_lightgbm(model)
    wanted = model.predict_proba(asked) if kind == "Classifier" else model.predict(asked)[:, None]
    np.testing.assert_allclose(tree.predict(asked), wanted, rtol=1e-12, atol=1e-12)
    if kind == "Classifier":
        assert tree.schema.answers == tuple(model.classes_.tolist())
        assert tree.classify(asked).tolist() == model.predict(asked).tolist()


def test_models_of_lightgbm_without_a_link_here_are_refused() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    X = np.random.default_rng(0).normal(size=(200, 2))
    for options, told in (
        ({"objective": "cross_entropy"}, "objective 'cross_entropy' cannot be read whole"),
        ({"objective": "multiclassova", "num_class": 3}, "objective 'multiclassova"),
        ({"objective": "regression", "reg_sqrt": True}, "objective 'regression sqrt'"),
        ({"linear_tree": True}, "linear_tree=True"),
    ):
        table = lightgbm.Dataset(X, X[:, 0] > 0, params={"linear_tree": "linear_tree" in options})
        booster = lightgbm.train({"verbose": -1, "num_threads": 1, **options}, table, 2)
        with pytest.raises(ValueError, match=told):
            softwood.formats.from_lightgbm(booster)


def test_what_a_tree_cannot_say_of_lightgbm_is_refused() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (400, 2)).astype(float)
    y = np.isin(X[:, 0], [1, 4]) * 2.0
    by_category = lightgbm.LGBMRegressor(n_estimators=1, verbose=-1, n_jobs=1).fit(X, y, categorical_feature=[0])
    with pytest.raises(ValueError, match=r"a split on categories .'=='. cannot be read"):
        softwood.formats.from_lightgbm(by_category)
    zeros = lightgbm.LGBMRegressor(n_estimators=1, verbose=-1, n_jobs=1, zero_as_missing=True).fit(X, y)
    with pytest.raises(ValueError, match="zero_as_missing=True"):
        softwood.formats.from_lightgbm(zeros)
