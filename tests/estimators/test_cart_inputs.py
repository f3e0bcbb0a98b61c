"""CART on unusual tables: missing values, categories, constants, single rows, frames of any library."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_linnerud
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, CARTRegressor, to_text

MODES = ["surrogate", "direction", "fraction", "mean", "category"]
every_mode = pytest.mark.parametrize("missing", MODES)
both = pytest.mark.parametrize("model", [CARTClassifier, CARTRegressor])


def draw(seed: int, n: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] = X[:, 0] + rng.normal(size=n) / 4
    return X, (X[:, 0] + X[:, 1] / 2 > 0).astype(int)


# -- missing values --------------------------------------------------------------------------------------------------


@pytest.mark.fewer(8)
@both
@every_mode
@pytest.mark.parametrize("max_bins", [None, 16])
def test_missing_values_at_fit_and_at_predict(model: Any, missing: str, max_bins: int | None) -> None:
    X, y = draw(0)
    holed = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    for train in (X, holed):
        fitted = model(missing=missing, max_bins=max_bins).fit(train, y)
        assert fitted.get_n_leaves() > 1
        assert np.isfinite(fitted.predict(holed)).all()
        assert fitted.score(X, y) > (0.8 if model is CARTClassifier else 0.4)
        assert np.isfinite(fitted.predict(np.full((2, 3), np.nan))).all()


@both
@every_mode
def test_a_column_of_gaps_changes_nothing(model: Any, missing: str) -> None:
    X, y = draw(2)
    empty = np.column_stack([X, np.full(len(X), np.nan)])
    plain, gappy = model(missing=missing).fit(X, y), model(missing=missing).fit(empty, y)
    np.testing.assert_array_equal(plain.tree_.threshold, gappy.tree_.threshold)
    np.testing.assert_array_equal(plain.predict(X), gappy.predict(empty))


@both
@every_mode
def test_a_constant_column_changes_nothing(model: Any, missing: str) -> None:
    X, y = draw(3)
    more = np.column_stack([X, np.full(len(X), 7.0)])
    assert model(missing=missing).fit(more, y).get_n_leaves() == model(missing=missing).fit(X, y).get_n_leaves()


def test_surrogates_stand_in_for_a_missing_value() -> None:
    X, y = draw(4, 600)
    gone = X.copy()
    gone[:, 0] = np.nan  # x2 imitates it
    scores = {m: CARTClassifier(missing=m).fit(X, y).score(gone, y) for m in ("surrogate", "fraction")}
    assert scores["surrogate"] > scores["fraction"]


def test_missing_is_information_where_it_is() -> None:
    X, y = draw(5)
    X[y == 1, 1] = np.nan
    for missing in ("direction", "category"):
        model = CARTClassifier(missing=missing).fit(X, y)
        assert model.get_n_leaves() == 2
        assert model.score(X, y) == 1.0


@every_mode
def test_a_category_unseen_at_fit_is_a_missing_value(missing: str) -> None:
    rng = np.random.default_rng(6)
    train = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 200), "size": rng.normal(size=200)})
    y = (train["colour"] == "red") | (train["size"] > 1)
    model = CARTClassifier(missing=missing).fit(train, y)
    new = pd.DataFrame({"colour": ["pink", None], "size": [0.0, 0.0]})
    assert len(np.unique(model.predict_proba(new), axis=0)) == 1


@both
@pytest.mark.parametrize("n_classes", [2, 4])
def test_hundreds_of_levels(model: Any, n_classes: int) -> None:
    rng = np.random.default_rng(7)
    level = rng.integers(0, 300, 3000)
    y = (level % n_classes) if model is CARTClassifier else (level % n_classes) * 1.0
    fitted = model(prune=None).fit(pd.DataFrame({"shop": pd.Categorical(level)}), y)
    assert fitted.score(pd.DataFrame({"shop": pd.Categorical(level)}), y) == 1.0
    assert len(to_text(fitted).splitlines()) > 3


# -- small and constant ----------------------------------------------------------------------------------------------


@both
@every_mode
def test_one_row_and_two_rows(model: Any, missing: str) -> None:
    assert model(missing=missing).fit([[1.0]], [3]).predict([[5.0], [np.nan]]).tolist() == [3, 3]
    two = model(missing=missing, prune=None).fit([[1.0], [2.0]], [0, 1])
    assert two.predict([[1.0], [2.0]]).tolist() == [0, 1]
    assert model(missing=missing).fit([[1.0], [2.0]], [0, 1]).get_n_leaves() in (1, 2)


@both
def test_a_constant_answer_is_one_leaf(model: Any) -> None:
    X, _ = draw(8)
    fitted = model().fit(X, np.full(len(X), 2))
    assert fitted.get_n_leaves() == 1
    assert set(fitted.predict(X)) == {2}
    assert fitted.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    assert "Root error: 0" in str(fitted.pruning_table_)


def test_one_class_has_probability_one() -> None:
    assert CARTClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict_proba([[9.0]]).tolist() == [[1.0]]


@both
def test_the_scale_of_the_answer_does_not_matter(model: Any) -> None:
    X, y = draw(9)
    if model is CARTClassifier:
        y = y + 1
        assert CARTClassifier().fit(X, y).classes_.tolist() == [1, 2]
        return
    X, y = load_diabetes(return_X_y=True)
    rules = {"max_leaves": 20, "prune": None}  # folds are dealt by content, which changes with the scale
    plain = CARTRegressor(**rules).fit(X, y)
    for factor, offset in ((1e4, 0.0), (1e-6, 0.0), (1.0, 1e6)):
        scaled = CARTRegressor(**rules).fit(X, y * factor + offset)
        np.testing.assert_array_equal(plain.tree_.threshold, scaled.tree_.threshold)
        np.testing.assert_allclose(scaled.predict(X), plain.predict(X) * factor + offset, rtol=1e-9)


@both
def test_arrays_that_cannot_be_written_and_any_memory_order(model: Any) -> None:
    X, y = draw(10)
    tree = model().fit(X, y).tree_
    for other in (np.asfortranarray(X), X[::-1][::-1], np.repeat(X, 2, axis=1)[:, ::2], X.copy()):
        other.setflags(write=False)
        assert model().fit(other, y).tree_ == tree


# -- frames ------------------------------------------------------------------------------------------------------------


@both
def test_every_frame_gives_the_same_tree(model: Any) -> None:
    X, y = draw(11)
    X[::9, 1] = np.nan
    columns = {f"f{i}": X[:, i] for i in range(3)}
    pandas = pd.DataFrame(columns)
    frames = [pandas, pl.from_pandas(pandas), pa.Table.from_pandas(pandas)]
    array = model().fit(X, y)
    for frame in frames:
        fitted = model().fit(frame, y)
        np.testing.assert_array_equal(fitted.tree_.threshold, array.tree_.threshold)
        np.testing.assert_array_equal(fitted.predict(frame), array.predict(X))
        assert fitted.feature_names_in_.tolist() == ["f0", "f1", "f2"]
        assert fitted.tree_.schema.features == ("f0", "f1", "f2")
        assert "f0" in to_text(fitted)


@both
def test_categories_of_any_frame_give_the_same_tree(model: Any) -> None:
    rng = np.random.default_rng(12)
    colour, size = rng.choice(["red", "green", "blue"], 300), rng.normal(size=300)
    y = ((colour == "red") ^ (size > 0)).astype(int)
    pandas = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    trees = [model().fit(frame, y).tree_ for frame in (pandas, pl.from_pandas(pandas), pa.Table.from_pandas(pandas))]
    objects = np.column_stack([colour.astype(object), size.astype(object)])
    trees.append(model(categorical_features=[0]).fit(objects, y).tree_)
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.group, trees[0].group)
        np.testing.assert_array_equal(tree.threshold, trees[0].threshold)


# -- scikit-learn's world --------------------------------------------------------------------------------------------


@both
def test_pickle_and_clone(model: Any) -> None:
    X, y = draw(13)
    fitted = model(max_depth=3).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.tree_ == fitted.tree_
    assert str(again.pruning_table_) == str(fitted.pruning_table_)
    np.testing.assert_array_equal(again.prune_to(n_leaves=2).predict(X), fitted.prune_to(n_leaves=2).predict(X))
    assert clone(fitted).fit(X, y).tree_ == fitted.tree_


@both
def test_set_params_is_obeyed(model: Any) -> None:
    X, y = draw(14)
    fitted = model(prune=None).fit(X, y)
    assert fitted.set_params(max_depth=1).fit(X, y).get_depth() == 1
    assert fitted.set_params(max_depth=None, max_leaves=3).fit(X, y).get_n_leaves() == 3


def test_pipeline_and_grid_search() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), CARTClassifier()), {"cartclassifier__max_depth": [1, 3]}, cv=3
    )
    assert search.fit(X, y).best_params_ == {"cartclassifier__max_depth": 3}
    assert cross_val_score(CARTClassifier(), X, y).mean() > 0.9


@both
def test_weights_are_routed(model: Any) -> None:
    X, y = draw(15)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        inner = model(max_depth=3).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        piped = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), inner)
        piped.fit(X, y, sample_weight=weight)
        direct = model(max_depth=3).fit(StandardScaler().fit_transform(X), y, weight)
        assert piped[-1].tree_ == direct.tree_
        search = GridSearchCV(inner, {"max_depth": [1, 2]}, cv=3).fit(X, y, sample_weight=weight)
        assert search.best_estimator_.tree_ == model(**search.best_params_).fit(X, y, weight).tree_


def test_several_targets_keep_their_shape() -> None:
    X, Y = load_linnerud(return_X_y=True)
    assert CARTRegressor().fit(X, Y).predict(X).shape == Y.shape
    assert CARTRegressor().fit(X, Y[:, 0]).predict(X).shape == (20,)
    assert CARTRegressor(criterion="absolute_error", prune=None).fit(X, Y).score(X, Y) > 0.5


@both
def test_given_folds_are_used(model: Any) -> None:
    X, y = draw(16)
    halves = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.arange(100))]
    by_rows, by_mask = model(cv=halves), model(cv=[(np.arange(200) < 100, np.arange(200) >= 100)] * 2)
    assert len(by_rows.fit(X, y).pruning_table_) == len(by_mask.fit(X, y).pruning_table_)
    assert not np.array_equal(by_rows.pruning_table_.tested_error, by_mask.pruning_table_.tested_error)
