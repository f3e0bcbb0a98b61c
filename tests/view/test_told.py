"""The page of a large forest has texts for the upper nodes, and all nodes to compute with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import softwood
from softwood import Tree, from_json, from_sklearn
from softwood.view import told
from tests.view.test_page import data_of


@pytest.fixture(scope="module")
def forest() -> Tree:
    X = np.random.default_rng(0).normal(size=(120, 3))
    return from_sklearn(RandomForestRegressor(9, max_leaf_nodes=12, random_state=0).fit(X, X[:, 0] * X[:, 1]))


@pytest.mark.parametrize("most", [5, 60])
def test_nodes_are_told_with_all_above_and_beside_them(
    forest: Tree, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told.told_nodes(forest) == list(range(forest.n_nodes))
    monkeypatch.setattr(told, "MOST_TOLD", most)
    found = told.told_nodes(forest)
    assert 10 <= len(found) <= max(most, 10)
    assert {0, *forest.children(0)} <= set(found)
    for node in found[1:]:
        assert set(forest.children(int(forest.parent[node]))) <= set(found)
    opened = [node for node in found[1:] if forest.n_children[node] and forest.first_child[node] in found]
    closed = [node for node in found if forest.n_children[node] and forest.first_child[node] not in found]
    assert max(forest.count[closed]) <= min(forest.count[opened], default=np.inf)


def test_the_page_of_a_large_forest(forest: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = data_of(softwood.view(forest, path=tmp_path / "whole.html").html)
    monkeypatch.setattr(told, "MOST_TOLD", 60)
    data = data_of(softwood.view(forest, path=tmp_path / "part.html").html)
    assert from_json(json.dumps(data["model"])) == forest
    assert whole["words"]["told"] is None
    assert data["words"]["arrives"] == whole["words"]["arrives"]
    for name in ("question", "rule", "branch", "answer", "equation", "adds", "added"):
        assert data["words"][name] == {str(node): whole["words"][name][node] for node in told.told_nodes(forest)}
    assert data["rules"] == [rule for rule in whole["rules"] if rule["node"] in data["words"]["told"]]


def test_a_large_tree_that_is_no_mean_is_told_whole(forest: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "MOST_TOLD", 3)
    tree = softwood.tree.split_trees(forest)[0][0]
    assert told.told_nodes(tree) == list(range(tree.n_nodes))
