"""Label, colour and bar of a card agree, and what nodes add sums to the prediction."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from softwood import SoftTreeClassifier, SoftTreeRegressor, Tree
from softwood.formats.colours import class_colour, tint
from softwood.kernels import apply_link
from softwood.kernels.kinds import Link
from softwood.tree.node_numbers import is_summed
from softwood.view.plots.added import added, added_text, has_sum
from softwood.view.plots.cards import FULL, Card
from softwood.view.plots.pen import Box, Pen
from softwood.view.plots.scene import Scene, look_at
from tests.strategies import random_rows, random_tree
from tests.view.plots.test_laws_of_pictures import answers_of, cells_of

SEEDS = range(40)


def scenes_of(seed: int) -> list[Scene]:
    """A random tree alone, with rows, with their answers, and with a row to follow; of classes where it can be."""
    tree, X = random_tree(seed, 1 + seed % 9), cells_of(random_rows(seed, 40))
    if tree.link != Link.IDENTITY and len(tree.schema.answers) > 1:
        tree = tree.replace(schema=replace(tree.schema, task="classification"))
    y = answers_of(tree, X)
    found = [look_at(tree, *given, wanted_by="test") for given in ((), (X,), (X, y))]
    return [*found, Scene(tree, tree, found[2].X, found[2].y, followed=seed % 40)]


def draw(card: Card) -> tuple[list[str], list[Any]]:
    """The texts of a card, and its filled boxes as (left, bottom, width, height, colour)."""
    pen = Pen(None, card.width, card.height, "test")
    card.draw(pen, Box(0.0, 0.0, card.width, card.height))
    boxes = [
        (*patch.get_bbox().bounds, to_hex(patch.get_facecolor()))
        for patch in pen.ax.patches
        if hasattr(patch, "get_bbox") and not hasattr(patch, "get_boxstyle")
    ]
    fill = next(to_hex(patch.get_facecolor()) for patch in pen.ax.patches if hasattr(patch, "get_boxstyle"))
    texts = [text.get_text() for text in pen.ax.texts]
    pyplot.close("all")
    return texts, [*boxes, fill]


@pytest.mark.fewer(6)
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if scenes_of(seed)[0].classes])
def test_label_colour_and_bar_of_a_card_agree(seed: int) -> None:
    for scene in scenes_of(seed):
        tree = scene.tree
        assert scene.classes
        for node in range(min(tree.n_nodes, 6)):
            card = Card(scene, node, FULL)
            texts, (*boxes, fill) = draw(card)
            inner = card.width - 0.14
            bar = [box for box in boxes if box[3] == pytest.approx(FULL.bar_height) and box[4] in colours(tree)]
            parts = {box[4]: box[2] / inner for box in bar}
            for k, part in enumerate(scene.arrives[node]):
                assert parts.get(class_colour(k).lower(), 0.0) == pytest.approx(part, abs=1e-9)
            place = int(tree.schema.decide(scene.arrives[[node]])[0])
            if tree.schema.costs is None:
                assert scene.arrives[node, place] == scene.arrives[node].max()
            told = re.match(r"class (\d): ([\d.]+)", card.answer)
            assert told is not None
            shown = any(text.startswith(card.answer) for text in texts)
            assert shown or (card.asks and scene.row is not None)  # there stands the row's value or score
            assert int(told[1]) == tree.schema.answers[place]
            assert float(told[2]) == pytest.approx(scene.arrives[node, place], abs=0.0051)
            leafness = float(tree.leafness[node]) if card.asks else 1.0
            assert fill == tint(class_colour(place), 0.22 * leafness)


def colours(tree: Tree) -> set[str]:
    return {class_colour(k).lower() for k in range(len(tree.schema.answers))}


@pytest.mark.fewer(16)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_rows_that_are_given_are_what_arrives(seed: int) -> None:
    scene = scenes_of(seed)[2]
    target = np.eye(len(scene.labels))[scene.y] if scene.classes else np.asarray(scene.y)
    for node in range(scene.tree.n_nodes):
        weight = scene.reach[:, node]
        if weight.sum() > 0:
            np.testing.assert_allclose(scene.arrives[node], np.average(target, axis=0, weights=weight), atol=1e-9)


@pytest.mark.fewer(16)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_nodes_add_to_a_row_sums_up_to_its_answer(seed: int) -> None:
    scene = scenes_of(seed)[3]
    tree, total = scene.tree, 0.0
    for node in range(tree.n_nodes):
        share = scene.share_of_row(node)
        if share:
            total = total + share * added(scene, node)
    answer = apply_link(int(tree.link), np.atleast_2d(total))[0]
    np.testing.assert_allclose(answer, tree.predict(scene.rows[[scene.followed or 0]])[0], atol=1e-9)


@pytest.mark.fewer(16)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_linear_leaf_is_never_told_as_a_constant(seed: int) -> None:
    for scene in scenes_of(seed)[:3]:
        for node in np.flatnonzero((scene.tree.slope_row >= 0) & (scene.tree.leafness > 0)).tolist():
            if has_sum(scene):
                assert added_text(scene, node, "").endswith(" on average") or "?" in added_text(scene, node, "")


def moons() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    angle, upper = rng.uniform(0, np.pi, 600), np.arange(600) % 2
    X = np.column_stack([np.cos(angle) + (1 - upper), np.sin(angle) * np.where(upper, 1, -1) + 0.5 * (1 - upper)])
    return X + rng.normal(0, 0.35, X.shape), 1 - upper


def test_the_moons_of_the_issue_add_up() -> None:
    """A leaf's label is the proportion of what arrives there, not its answer alone; its number is a log odds."""
    X, y = moons()
    model = SoftTreeClassifier(gate="linear", leaf="constant", random_state=0).fit(X, y)
    scene = look_at(model, X, y, wanted_by="test")
    assert has_sum(scene)
    for node in np.flatnonzero(scene.tree.leafness == 1).tolist():
        card = Card(scene, node, FULL)
        proportion = np.average(y, weights=scene.reach[:, node])
        told = re.match(r"class (\d): ([\d.]+)", card.answer)
        assert told is not None
        assert float(told[2]) == pytest.approx(proportion if told[1] == "1" else 1 - proportion, abs=0.0051)
        assert card.adds.startswith("adds ")


def test_counts_of_bikes_are_not_negative_means() -> None:
    """The label of a node is a mean of counts, whatever number the leaf adds."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (400, 2))
    y = 1.0 + rng.poisson(np.exp(1 + X[:, 0]))
    scene = look_at(SoftTreeRegressor(gate="linear", leaf="constant", random_state=0).fit(X, y), X, wanted_by="test")
    assert is_summed(scene.tree)
    assert scene.arrives.min() >= 1.0
