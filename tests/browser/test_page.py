"""The page in Chromium: it draws, clicks and slides, and its numbers are Python's."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestRegressor

import softwood
from softwood import C45Classifier, CARTClassifier, CARTRegressor, Schema, SoftTreeClassifier, Tree, from_sklearn
from softwood.formats.colours import CLASSES
from softwood.tree.node_numbers import node_numbers
from softwood.view import told

Open = Callable[..., Any]
SMALL_PNG = 20_000  # bytes: a page without a drawing is smaller


def settle(page: Any) -> None:
    """Wait for two frames: changes after an event are drawn in the next one."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def answers(page: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The exact numbers behind the answer on the page."""
    settle(page)
    pairs = page.eval_on_selector_all(
        "#answer [data-answer]", "all => all.map((e) => [Number(e.dataset.answer), Number(e.dataset.exact)])"
    )
    return np.array([value for _, value in sorted(pairs)])


def slide(page: Any, feature: int, value: float) -> None:
    page.eval_on_selector(
        f"#input-{feature}",
        "(e, value) => { e.value = value; e.dispatchEvent(new Event('input', {bubbles: true})); }",
        value,
    )


@pytest.fixture(scope="module")
def iris() -> Any:
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def soft() -> Any:
    data = load_breast_cancer(as_frame=True)
    model = SoftTreeClassifier(gate="linear", leaf="constant", max_gate_features=2, random_state=0)
    return model.fit(data.data, data.target_names[data.target]), data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def weather() -> Any:
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(
        {
            "outlook": rng.choice(["sunny", "overcast", "rain"], n),
            "humidity": rng.uniform(20, 100, n),
            "windy": rng.random(n) < 0.4,
        }
    )
    plays = (
        (X.outlook == "overcast") | ((X.outlook == "sunny") & (X.humidity < 70)) | ((X.outlook == "rain") & ~X.windy)
    )
    X.loc[rng.random(n) < 0.1, "outlook"] = None
    X.loc[rng.random(n) < 0.1, "humidity"] = np.nan
    return C45Classifier().fit(X, np.where(plays, "play", "stay")), X


def test_rows_and_sliders_of_a_soft_tree_give_the_answers_of_python(soft: Any, open_page: Open, tmp_path: Path) -> None:
    model, X, y = soft
    page = open_page(softwood.view(model, X, y, tmp_path / "soft.html").path)
    for _ in range(3):
        page.click("[aria-label='Next row']")
        settle(page)
        at = int(page.eval_on_selector("#row", "e => e.selectedOptions[0].textContent").removeprefix("row "))
        assert f"Actual: {y[at]}" in page.text_content("#inputs")
        np.testing.assert_allclose(answers(page), model.predict_proba(X.iloc[[at]])[0], rtol=1e-7)
    row = X.iloc[[at]].copy()
    feature = list(X.columns).index("worst radius")
    for value in (10.0, 17.5, 33.0):
        slide(page, feature, value)
        row["worst radius"] = value
        np.testing.assert_allclose(answers(page), model.predict_proba(row)[0], rtol=1e-7)
        assert page.eval_on_selector("#row", "e => e.value") == ""  # no row of the table any more


def test_menus_and_missing_values_give_the_answers_of_python(weather: Any, open_page: Open, tmp_path: Path) -> None:
    model, X = weather
    page = open_page(softwood.view(model, X, path=tmp_path / "c45.html").path)
    page.select_option("#input-0", label="rain")
    page.select_option("#input-2", label="True")
    row = pd.DataFrame({"outlook": ["rain"], "humidity": [60.0], "windy": [True]})
    slide(page, 1, 60.0)
    np.testing.assert_allclose(answers(page), model.predict_proba(row)[0], atol=1e-12)
    page.check("[data-feature='0'] input[type=checkbox]")
    row["outlook"] = pd.Series([None], dtype=X.outlook.dtype)
    np.testing.assert_allclose(answers(page), model.predict_proba(row)[0], atol=1e-12)
    page.check("[data-feature='1'] input[type=checkbox]")
    row["humidity"] = np.nan
    np.testing.assert_allclose(answers(page), model.predict_proba(row)[0], atol=1e-12)


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_every_tab_draws_without_a_complaint(soft: Any, theme: str, open_page: Open, tmp_path: Path) -> None:
    model, X, y = soft
    page = open_page(softwood.view(model, X, y, tmp_path / "soft.html").path, color_scheme=theme)
    for tab, drawn in [
        ("tree", "svg.tree .node"),
        ("curves", "#curves svg .line"),
        ("rules", "#rules tbody tr"),
        ("surface", "#surface canvas[data-done]"),
        ("compare", "#compare button"),
    ]:
        page.click(f"#tab-{tab}")
        page.wait_for_selector(drawn)
        assert len(page.screenshot(path=tmp_path / f"{tab}.png")) > SMALL_PNG
    page.click("#compare button")
    page.click("[aria-label='Next row']")
    page.wait_for_selector("#compare table")
    assert " points" in page.text_content("#compare .pair")
    assert "not used by the tree" in page.text_content("#compare .note")


