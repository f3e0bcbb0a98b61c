"""Printed text is true: answers are means, terms are sorted by effect, truncated text states the omitted proportion."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from softwood import (
    CARTClassifier,
    LinearDiscriminantTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
    soften,
    to_text,
)
from softwood.tree.spelling import display_width

CANCER = load_breast_cancer(as_frame=True)


def credit(n: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    """Income has the largest effect, in the smallest unit; rates differ by thousandths, with large weights."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {"rate": rng.normal(0.03, 0.002, n), "ratio": rng.normal(0.5, 0.01, n), "income": rng.lognormal(13, 0.6, n)}
    )
    odds = 4 * np.log(X.income / np.exp(13)) - 500 * (X.rate - 0.03) + 50 * (X.ratio - 0.5)
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "good", "bad")


def row_of(text: str, node: int) -> str:
    return next(line for line in text.splitlines() if line.strip().startswith(f"{node} "))


@pytest.mark.parametrize(
    "model",
    [
        SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=2),
        SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=1),
        LinearDiscriminantTreeClassifier(max_depth=1, prune=None, univariate=False),
    ],
    ids=["gate", "leaf", "discriminant"],
)
def test_terms_stand_by_what_they_do_and_not_by_their_unit(model: Any) -> None:
    X, y = credit()
    model.fit(X, y)
    for text in (to_text(model), str(model.tree_)):
        text = text.replace("·(", "·")  # of a centred line, `0.8·(income − 38)`
        places = [text.index(f"·{name}") for name in ("income", "rate", "ratio") if f"·{name}" in text]
        assert places[0] == min(places)


@pytest.mark.parametrize("leaf", ["constant", "linear"])
def test_all_rows_print_their_base_rate(leaf: str) -> None:
    y = CANCER.target_names[CANCER.target]
    model = SoftTreeClassifier(gate="linear", leaf=leaf, max_leaves=2).fit(CANCER.data, y)
    row = row_of(to_text(model), 0)
    assert " benign " in row
    benign, malignant = map(float, re.findall(r"\d\.\d{3}", row))
    assert [benign, malignant] == pytest.approx([0.627, 0.373], abs=0.02)


def test_numbers_of_inner_nodes_are_means() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(50, 60, size=(500, 2))  # far from zero: intercepts are far from means
    y = 5 + 3 * np.abs(X[:, 0] - 55) + X[:, 1] - 55 + rng.normal(0, 0.1, 500)
    model = SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=3).fit(X, y)
    assert model.tree_.n_nodes > 1
    printed = float(row_of(to_text(model, digits=6), 0).split()[-1])
    assert printed == pytest.approx(y.mean(), rel=0.01)
    assert abs(float(model.tree_.response[0, 0]) - y.mean()) > 5  # what used to be printed


def test_linear_leaves_of_two_classes_name_class_probability_and_log_odds() -> None:
    y = CANCER.target_names[CANCER.target]
    model = SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=1).fit(CANCER.data, y)
    text = to_text(model)
    assert re.search(r"0  all rows +569 +100\.0% +benign +0\.6\d\d +0\.3\d\d  \*", text)
    assert "log odds of malignant = " in text
    assert "→ benign 0.6" in str(model.tree_)
    assert ", log odds " in str(model.tree_)


def test_scores_of_many_classes_are_named() -> None:
    iris = load_iris()
    model = SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=1).fit(
        iris.data, iris.target_names[iris.target]
    )
    text = to_text(model)
    assert [name in text for name in ("score of setosa = ", "score of virginica = ", "Scores are log odds")] == [
        True
    ] * 3


def test_what_is_cut_says_how_much_it_holds_and_no_width_cuts_nothing() -> None:
    model = SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=2).fit(CANCER.data, CANCER.target)
    text = to_text(model)
    assert re.search(r"… \d+ more \((\d+|<1)%\)", text)
    assert max(map(display_width, text.splitlines())) <= 100
    whole = to_text(model, width=None)
    assert "…" not in whole
    assert "s(" not in whole.replace("Columns(", "")
    for name in CANCER.data.columns:
        assert name in whole


