"""Pictures and films of how a tree grew: every step is there, in order; what has no steps is refused in words."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import animation
from sklearn.datasets import load_iris, make_moons

import softwood as sw
from softwood.tree import Tree

X, Y = make_moons(60, noise=0.3, random_state=0)
CART = sw.CARTClassifier(prune=None, max_leaves=4).fit(X, Y)
SOFT: list[Tree] = []
SOFT_MODEL = sw.SoftTreeClassifier(gate="linear", leaf="constant", random_state=0).fit(X, Y, callback=SOFT.append)


def titles(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.texts]


def test_a_hard_tree_is_drawn_split_by_split() -> None:
    figure = sw.plot_growth(CART, X, Y, n_steps=3)
    assert titles(figure) == ["Step 0 of 3: 1 leaf", "Step 2 of 3: 3 leaves", "Step 3 of 3: 4 leaves"]
    assert len(figure.axes) == 6


def test_without_rows_there_are_trees_alone() -> None:
    assert len(sw.plot_growth(SOFT, n_steps=2).axes) == 2


def test_a_tree_of_many_inputs_has_a_surface_where_inputs_are_named() -> None:
    rows = load_iris(as_frame=True)
    model = sw.CARTClassifier(random_state=0, prune=None).fit(rows.data, rows.target)
    assert len(sw.plot_growth(model, rows.data, rows.target, n_steps=2).axes) == 2
    over = ["petal length (cm)", "petal width (cm)"]
    assert len(sw.plot_growth(model, rows.data, rows.target, n_steps=2, inputs=over).axes) == 4


def test_colours_of_numbers_stand_for_the_same_in_every_step() -> None:
    model = sw.CARTRegressor(prune=None, max_leaves=3).fit(X, X[:, 0])
    figure = sw.plot_growth(model, X, X[:, 0], n_steps=3)
    limits = {ax.images[0].get_clim() for ax in figure.axes if ax.images}
    assert len(limits) == 1


def test_a_stream_is_drawn_by_its_trees() -> None:
    model, trees = sw.BuddingTreeClassifier(random_state=0), []
    for part in np.array_split(np.arange(60), 3):
        trees.append(model.partial_fit(X[part], Y[part], classes=[0, 1]).tree_)
    assert titles(sw.plot_growth(trees, X, Y))[-1].startswith("Step 2 of 2")


def test_a_gif_has_a_frame_for_every_step(tmp_path: Path) -> None:
    from PIL import Image

    model = sw.CARTClassifier(prune=None, max_leaves=3).fit(X, Y)
    path = sw.animate(model, tmp_path / "growth.gif", X, Y, steps_per_second=1)
    with Image.open(path) as film:
        assert film.n_frames == 3
        total = 0
        for at in range(3):
            film.seek(at)
            total += film.info["duration"]
    assert total == 4000  # a second for each step, two for the last
    assert [each.name for each in tmp_path.iterdir()] == ["growth.gif"]


def test_a_film_needs_ffmpeg_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation.FFMpegWriter, "isAvailable", classmethod(lambda cls: False))
    with pytest.raises(RuntimeError, match="needs the program ffmpeg, which is not on the path: install it"):
        sw.animate(CART, tmp_path / "growth.mp4", X, Y)
    assert not list(tmp_path.iterdir())


def test_a_page_has_a_slider_over_the_same_trees(tmp_path: Path) -> None:
    path = sw.animate(SOFT, tmp_path / "growth.html", X, Y)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    shown = [sw.from_json(json.dumps(step["model"])) for step in data["steps"]]
    assert len(shown) == len(SOFT)
    for page, step in zip(shown, SOFT, strict=True):
        assert np.array_equal(page.predict(X), step.predict(X))
    assert data["steps"][-1]["model"] == data["model"]
    assert {step["words"]["title"] for step in data["steps"]} == {"SoftTreeClassifier"}


def test_the_slider_of_a_page_moves_through_the_trees(tmp_path: Path, browser: Any) -> None:
    path = sw.animate(SOFT, tmp_path / "growth.html", X, Y)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]")
    last = len(SOFT) - 1
    assert page.inner_text("#step-title") == f"Step {last} of {last}: 2 leaves"
    page.click("#tab-rules")
    page.evaluate("const it = document.getElementById('step'); it.value = '0'; it.dispatchEvent(new Event('input'))")
    assert page.inner_text("#step-title") == f"Step 0 of {last}: 1 leaf"
    assert page.get_attribute("#tab-rules", "aria-selected") == "true"
    assert page.locator("#canvas [data-node]").count() == 1
    page.click("#play")
    page.locator("#step-title", has_text="Step 1 of").wait_for()
    page.close()


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "needs at least one step, got an empty list; fit with callback=steps.append"),
        ([CART], "needs steps that are trees, got CARTClassifier"),
        ([CART.tree_, sw.CARTClassifier().fit(X[:, :1], Y).tree_], "different inputs or answers"),
        (SOFT_MODEL, "the steps of SoftTreeClassifier cannot be derived from its tree; fit with callback=steps.append"),
        (SOFT_MODEL.harden(), "cannot be derived from its tree"),
        (sw.CARTClassifier(), "needs a Tree or a fitted softwood estimator"),
    ],
    ids=["none", "models", "other inputs", "soft", "hardened", "not fitted"],
)
def test_what_has_no_steps_is_refused(steps: Any, words: str, tmp_path: Path) -> None:
    for draw in (sw.plot_growth, lambda steps: sw.animate(steps, tmp_path / "growth.html")):
        with pytest.raises((TypeError, ValueError), match=words):
            draw(steps)
    assert not list(tmp_path.iterdir())


def test_arguments_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"n_steps must be a whole number 1\.\.12, got 0"):
        sw.plot_growth(CART, n_steps=0)
    with pytest.raises(ValueError, match=r"path must end in \.gif, \.mp4, \.html, got 'growth\.avi'"):
        sw.animate(CART, tmp_path / "growth.avi")
    with pytest.raises(ValueError, match=r"steps_per_second must be 0\.1\.\.60, got 0"):
        sw.animate(CART, tmp_path / "growth.gif", steps_per_second=0)
    with pytest.raises(ValueError, match="plot_growth needs rows for the ranges of the inputs"):
        sw.plot_growth(CART, inputs=[0, 1])
    with pytest.raises(ValueError, match="view needs steps of the model that is shown"):
        sw.view(sw.CARTClassifier().fit(X[:, :1], Y), steps=SOFT)