def test_shares_on_the_tree_are_the_reach_of_python(soft: Any, open_page: Open, tmp_path: Path) -> None:
    model, X, _ = soft
    page = open_page(softwood.view(model, X, path=tmp_path / "soft.html").path)
    page.click("[aria-label='Next row']")
    answers(page)
    reach = model.tree_.reach(X.iloc[[0]].to_numpy())[0]
    for m in range(1, model.tree_.n_nodes):
        told = page.text_content(f"[data-node='{m}'] .reach")
        if 0.1 <= reach[m] <= 0.9:
            assert told == f"{round(100 * reach[m])} %"


def test_the_sum_of_a_row_can_be_checked_by_hand(open_page: Open, tmp_path: Path) -> None:
    """Printed shares times printed summands, and the parts left out, give the printed sum, which is Python's."""
    X, y = load_diabetes(return_X_y=True)
    tree = from_sklearn(RandomForestRegressor(9, max_leaf_nodes=6, random_state=0).fit(X, y))
    page = open_page(softwood.view(tree, X, path=tmp_path / "sum.html").path)
    page.click("[aria-label='Next row']")
    settle(page)
    text = page.text_content(".sum").replace("\u00a0", " ").replace("−", "-")
    parts, total = text.removeprefix("y: ").split(" = ")
    rest = re.search(r" ([+-]) ([0-9.]+) from ([0-9]+) more parts \(([0-9.]+) %\)$", parts)
    assert rest, text
    factors = re.findall(r"([0-9.]+) % × ([+-][0-9.]+)", parts)
    by_hand = sum(float(share) / 100 * float(adds) for share, adds in factors) + float(rest[1] + rest[2])
    assert abs(by_hand - float(total)) < 1.5
    assert abs(float(total) - tree.predict(X[:1])[0]) <= 0.5
    assert abs(sum(float(share) for share, _ in factors) + float(rest[4]) - 100) < 0.5


def test_a_leaf_is_shaded_in_the_colour_of_its_class(soft: Any, open_page: Open, tmp_path: Path) -> None:
    model, _, _ = soft
    page = open_page(softwood.view(model, path=tmp_path / "soft.html").path)
    numbers = node_numbers(model.tree_)
    found = page.eval_on_selector_all(
        ".node.leaf", "all => all.map((e) => [Number(e.dataset.node), getComputedStyle(e).getPropertyValue('--shade')])"
    )
    assert len(found) == model.tree_.n_leaves
    assert {m: shade.strip() for m, shade in found} == {m: CLASSES[numbers.place(m)] for m, _ in found}


