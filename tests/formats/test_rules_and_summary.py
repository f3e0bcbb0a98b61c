"""Every tree as rules, pipelines, and a model on one screen."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from softwood import (
    BuddingTreeRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    OmnivariateTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
    soften,
    summary,
    to_text,
)
from softwood.tree.spelling import display_width

CANCER, DIABETES = load_breast_cancer(as_frame=True), load_diabetes(as_frame=True)


def holds(rule: str, row: pd.Series) -> bool:
    """A rule of thresholds, read back."""
    for condition in rule.split(" and "):
        if found := re.fullmatch(r"(\S+) < (.+) ≤ (\S+)", condition):
            if not float(found[1]) < row[found[2]] <= float(found[3]):
                return False
        else:
            name, sign, number = re.fullmatch(r"(.+) (≤|>) (\S+)", condition).groups()  # type: ignore[union-attr]
            if (row[name] <= float(number)) != (sign == "≤"):
                return False
    return True


def test_rules_of_a_hard_tree_read_back_are_the_tree() -> None:
    model = CARTClassifier(prune=None, max_depth=4).fit(CANCER.data, CANCER.target)
    text = to_text(model, form="rules", width=None, digits=None)
    rules = re.findall(r"^ +\d+  (.+?)  +([01])  ", text, re.MULTILINE)
    assert len(rules) == model.get_n_leaves()
    for at in range(0, 569, 23):
        row = CANCER.data.iloc[at]
        met = [answer for rule, answer in rules if holds(rule, row)]
        assert met == [str(model.predict(CANCER.data.iloc[[at]])[0])]


@pytest.mark.parametrize(
    "model",
    [
        SoftTreeClassifier(gate="linear", leaf="constant"),
        SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=2),
        OmnivariateTreeClassifier(),
    ],
    ids=["soft", "linear leaves", "omnivariate"],
)
def test_every_tree_has_rules_with_shares_and_gates(model: Any) -> None:
    model.fit(CANCER.data, CANCER.target)
    text = to_text(model, form="rules")
    assert max(map(display_width, text.splitlines())) <= 100
    shares = [float(part) for part in re.findall(r" (\d+\.\d)%$", text, re.MULTILINE)]
    assert sum(shares) == pytest.approx(100, abs=0.5)
    if not model.tree_.is_hard:
        assert shares == sorted(shares, reverse=True)
    for gate in set(re.findall(r"gate (\d+) (?:yes|no)", text)):
        assert f"\ngate {gate}: " in text


def test_the_most_travelled_paths_come_first_and_the_rest_is_counted() -> None:
    X, y = DIABETES.data, DIABETES.target
    model = soften(CARTRegressor(prune=None, max_leaves=40).fit(X, y), X, y)
    text = to_text(model, form="rules")
    assert re.search(r"… 20 more paths \(\d+\.\d%\)", text)
    assert "more paths" not in to_text(model, form="rules", width=None)


def test_a_pipeline_and_a_search_print_their_tree_with_names() -> None:
    X, y = CANCER.data, CANCER.target
    pipeline = make_pipeline(StandardScaler(), CARTClassifier(max_depth=2)).fit(X, y)
    text = to_text(pipeline)
    assert "worst radius ≤ " in text
    assert text.endswith("Inputs are the output of the steps standardscaler.")
    assert "worst radius" in to_text(pipeline, form="rules")
    search = GridSearchCV(make_pipeline(StandardScaler(), CARTClassifier()), {"cartclassifier__max_depth": [2]}, cv=2)
    assert to_text(search.fit(X, y)) == to_text(search.best_estimator_)
    nameless = make_pipeline(FunctionTransformer(np.asarray), CARTClassifier(max_depth=1)).fit(X, y)
    assert "x20 ≤ " in to_text(nameless)
    with pytest.raises(TypeError, match=r"needs a Tree or a fitted softwood estimator, got StandardScaler"):
        to_text(make_pipeline(StandardScaler()))


@pytest.mark.parametrize(
    ("model", "data", "told"),
    [
        (CARTClassifier(), CANCER, r"error 0\.\d+ ± 0\.\d+, by cross-validation"),
        (SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=2), CANCER, r"log loss 0\.0\d+"),
        (SoftTreeRegressor(gate="linear", max_leaves=2), DIABETES, r"R² 0\.[45]"),
        (BuddingTreeRegressor(gate="linear", max_nodes=3), DIABETES, r""),
        (make_pipeline(StandardScaler(), CARTRegressor()), DIABETES, r"error \d+"),
    ],
    ids=["cart", "soft", "numbers", "budding", "pipeline"],
)
def test_a_summary_is_one_screen_and_says_what_there_is(model: Any, data: Any, told: str) -> None:
    model.fit(data.data, data.target)
    text = summary(model)
    assert len(text.splitlines()) <= 10
    assert max(map(display_width, text.splitlines())) <= 100
    tree = (model[-1] if hasattr(model, "steps") else model).tree_
    assert f"{tree.n_nodes} node" in text
    assert f"learned from {len(data.data)} rows" in text
    assert re.search(told, text)
    importance = (model[-1] if hasattr(model, "steps") else model).feature_importances_
    if importance.any():
        assert f"matters most  {data.data.columns[importance.argmax()]} " in text


def test_what_was_held_out_is_what_the_table_says() -> None:
    model = CARTClassifier().fit(CANCER.data, CANCER.target)
    table = model.pruning_table_
    assert model.held_out_ is not None
    assert model.held_out_["value"] == table.tested_error[table.chosen]
    assert CARTClassifier(prune=None).fit(CANCER.data, CANCER.target).held_out_ is None


def test_rules_name_a_boolean_input_as_the_tree_does() -> None:
    X = pd.DataFrame({"windy": np.repeat([True, False], 20), "warm": np.tile([True, False], 20)})
    y = np.where(X.windy & ~X.warm, "in", "out")
    told = to_text(C45Classifier(rules=True).fit(X, y), form="rules")
    assert re.search(r"   1  windy and not warm +in ", told) or re.search(r"   1  not warm and windy +in ", told)
    assert ">" not in told
    assert "≤" not in told


def test_a_budding_tree_without_buds_says_so() -> None:
    said = "No node is a bud: every leafness is 0 or 1, so this is a soft tree."
    X, y = DIABETES.data[["bmi", "bp"]], DIABETES.target
    quick: dict[str, Any] = {"gate": "linear", "leaf": "constant", "weight_penalty": 0.01, "max_nodes": 3}
    plain = BuddingTreeRegressor(**quick, leafness_penalty=0.0, round_buds=True).fit(X, y)
    assert said in to_text(plain)
    assert "no buds: every leafness is 0 or 1" in summary(plain)
    budding = BuddingTreeRegressor(learner="online", max_nodes=3, max_epochs=2).fit(X, y)
    assert np.any(budding.tree_.leafness % 1)
    assert said not in to_text(budding)
    assert "no buds" not in summary(budding)
    soft = SoftTreeRegressor(gate="linear", leaf="constant", weight_penalty=0.01, max_leaves=2).fit(X, y)
    assert said not in to_text(soft)


def test_a_target_called_target_is_named_once() -> None:
    X = pd.DataFrame({"x": np.arange(20.0)})
    for name in ("target", "price"):
        tree = CARTRegressor().fit(X, (X["x"] > 7).astype(float).rename(name)).tree_
        assert summary(tree).startswith(
            f"Tree: {'target' if name == 'target' else 'target price'}; learned from 20 rows"
        )
