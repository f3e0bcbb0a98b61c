"""`explain` for models: inputs, output, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softwood
from softwood import CARTClassifier, CARTRegressor, LinearDiscriminantTreeClassifier, SoftTreeClassifier, explain


@pytest.fixture(scope="module")
def cancer() -> tuple[pd.DataFrame, Any]:
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def weather() -> tuple[pd.DataFrame, list[str]]:
    rng = np.random.default_rng(0)
    outlook = rng.choice(["sunny", "rain", "overcast"], 200)
    windy, heat = rng.random(200) < 0.5, rng.normal(20, 6, 200).round(1)
    play = np.where((outlook == "sunny") & (heat < 22) | (outlook == "overcast") & ~windy, "yes", "no")
    heat[::9] = np.nan
    frame = pd.DataFrame({"outlook": pd.Categorical(outlook), "windy": windy, "heat": heat})
    return frame, play.tolist()


def adds_up(told: softwood.explain.Explanation) -> None:
    np.testing.assert_allclose(told.base + told.contributions.sum(axis=1), told.output, atol=1e-9)


def test_reasons_are_the_contributions_in_order(weather: Any) -> None:
    X, y = weather
    told = explain(CARTClassifier(random_state=0).fit(X, y), X)
    adds_up(told)
    for row in range(0, 200, 17):
        reasons = told.reasons(row, "yes", n=None)
        assert [r.contribution for r in reasons] == sorted((r.contribution for r in reasons), key=lambda c: -abs(c))
        assert sum(r.contribution for r in reasons) == pytest.approx(told.output[row, 1] - told.base[1])
        assert sum(r.share for r in reasons) == pytest.approx(1.0)
        against = told.reasons(row, "yes", side="against")
        assert all(r.contribution < 0 for r in against)
        assert {r.name for r in against} <= {r.name for r in told.reasons(row, "no", side="for")}


def test_cells_are_spelled_as_people_say_them(weather: Any) -> None:
    X, y = weather
    told = explain(CARTClassifier(random_state=0).fit(X, y), X)
    texts = {r.text for row in range(20) for r in told.reasons(row, n=None)}
    assert texts & {"outlook = sunny", "outlook = rain"}
    assert texts & {"windy", "not windy"}
    assert "heat missing" in texts
    assert any(text.startswith("heat = ") for text in texts)


def test_the_classes_of_one_output_get_what_the_other_loses(cancer: Any) -> None:
    X, y = cancer
    told = explain(SoftTreeClassifier(random_state=0).fit(X, y), X)
    adds_up(told)
    (name_a, a, _), (name_b, b, _) = told.of("benign"), told.of("malignant")
    assert (name_a, name_b) == ("log odds of benign", "log odds of malignant")
    np.testing.assert_array_equal(a, -b)
    assert told.outputs == ("log odds of malignant",)


def test_scores_of_classes_count_against_their_mean() -> None:
    iris = load_iris()
    told = explain(SoftTreeClassifier(random_state=0).fit(iris.data, iris.target), iris.data)
    adds_up(told)
    sums = [told.of(answer)[1] for answer in told.tree.schema.answers]
    np.testing.assert_allclose(np.sum(sums, axis=0), 0.0, atol=1e-9)


def test_paths_say_where_a_row_goes(weather: Any) -> None:
    X, y = weather
    model = CARTClassifier(random_state=0).fit(X, y)
    told, leaf = explain(model, X), model.apply(X)
    whole = [row for row in range(200) if X.notna().iloc[row].all()]
    for row in whole[::23]:
        (path,) = told.paths(row)
        assert (path.node, path.share) == (leaf[row], 1.0)
        assert path.answer.split()[0] == model.predict(X.iloc[[row]])[0]


def test_text_of_a_row_tells_answer_reasons_and_path(cancer: Any) -> None:
    X, y = cancer
    text = explain(LinearDiscriminantTreeClassifier(random_state=0).fit(X, y), X[:9], X[:40]).to_text(0, n=3)
    first, *rest = text.splitlines()
    assert first.startswith("malignant 0.")
    assert "against the mean of 40 background rows" in first
    assert rest[3].endswith(" more")
    assert any(line.startswith("gate 0: ") for line in rest)


def test_a_row_alone_is_taken_by_its_number(cancer: Any) -> None:
    X, y = cancer
    told = explain(CARTClassifier(random_state=0).fit(X, y), X)
    assert len(told[3]) == 1
    assert told[3].reasons(0) == told.reasons(3)
    np.testing.assert_array_equal(told[10:20].contributions, told.contributions[10:20])
    with pytest.raises(IndexError, match="row must be below 569"):
        told[569]


def test_a_pipeline_and_a_search_are_explained_in_the_inputs_of_their_tree(cancer: Any) -> None:
    X, y = cancer
    pipe = make_pipeline(StandardScaler(), CARTClassifier(random_state=0)).fit(X, y)
    search = GridSearchCV(pipe, {"cartclassifier__max_depth": [3]}).fit(X, y)
    for model, tree in ((pipe, pipe[-1]), (search, search.best_estimator_[-1])):
        told = explain(model, X)
        np.testing.assert_array_equal(told.output, tree.tree_.output(pipe[0].transform(X)))
        adds_up(told)
        assert told.inputs == tuple(X.columns)


def test_a_tree_is_explained_as_its_estimator_is(weather: Any) -> None:
    X, y = weather
    model = CARTClassifier(random_state=0).fit(X, y)
    wanted = explain(model, X).contributions
    np.testing.assert_array_equal(explain(model.tree_, X).contributions, wanted)  # cells
    np.testing.assert_array_equal(explain(model.tree_, model.encode(X)).contributions, wanted)  # numbers
    np.testing.assert_array_equal(explain(model.tree_, X[["heat", "outlook", "windy"]]).contributions, wanted)


def test_a_large_background_is_drawn_from_by_weight(cancer: Any) -> None:
    X, y = cancer
    model = LinearDiscriminantTreeClassifier(random_state=0).fit(X, y)
    told = explain(model, X[:2], X, n_background=25)
    assert told.n_background == 25
    assert told.n_distinct == len(np.unique(X, axis=0))
    assert f"against 25 of {told.n_distinct} background rows)" in repr(told)
    assert f"against the mean of 25 of {told.n_distinct} background rows" in told.to_text()
    adds_up(told)
    weight = np.zeros(len(X))
    weight[7] = 1.0
    one = explain(model, X[:2], X, background_weight=weight)
    np.testing.assert_array_equal(one.base, model.tree_.output(model.encode(X[7:8]))[0])


def test_a_hard_tree_uses_all_background_rows(cancer: Any) -> None:
    X, y = cancer
    assert explain(CARTClassifier(random_state=0).fit(X, y), X[:2], X, n_background=25).n_background == 569


def test_what_cannot_be_explained_is_said(cancer: Any, weather: Any) -> None:
    X, y = cancer
    model = CARTClassifier(random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="explain needs a Tree or a fitted softwood estimator, got CARTRegressor; call"):
        explain(CARTRegressor(), X)
    with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
        explain(model, X.rename(columns={"mean radius": "radius"}))
    with pytest.raises(ValueError, match="X has 29 features, but CARTClassifier is expecting 30"):
        explain(model, X.to_numpy()[:, 1:])
    with pytest.raises(ValueError, match="one row alone has no background to compare with; pass background="):
        explain(model, X[:1])
    with pytest.raises(ValueError, match=r"X must have shape \(rows, 30\), a column for each input, got \(569, 29\)"):
        explain(model.tree_, X.to_numpy()[:, 1:])
    with pytest.raises(ValueError, match="must be finite or missing"):
        explain(model.tree_, np.full((2, 30), np.inf))
    with pytest.raises(ValueError, match="X has no rows"):
        explain(model.tree_, np.zeros((0, 30)))
    with pytest.raises(NotFittedError):
        CARTClassifier().encode(X)


def test_wrong_options_are_refused_in_words(cancer: Any) -> None:
    X, y = cancer
    model = CARTClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="method must be one of 'auto', 'exact', 'sampling', got 'kernel'"):
        explain(model, X, method="kernel")
    with pytest.raises(ValueError, match="n_pairs must be an integer of at least 2, got 1"):
        explain(model, X, n_pairs=1)
    with pytest.raises(ValueError, match="n_jobs must be None, -1 or a number of threads of at least 1, got 0"):
        explain(model, X, n_jobs=0)
    with pytest.raises(ValueError, match="random_state must be an integer, 0 or more, got None"):
        explain(model, X, random_state=None)  # type: ignore[arg-type]
    for wrong in (np.ones(3), -np.ones(569), np.zeros(569), np.full(569, np.nan)):
        with pytest.raises(ValueError, match="background_weight must be 569 finite numbers, one for each background"):
            explain(model, X, background_weight=wrong)
    told = explain(model, X)
    with pytest.raises(ValueError, match="answer must be a class of the model, one of 'benign', 'malignant', got 'b'"):
        told.reasons(0, "b")
    with pytest.raises(ValueError, match="side must be one of 'both', 'for', 'against', got 'up'"):
        told.reasons(0, side="up")
    with pytest.raises(IndexError, match="row must be below 569, the number of explained rows, got 600"):
        told.reasons(600)
    many = LinearDiscriminantTreeClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"method='exact' would try 2\^30 coalitions: the gates on the path to node"):
        explain(many, X, method="exact")


def test_the_room_can_be_called_and_holds_the_rest() -> None:
    assert softwood.explain.explain is explain.explain
    assert callable(softwood.explain)


def test_columns_of_an_arrow_table_are_found_by_name() -> None:
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    tree = CARTRegressor().fit(X, X.a > 0).tree_
    told = explain(tree, pa.table({"b": X.b, "a": X.a})[:3], background=X)
    assert np.array_equal(told.contributions, explain(tree, X[:3], background=X).contributions)
