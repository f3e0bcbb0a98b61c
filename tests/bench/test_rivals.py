"""Comparison of systems: missing ones and failures are reported, the others are measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.speed import rival as one
from bench.speed import rivals, soft_growth
from bench.speed.__main__ import _times
from bench.speed.clock import time_mean
from bench.speed.data import california_like
from bench.speed.report import Report
from bench.speed.rivals import BY_NAME, RIVALS, Rival


def test_a_package_that_is_not_there_is_told() -> None:
    absent = Rival("oak", "numpy no_such_package", lambda task: None, lambda model: 0)
    assert absent.absence() == "no_such_package is not installed"
    assert BY_NAME["softwood, CART"].absence() == BY_NAME["scikit-learn CART"].absence() == ""


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_all_of_ours_make_models_or_say_that_they_do_not_know_the_task(task: str) -> None:
    for rival in RIVALS:
        if rival.name.startswith("softwood"):
            model = rival.make(task)
            assert model is None or hasattr(model, "fit")
    assert BY_NAME["softwood, C4.5"].make("numbers") is None


@pytest.mark.long
def test_figures_of_a_process_are_those_of_the_same_fit_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    told = one.ask("scikit-learn CART", "Friedman 1", 90, limit=60)
    here = one.measure(BY_NAME["scikit-learn CART"], "Friedman 1", 90)
    assert isinstance(told, dict)
    assert set(told) == {"fit", "predict", "memory", "nodes", "error"}
    assert (told["nodes"], told["error"]) == (here["nodes"], here["error"])
    assert told["memory"] > 10


@pytest.mark.long
def test_who_takes_too_long_or_fails_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    assert one.ask("softwood, soft, joint", "California-like", 20_640, limit=1) == "no answer in 1 s"
    said = one.ask("softwood, C4.5", "Friedman 1", 30, limit=60)
    assert said == "failed: softwood, C4.5 does not know numbers"


def test_standardised_rows_give_errors_in_the_targets_own_unit() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(3, 5, size=(50, 2)), rng.normal(10, 4, size=50)
    train = np.arange(30)
    inputs, target, unit = one._scale(X, y, train, "numbers")
    np.testing.assert_allclose([inputs[train].mean(), target[train].mean()], 0, atol=1e-12)
    np.testing.assert_allclose([inputs[train].std(axis=0), [target[train].std()] * 2], 1)
    assert unit * np.mean(target**2) == pytest.approx(np.mean((y - y[train].mean()) ** 2))


def test_short_work_is_run_until_the_clock_has_seen_enough() -> None:
    runs: list[int] = []
    seconds = time_mean(lambda: runs.append(sum(range(20_000))), 0.05)
    assert len(runs) > 1
    assert seconds * len(runs) >= 0.05


def test_nodes_of_linked_trees_are_counted() -> None:
    class Node:
        def __init__(self, left: Node | None = None, right: Node | None = None) -> None:
            self.left, self.right = left, right

    assert rivals._count_nodes(Node(Node(), Node(Node(), Node()))) == 5


def test_california_like_rows_look_like_houses() -> None:
    X, y = california_like(500)
    assert X.shape == (500, 8)
    assert (y > 0).all()
    assert y.max() <= 5.0
    assert (X[:, 3] > X[:, 4]).mean() > 0.99  # rooms, bedrooms


def test_each_dimension_of_a_soft_fit_is_varied() -> None:
    sizes = soft_growth.sizes(16_000)
    for name in ("rows", "columns", "classes", "leaves"):
        assert len({getattr(size, name) for size in sizes}) >= 4
    cost = soft_growth.measure(soft_growth.Size(rows=200, columns=10, leaves=2), 1)
    assert cost.nodes <= 3
    assert min(cost.soft, cost.cart) >= 0


def test_a_part_of_the_run_leaves_the_other_sections_as_they_are(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    first = Report(page)
    first.add("Fit", ["case", "s"], [["a", "1"]])
    first.add("Predict", ["case", "s"], [["b", "2"]], note="A note.")
    again = Report(page)
    again.add("Fit", ["case", "s"], [["a", "9"]])
    text = page.read_text()
    assert text.count("## Fit") == text.count("## Predict") == 1
    assert "| a | 9 |" in text
    assert "| a | 1 |" not in text
    assert "| case | s |\n|---|---|\n| b | 2 |\n\nA note.\n" in text
    assert text.count("## How it was measured") == 1
    assert text.index("## Fit") < text.index("## Predict")


def test_a_fit_is_told_in_times_of_our_soft_trees() -> None:
    ours, theirs = ({"fit": seconds} for seconds in (2.0, 50.0))
    assert _times(theirs, ours, 60, soft=True) == ["25", "≥ 20"]
    assert _times({"fit": 10.0}, ours, 60, soft=True) == ["5", "≥ 20, falls short"]
    assert _times(ours, ours, 60, soft=False) == ["1", ""]
    assert _times("no answer in 60 s", ours, 60, soft=True) == ["over 30", "≥ 20"]
    assert _times("failed: no numbers", ours, 60, soft=True) == ["", ""]
