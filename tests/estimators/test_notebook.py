"""A fitted estimator shows its tree in a notebook, beside scikit-learn's own display."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import BuddingTreeRegressor, CARTClassifier, SoftTreeClassifier, Tree
from softwood.formats.drawing import MOST_LEAVES, draw_small
from tests.strategies import random_tree
from tests.view.plots import scenes

X, y = load_iris(return_X_y=True, as_frame=True)
NAMESPACE = "{http://www.w3.org/2000/svg}"


def svg_of(text: str) -> Any:
    return ET.fromstring(text[text.index('<svg role="img"') : text.rindex("</svg>") + 6])


@pytest.mark.parametrize("model", [CARTClassifier(), SoftTreeClassifier(), BuddingTreeRegressor()])
def test_a_fitted_model_shows_its_tree_below_scikit_learns_display(model: Any) -> None:
    model.fit(X, y)
    for text in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "sk-top-container" in text
        texts = [each.text for each in svg_of(text).iter(f"{NAMESPACE}text")]
        assert texts
    assert model._repr_mimebundle_()["text/plain"] == repr(model)


def test_a_model_that_is_not_fitted_shows_what_scikit_learn_shows() -> None:
    model = CARTClassifier()
    assert "sk-top-container" in model._repr_html_()
    assert '<svg role="img"' not in model._repr_html_()
    assert '<svg role="img"' not in model._repr_mimebundle_()["text/html"]


def test_a_display_of_text_has_no_html() -> None:
    model = CARTClassifier().fit(X, y)
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert model._repr_mimebundle_() == {"text/plain": repr(model)}
    assert isinstance(model, BaseEstimator)


def test_a_pipeline_still_shows_itself() -> None:
    model = make_pipeline(StandardScaler(), CARTClassifier()).fit(X, y)
    assert "sk-top-container" in model._repr_html_()


@pytest.mark.parametrize("seed", range(30))
def test_every_tree_is_drawn_as_sound_xml_and_stays_small(seed: int) -> None:
    tree = random_tree(seed, seed)
    text = draw_small(tree)
    root = ET.fromstring(text)
    boxes = root.findall(f"{NAMESPACE}g")
    across = max(np.bincount([int(tree.node_depth[node]) for node in range(tree.n_nodes)]))
    assert 1 <= len(boxes) <= tree.n_nodes
    assert len(text) < 60_000 or across <= MOST_LEAVES


def test_what_is_cut_is_counted() -> None:
    model = CARTClassifier(prune=None).fit(X, np.arange(150) % 2)
    text = draw_small(model.tree_)
    boxes = ET.fromstring(text).findall(f"{NAMESPACE}g")
    told = [each.text or "" for each in ET.fromstring(text).iter(f"{NAMESPACE}text")]
    below = sum(int(each.split()[1]) for each in told if each.endswith("nodes below"))
    assert len(boxes) + below == model.tree_.n_nodes
    assert len(boxes) < model.tree_.n_nodes


def test_hostile_names_are_text() -> None:
    tree: Tree = scenes.hostile()[0]
    root = ET.fromstring(draw_small(tree))
    assert not list(root.iter(f"{NAMESPACE}script"))
    assert any("<script>" in (each.text or "") for each in root.iter(f"{NAMESPACE}title"))


def test_a_wide_edge_is_a_large_share() -> None:
    root = ET.fromstring(draw_small(scenes.hard_iris()))
    widths = [float(path.attrib["stroke-width"]) for path in root.iter(f"{NAMESPACE}path")]
    assert widths == pytest.approx([9 * 50 / 150, 9 * 100 / 150, 9 * 54 / 150, 9 * 46 / 150], abs=0.06)
