"""Comparison of two models: numbers equal those of scikit-learn and SciPy, and mismatches are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import ttest_rel
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, CARTRegressor, Comparison, SoftTreeClassifier, compare_models
from softwood.stats import population_stability_index


@pytest.fixture(scope="module")
def cancer() -> dict[str, Any]:
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    old = CARTClassifier(max_depth=2, random_state=0).fit(X.iloc[::2, :12], y[::2])
    new = SoftTreeClassifier(max_leaves=1, random_state=0).fit(X.iloc[::2], y[::2])
    test, known = X[1::2].reset_index(drop=True), y[1::2]
    return {"old": old, "new": new, "X": test, "y": known, "found": compare_models(old, new, test, known)}


def errors(found: Comparison) -> pd.DataFrame:
    return found.to_frame("errors").set_index("measure")


def test_errors_are_those_of_scikit_learn(cancer: dict[str, Any]) -> None:
    table, y = errors(cancer["found"]), cancer["y"]
    chance = {
        "old": cancer["old"].predict_proba(cancer["X"].iloc[:, :12]),
        "new": cancer["new"].predict_proba(cancer["X"]),
    }
    for name, given in chance.items():
        assert table[name]["AUC"] == pytest.approx(roc_auc_score(y == "malignant", given[:, 1]))
        assert table[name]["log loss"] == pytest.approx(log_loss(y, np.clip(given, 1e-15, 1 - 1e-15)), rel=1e-6)
        assert table[name]["Brier score"] == pytest.approx(brier_score_loss(y == "malignant", given[:, 1]))
    assert table["new"]["error"] == pytest.approx(1 - cancer["new"].score(cancer["X"], y))
    squared = [np.square(each[:, 1] - (y == "malignant")) for each in chance.values()]
    assert table["p"]["Brier score"] == pytest.approx(ttest_rel(*squared).pvalue)
    low, high = ttest_rel(*squared[::-1]).confidence_interval()
    assert (table["low"]["Brier score"], table["high"]["Brier score"]) == pytest.approx((low, high))


def test_inputs_that_one_model_takes_are_named_and_the_rest_is_compared(cancer: dict[str, Any]) -> None:
    (told,) = cancer["found"].problems
    assert told.startswith("Only the new model takes perimeter error, area error")
    curves = cancer["found"].to_frame("inputs").set_index("input")
    assert np.isnan(curves["effect, old"]["worst radius"])
    assert curves["effect, new"]["worst radius"] > 0
    with pytest.raises(ValueError, match="X lacks mean texture, which the old model takes; pass a table"):
        compare_models(cancer["old"], cancer["new"], cancer["X"].drop(columns="mean texture"))


def test_classes_and_changed_rows_agree(cancer: dict[str, Any]) -> None:
    found, X = cancer["found"], cancer["X"]
    before, after = cancer["old"].predict(X.iloc[:, :12]), cancer["new"].predict(X)
    table = found.to_frame("classes")
    assert table["rows"].sum() == len(X)
    assert table["rows"][table["old"] != table["new"]].sum() == (before != after).sum()
    rows = found.to_frame("rows")
    assert len(rows) == min(10, (before != after).sum())
    assert (before[rows["row"]] == rows["old"]).all()
    assert (after[rows["row"]] == rows["new"]).all()
    assert rows["change"].is_monotonic_decreasing


def test_a_model_beside_itself_does_not_differ() -> None:
    X, y = load_iris(return_X_y=True)
    model = CARTClassifier(random_state=0).fit(X[::2], y[::2])
    found = compare_models(model, model, X[1::2], y[1::2], group=X[1::2, 0] > 5.8)
    assert found.problems == ()
    assert set(found.to_frame("scores")["stability index"]) == {0.0}
    assert set(found.to_frame("errors")["p"]) == {1.0}
    assert set(found.to_frame("gates")["what"]) == {"same"}
    assert "No row changes class." in str(found)
    assert "The trees are equal, number by number." in str(found)


def test_groups_are_those_of_the_column(cancer: dict[str, Any]) -> None:
    X, old, new = cancer["X"], cancer["old"], cancer["new"]
    large = np.where(X["mean area"] > 600, "large", "small")
    found = compare_models(old, new, X, cancer["y"], group=large, names=("A", "B"))
    scores = found.to_frame("scores").set_index("group")
    some = X[large == "large"]
    chance = old.predict_proba(some.iloc[:, :12])[:, 1], new.predict_proba(some)[:, 1]
    assert scores["stability index"]["large"] == pytest.approx(population_stability_index(*chance))
    assert scores["mean, B"]["large"] == pytest.approx(chance[1].mean())
    table = found.to_frame("errors").set_index("group")
    assert table["B"]["large"] == pytest.approx(1 - new.score(some, cancer["y"][large == "large"]))
    arrow = compare_models(old, new, pa.Table.from_pandas(X), cancer["y"], group="mean texture")
    frame = compare_models(old, new, X, cancer["y"], group="mean texture")
    assert str(arrow) == str(frame)


def test_numbers_through_a_pipeline_and_a_proof_that_is_lost() -> None:
    data = load_diabetes(as_frame=True)
    X, y = data.data, data.target
    old = CARTRegressor(monotonic_cst={"bmi": 1}, random_state=0).fit(X[::2], y[::2])
    scaler = StandardScaler().set_output(transform="pandas")
    new = make_pipeline(scaler, CARTRegressor(max_leaves=40, prune=None, random_state=0)).fit(X[::2], y[::2])
    found = compare_models(old, new, X[1::2], y[1::2])
    assert found.to_frame("proofs").set_index("input")["old"]["bmi"] == "never decreases"
    assert "No longer proved as before: bmi" in str(found)
    table, gaps = errors(found), [model.predict(X[1::2]) - y[1::2] for model in (old, new)]
    assert table["new"]["absolute error"] == pytest.approx(np.abs(gaps[1]).mean())
    assert table["p"]["squared error"] == pytest.approx(ttest_rel(*np.square(gaps)).pvalue)
    curves = found.to_frame("curves")
    bmi = curves[curves["input"] == "bmi"]
    assert bmi["old"].is_monotonic_increasing  # the values are in the unit of the first model, not scaled


def test_other_classes_and_tasks_are_named() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    old = CARTClassifier(random_state=0).fit(X[y < 2], y[y < 2])
    new = CARTClassifier(random_state=0).fit(X, y)
    found = compare_models(old, new, X, y)
    assert found.problems[0] == "Only the new model has the class 2."
    assert errors(found).index.tolist() == ["error"]
    assert errors(found)["old"]["error"] == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="y has the label 3, which is a class of neither model"):
        compare_models(old, new, X, y + 1)
    number = CARTRegressor().fit(X, y)
    apart = compare_models(new, number)
    assert "only the trees are compared" in apart.problems[-1]
    assert apart.parts == ("trees", "gates", "proofs")
    with pytest.raises(
        ValueError, match="old model is for classification and the new model for regression: their pred"
    ):
        compare_models(new, number, "not even rows")


def test_levels_that_differ_are_named() -> None:
    towns = pd.DataFrame({"town": ["Oslo", "Rome", "Paris"] * 20, "age": np.arange(60.0)})
    y = np.where((towns["town"] == "Rome") & (towns["age"] > 20), "yes", "no")
    few = towns["town"] != "Paris"
    old, new = CARTClassifier().fit(towns[few], y[few]), CARTClassifier().fit(towns, y)
    assert compare_models(old, new, towns, y).problems == ("Only the new model has these levels of town: Paris.",)


def test_what_is_wrong_is_said(cancer: dict[str, Any]) -> None:
    old, new, X, y = (cancer[name] for name in ("old", "new", "X", "y"))
    with pytest.raises(ValueError, match="y without X"):
        compare_models(old, new, y=y)
    with pytest.raises(ValueError, match="group needs rows that both models predict"):
        compare_models(old, new, group="age")
    with pytest.raises(ValueError, match="names must be two different names"):
        compare_models(old, new, names=("A", "A"))
    with pytest.raises(ValueError, match="n_rows must be a whole number of at least 0"):
        compare_models(old, new, X, y, n_rows=-1)
    with pytest.raises(ValueError, match="the old model takes 12 columns and X has 30"):
        compare_models(old, new, X.to_numpy(), y)
    with pytest.raises(ValueError, match="part must be one of 'trees', 'gates'"):
        cancer["found"].to_frame("error")
    with pytest.raises(TypeError, match="compare_models, new, needs a Tree or a fitted softwood estimator"):
        compare_models(old, 3)


def test_page_and_json(cancer: dict[str, Any], tmp_path: Path) -> None:
    names = ("<b>old</b>", "new & bold")
    found = compare_models(cancer["old"], cancer["new"], cancer["X"], cancer["y"], names=names)
    page = found.to_html(tmp_path / "page.html")
    text = page.path.read_text(encoding="utf-8")
    assert "<b>old" not in text
    assert "&lt;b&gt;old" in text
    assert text.count("<svg") == 2
    assert found.to_html(tmp_path / "again.html").html == page.html
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["errors"][0]["measure"] == "error"
    assert "curves" in told
    assert "curves" not in str(found).splitlines()


def test_the_model_that_is_none_is_named(cancer: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="compare_models, new, needs a Tree or a fitted softwood estimator, got int"):
        compare_models(cancer["old"], 3)
    with pytest.raises(FileNotFoundError, match="in a folder that does not exist; name a file in one that does"):
        cancer["found"].to_html(tmp_path / "none" / "c.html")