def test_keys_walk_through_the_tree_and_close_branches(iris: Any, open_page: Open, tmp_path: Path) -> None:
    X, y = iris
    model = CARTClassifier(random_state=0).fit(X, y)
    page = open_page(softwood.view(model, path=tmp_path / "iris.html").path)
    page.focus("[data-node='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert page.evaluate("document.activeElement.dataset.node") == "2"
    assert page.text_content("#details h2").startswith("Branch 2")
    page.keyboard.press("Enter")
    settle(page)
    assert page.get_attribute("[data-node='2']", "aria-expanded") == "false"
    assert page.locator("[data-node]").count() == 3
    below = model.tree_.n_nodes - 3
    assert f"{below} nodes below" in page.get_attribute("[data-node='2']", "aria-label")
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("[data-node]").count() == model.tree_.n_nodes


def test_search_finds_nodes_and_rules(iris: Any, open_page: Open, tmp_path: Path) -> None:
    X, y = iris
    page = open_page(softwood.view(CARTClassifier(random_state=0).fit(X, y), path=tmp_path / "iris.html").path)
    page.fill("#search", "setosa")
    settle(page)
    assert page.locator(".node.found").count() == 1
    page.press("#search", "Enter")
    settle(page)
    assert page.text_content("#details h2").startswith("Leaf 1")


HOSTILE = [
    "<script>document.body.dataset.broken = 1</script>",
    "</script><img src=x onerror='document.body.dataset.broken=1'>",
    "\"quotes\" and 'more' & <b>bold</b>",
    "🌲 {{data}} \u2028 \ud800 \\u003c",
    "long " * 100,
]


def test_hostile_names_are_shown_as_text(open_page: Open, tmp_path: Path) -> None:
    n = len(HOSTILE)
    levels = ("<!--<script>", "]]>", "plain")
    schema = Schema(
        (*HOSTILE, "level"), (*[None] * n, levels), ("</script>", "<i>yes</i>"), "classification",
    )  # fmt: skip
    tree = Tree(
        response=np.eye(2)[[0] * (2 * n + 1)] * 0.5 + 0.25, schema=schema,
        first_child=[2 * m + 1 for m in range(n)] + [-1] * (n + 1), n_children=[2] * n + [0] * (n + 1),
        score=[1] * n + [0] * (n + 1), feature=[*range(n), *[-1] * (n + 1)],
        threshold=[0.5] * n + [np.nan] * (n + 1),
    )  # fmt: skip
    page = open_page(softwood.view(tree, _rows(n), path=tmp_path / "hostile.html").path)
    for tab in ("curves", "rules", "surface", "compare", "tree"):
        page.click(f"#tab-{tab}")
    settle(page)
    assert page.evaluate("document.body.dataset.broken") is None
    assert page.locator("img, b:has-text('bold')").count() == 0
    names = page.eval_on_selector_all(".field > label", "all => all.map((e) => e.textContent)")
    assert set(HOSTILE[:3]) < set(names)
    assert page.text_content("#answer .chance .name") == "</script>"


def _rows(n: int) -> list[list[Any]]:
    return [[0.0] * n + ["]]>"], [1.0] * n + ["plain"]]


@pytest.mark.long
def test_a_large_forest_shows_its_upper_nodes(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "MOST_TOLD", 60)
    X = np.random.default_rng(0).normal(size=(120, 3))
    forest = from_sklearn(RandomForestRegressor(40, max_leaf_nodes=6, random_state=0).fit(X, X[:, 0] * X[:, 1]))
    known = told.told_nodes(forest)
    sealed = next(node for node in known if forest.n_children[node] and forest.first_child[node] not in known)
    page = open_page(softwood.view(forest, X, path=tmp_path / "forest.html").path)
    assert page.locator("[data-node]").count() == 41  # the trees side by side
    page.click("#open-all")
    settle(page)
    assert page.locator("[data-node]").count() == len(known)
    assert "nodes below, not on this page" in page.get_attribute(f"[data-node='{sealed}']", "aria-label")
    page.dispatch_event(f"[data-node='{sealed}'] .card", "dblclick")
    page.dispatch_event(f"[data-node='{sealed}'] .card", "click")
    settle(page)
    assert page.locator("[data-node]").count() == len(known)
    page.fill("#search", "x0")
    settle(page)
    page.click("#tab-rules")
    settle(page)
    assert "rules are not on this page" in page.text_content("#rules")
    row = np.array([[float(page.eval_on_selector(f"#input-{f}", "e => e.value")) for f in range(3)]])
    np.testing.assert_allclose(answers(page), forest.predict(row).ravel(), atol=1e-9)


@pytest.mark.long
def test_a_thousand_nodes_stay_fluent(open_page: Open, tmp_path: Path) -> None:
    """A move of a slider takes little longer than on a page with few nodes: only changes are redrawn.

    The fastest moves are compared, on the same machine at the same time, because it may be busy.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    seconds: dict[int, float] = {}
    for leaves in (8, 500):
        model = CARTRegressor(max_leaves=leaves, prune=None).fit(X, y)
        page = open_page(softwood.view(model, X, y, tmp_path / f"{leaves}.html").path)
        page.click("#open-all")
        settle(page)
        assert page.locator("[data-node]").count() == model.tree_.n_nodes
        seconds[model.tree_.n_nodes], told = fastest_move(page)
        row = np.array([[float(page.eval_on_selector(f"#input-{f}", "e => e.value")) for f in range(6)]])
        np.testing.assert_allclose(told, model.predict(row), atol=1e-9)
    few, many = sorted(seconds)
    assert many > 900
    assert seconds[many] < 10 * seconds[few]  # for 60 times as many nodes; measured 1 to 2


def fastest_move(page: Any) -> tuple[float, Any]:
    """Seconds of the fastest of 20 moves of the first slider, and the answer after the last."""
    seconds, told = [], None
    for value in np.linspace(-2, 2, 20):
        start = time.perf_counter()
        slide(page, 0, float(value))
        told = answers(page)
        seconds.append(time.perf_counter() - start)
    return min(seconds), told
