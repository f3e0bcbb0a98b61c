"""Laws of every picture, for any tree: nothing overlaps, names are text, axes are returned."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softwood
from softwood import CARTClassifier, Tree
from softwood.kernels.kinds import Score
from softwood.view import plots
from softwood.view.plots.pen import fit_text, text_width, wrap_text
from softwood.view.plots.scene import look_at
from softwood.view.plots.tree import lay_out
from tests.strategies import N_LEVELS, random_rows, random_tree
from tests.view.plots import scenes

SEEDS = range(24)


def answers_of(tree: Tree, X: Any) -> Any:
    if tree.schema.task == "regression":
        return np.arange(len(X) * tree.n_outputs, dtype=float).reshape(len(X), -1)
    return [tree.schema.answers[i % len(tree.schema.answers)] for i in range(len(X))]


def cells_of(X: Any) -> list[list[Any]]:
    """Random rows as a user has them: labels of levels, some never seen, and no infinite numbers."""
    X = np.where(np.isinf(X), np.nan, X)
    return [
        [None if np.isnan(x) else f"c{x:.0f}" if levels else float(x) for x, levels in zip(row, N_LEVELS, strict=True)]
        for row in X
    ]


def written(ax: Any) -> str:
    file = io.StringIO()
    ax.get_figure().savefig(file, format="svg")
    return file.getvalue()


@pytest.mark.fewer(12)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("orientation", ["down", "right"])
def test_cards_do_not_overlap(seed: int, orientation: str) -> None:
    picture = lay_out(look_at(random_tree(seed, seed % 13), wanted_by="test"), None, orientation)
    for one, other in combinations(picture.boxes.values(), 2):
        apart = one.right <= other.left or other.right <= one.left or one.top <= other.bottom or other.top <= one.bottom
        assert apart


@pytest.mark.fewer(12)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_parent_stands_in_the_middle_of_its_children(seed: int) -> None:
    picture = lay_out(look_at(random_tree(seed, seed % 13), wanted_by="test"), None, "down")
    tree = picture.scene.tree
    for node in np.flatnonzero(tree.n_children):
        first, last = tree.children(int(node))[0], tree.children(int(node))[-1]
        middle = (picture.boxes[first].middle[0] + picture.boxes[last].middle[0]) / 2
        assert picture.boxes[int(node)].middle[0] == pytest.approx(middle)


@pytest.mark.fewer(12)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_score_that_is_drawn_gives_the_shares_of_the_tree(seed: int) -> None:
    tree = random_tree(seed, 8, smooth=True)
    X = cells_of(random_rows(seed, 40))
    scene = look_at(tree, X, wanted_by="test")
    for node in np.flatnonzero(tree.score == Score.LINEAR):
        sent = scene.reach[:, node] * (1 - tree.leafness[node])
        share = 1 / (1 + np.exp(-scene.score(int(node), scene.rows)))
        np.testing.assert_allclose(scene.reach[:, tree.first_child[node]], sent * share, atol=1e-12)


@pytest.mark.fewer(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_trees_of_every_kind_are_drawn_with_and_without_rows(seed: int) -> None:
    tree, X = random_tree(seed, seed % 9), cells_of(random_rows(seed, 30))
    y = answers_of(tree, X)
    for given in ((), (X,), (X, y)):
        assert "<svg" in written(plots.plot_tree(tree, *given))
        pyplot.close("all")
    for node in np.flatnonzero(tree.n_children)[:2]:
        written(plots.plot_gate(tree, X, y, node=int(node)))
        written(plots.plot_gate(tree, node=int(node)))
    written(plots.plot_surface(tree, X, y, inputs=["x0", "x3"]))
    written(plots.plot_surface(tree, X, inputs="x1"))
    written(plots.plot_row(tree, X, y, row=seed % 30))
    written(plots.plot_calibration(tree, X, y))
    if seed % 9:
        written(plots.plot_curves(tree, X, y, inputs=["x0", "x3"]))
        written(plots.plot_reasons(softwood.explain(tree, X[:5]), 2))


def draw_reasons(tree: Tree, X: Any, y: Any, ax: Any = None) -> Any:
    return plots.plot_reasons(softwood.explain(tree, X), 3, ax=ax)


def draw_importance(tree: Tree, X: Any, y: Any, ax: Any = None) -> Any:
    return plots.plot_importance(tree, values=np.arange(1.0, tree.n_features + 1), ax=ax)


OF_ROWS = [plots.plot_tree, plots.plot_gate, plots.plot_surface, plots.plot_row, plots.plot_curves,
           plots.plot_calibration, draw_reasons, draw_importance]  # fmt: skip


@pytest.mark.parametrize("draw", OF_ROWS)
def test_given_axes_are_drawn_in_and_returned(draw: Callable[..., Any]) -> None:
    figure, ax = pyplot.subplots()
    assert draw(scenes.soft_iris(), *scenes.iris_rows(), ax=ax) is ax
    assert pyplot.get_fignums() == [figure.number]


@pytest.mark.parametrize("draw", OF_ROWS)
def test_names_are_text_whatever_they_hold(draw: Callable[..., Any]) -> None:
    text = written(draw(*scenes.hostile()))
    assert "<script>" not in text
    assert "</svg>&amp;" not in text.replace("<!--", "")  # only in comments or escaped
    assert text.count("</svg>") == 1


def test_a_name_is_cut_where_it_does_not_fit() -> None:
    assert text_width(fit_text("x" * 500, 1.0, 7), 7) <= 1.0
    lines = wrap_text("a " * 200, 1.0, 7, 3)
    assert len(lines) == 3
    assert max(text_width(line, 7) for line in lines) <= 1.0
    assert lines[-1].endswith("…")


def test_text_shrinks_with_the_axes() -> None:
    _, (small, large) = pyplot.subplots(1, 2, figsize=(12, 4), width_ratios=[1, 3])
    sizes = [
        plots.plot_tree(scenes.hard_iris(), *scenes.iris_rows(), ax=ax).texts[0].get_fontsize() for ax in (small, large)
    ]
    assert sizes[0] < sizes[1] <= 7.5


def test_rows_go_through_the_steps_of_a_pipeline() -> None:
    X, y = scenes.iris_rows()
    model = make_pipeline(StandardScaler(), CARTClassifier(random_state=0)).fit(X, y)
    scene = look_at(model, X, y, wanted_by="test")
    np.testing.assert_allclose(scene.rows, model[:-1].transform(X))
    counts = scene.count
    np.testing.assert_allclose(counts, model[-1].tree_.count)


def test_columns_of_a_frame_are_found_by_name() -> None:
    X, _ = scenes.iris_rows()
    turned = X[X.columns[::-1]]
    np.testing.assert_array_equal(
        look_at(scenes.hard_iris(), turned, wanted_by="test").rows,
        look_at(scenes.hard_iris(), X, wanted_by="test").rows,
    )


def test_given_rows_and_answers_are_counted_at_the_nodes() -> None:
    X, y = scenes.iris_rows()
    scene = look_at(scenes.hard_iris(), X[:60], y[:60], wanted_by="test")
    assert scene.count.tolist() == [60, 50, 10, 10, 0]
    np.testing.assert_allclose(scene.arrives[0], [50 / 60, 10 / 60, 0])


class TestErrors:
    X, y = scenes.iris_rows()

    def test_unfitted(self) -> None:
        with pytest.raises(
            TypeError, match="plot_tree needs a Tree or a fitted softwood estimator, got CARTClassifier"
        ):
            plots.plot_tree(CARTClassifier())

    def test_no_rows(self) -> None:
        with pytest.raises(ValueError, match="plot_surface needs rows for the ranges of the inputs: pass X"):
            plots.plot_surface(scenes.hard_iris(), None)

    def test_answers_without_rows(self) -> None:
        with pytest.raises(ValueError, match="y without X"):
            plots.plot_tree(scenes.hard_iris(), None, self.y)

    def test_an_unknown_class(self) -> None:
        with pytest.raises(ValueError, match="the label 'oak', which is not one of the classes"):
            plots.plot_tree(scenes.hard_iris(), self.X, ["oak"] * 150)

    def test_answers_of_other_rows(self) -> None:
        with pytest.raises(ValueError, match="a value for each of 150 rows, got 3"):
            plots.plot_tree(scenes.hard_iris(), self.X, self.y[:3])

    def test_more_than_two_inputs(self) -> None:
        tree = random_tree(3, 8, smooth=True)
        with pytest.raises(ValueError, match="a surface has one or two inputs, and the tree uses"):
            plots.plot_surface(tree, cells_of(random_rows(0, 9)))
        with pytest.raises(ValueError, match="one or two different inputs"):
            plots.plot_surface(tree, cells_of(random_rows(0, 9)), inputs=["x0", "x1", "x2"])

    def test_an_unknown_input(self) -> None:
        with pytest.raises(ValueError, match="there is no input 'height'; the inputs are"):
            plots.plot_surface(scenes.hard_iris(), self.X, inputs="height")

    def test_an_unknown_answer(self) -> None:
        with pytest.raises(ValueError, match=r"answer must be one of .*'setosa'"):
            plots.plot_surface(scenes.hard_iris(), self.X, answer="oak")

    def test_the_gate_of_a_leaf(self) -> None:
        with pytest.raises(ValueError, match=r"node 1 is a leaf and has no gate; gates have nodes \[0, 2\]"):
            plots.plot_gate(scenes.hard_iris(), node=1)
        with pytest.raises(ValueError, match=r"node must be 0\.\.4, got 9"):
            plots.plot_gate(scenes.hard_iris(), node=9)

    def test_axes_that_are_none(self) -> None:
        with pytest.raises(TypeError, match="ax must be axes of matplotlib or None, got list"):
            plots.plot_tree(scenes.hard_iris(), ax=[1])

    def test_an_unknown_orientation(self) -> None:
        with pytest.raises(ValueError, match="orientation must be 'down', 'right' or None, got 'up'"):
            plots.plot_tree(scenes.hard_iris(), orientation="up")

    def test_no_rows_in_the_table(self) -> None:
        with pytest.raises(ValueError, match="X has no rows"):
            plots.plot_tree(scenes.hard_iris(), pd.DataFrame(self.X[:0]))


def test_without_matplotlib_the_error_names_the_extra() -> None:
    program = """
import sys
sys.modules["matplotlib"] = None
from softwood import Schema, Tree, plot_tree
try:
    plot_tree(Tree(response=[[1.0]], schema=Schema.plain(1, 1)))
except ImportError as problem:
    print(problem)
"""
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert said.strip() == "plot_tree needs matplotlib: pip install 'softwood[view]'."


def test_importing_the_pictures_does_not_import_matplotlib() -> None:
    program = "import sys, softwood.view.plots; print('matplotlib' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert said.strip() == "False"