def test_the_part_left_out_is_that_of_its_effects() -> None:
    model = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=2).fit(CANCER.data, CANCER.target)
    tree = model.tree_
    for width in (60, 80, 120):
        found = re.search(r"… (\d+) more \((\d+)%\)", to_text(model, width=width))
        assert found
        effect = np.bincount(tree.basis.feature[tree.weight_column], tree.weight_effect, 30)[:30]
        left = np.sort(effect)[: int(found[1])].sum() / effect.sum()
        assert float(found[2]) == pytest.approx(100 * left, abs=1)


@pytest.mark.parametrize("hard", [False, True])
def test_a_sum_is_written_once_above_its_branches(hard: bool) -> None:
    model = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=2).fit(
        load_iris().data, load_iris().target > 0
    )
    model = model.harden() if hard else model
    for text in (to_text(model), str(model.tree_)):
        assert text.count("≥") == 1
        assert "<" not in text
        first, second = ["─ yes", "─ no"] if hard else ["─ yes (soft)", "─ no (soft)"]
        assert text.index("?") < text.index(first) < text.index(second)


def test_a_soft_threshold_says_that_it_is_soft_and_its_width_once() -> None:
    hard = CARTClassifier(max_depth=1, prune=None).fit(CANCER.data, CANCER.target)
    text = to_text(soften(hard, CANCER.data, CANCER.target))
    assert text.count("ramp") == 1
    assert text.count("─ worst radius") == 2
    assert text.count("(soft)") == 1
    assert "towards" not in to_text(hard)


def test_hardened_trees_print_whole_rows() -> None:
    model = SoftTreeClassifier(gate="linear", leaf="constant").fit(CANCER.data, CANCER.target)
    printed = [int(n) for n in re.findall(r"^ +\d+  .*? (\d+) +\d+\.\d%", to_text(model.harden()), re.MULTILINE)]
    hard = model.harden()
    arrived = hard.decision_path(CANCER.data).sum(axis=0).astype(int).tolist()[0]
    assert printed == [arrived[node] for node in hard.tree_.walk()]  # nodes are printed from the top down


def test_a_set_of_categories_wraps_and_names_all() -> None:
    rng = np.random.default_rng(0)
    cities = [f"a city called {chr(65 + i)}" for i in range(20)]
    X = pd.DataFrame({"city": rng.choice(cities, 800)})
    y = X.city.isin(cities[::2]).astype(float) + rng.normal(0, 0.1, 800)
    text = to_text(CARTClassifier(max_depth=1, prune=None).fit(X, y > 0.5))
    assert all(city in text for city in cities)
    assert max(map(display_width, text.splitlines())) <= 100


def test_regressors_with_curves_write_them_out_without_width() -> None:
    model = SoftTreeRegressor(gate="additive", leaf="linear", max_leaves=1).fit(*load_diabetes(return_X_y=True))
    assert "s(" in to_text(model)
    assert "s(" not in to_text(model, width=None)
    assert "max(0, " in to_text(model, width=None)


@pytest.mark.parametrize(
    "model", [CARTClassifier(prune=None, max_depth=2), SoftTreeClassifier(gate="axis", leaf="constant")]
)
def test_booleans_read_as_what_they_say(model: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"windy": rng.random(400) < 0.4, "heat": rng.normal(size=400)})
    model.fit(X, np.where(X.windy, X.heat > 1, X.heat > -1))
    for text in (to_text(model), str(model.tree_), to_text(model, form="rules")):
        assert "not windy" in text
        assert not re.search("windy [≤>≥<]", text)


def test_targets_of_a_frame_keep_their_names() -> None:
    data = load_diabetes(as_frame=True)
    Y = pd.DataFrame({"progress": data.target, "twice": 2 * data.target})
    assert re.search("progress +twice", to_text(SoftTreeRegressor(gate="linear", max_leaves=2).fit(data.data, Y)))
    model = SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=1).fit(data.data, Y.progress)
    assert "progress = " in to_text(model)
