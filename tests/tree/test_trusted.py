"""Trees that the package makes itself are checked in the tests, and what comes from outside always is."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from softwood import CARTRegressor, Schema, Tree
from softwood.tree import TreeError, cut_tree
from softwood.tree.trusted import SETTING, make_tree, with_fields

STUMP: dict[str, Any] = {
    "response": [[0.5], [0.0], [1.0]],
    "schema": Schema.plain(1, 1),
    "first_child": [1, -1, -1],
    "n_children": [2, 0, 0],
    "score": [1, 0, 0],
    "feature": [0, -1, -1],
    "threshold": [2.5, np.nan, np.nan],
}


def test_a_made_tree_is_the_constructors() -> None:
    made, built = make_tree(**STUMP), Tree(**STUMP)
    assert made == built
    assert vars(made).keys() == vars(built).keys()
    assert not any(value.flags.writeable for value in vars(made).values() if isinstance(value, np.ndarray))


def test_changed_fields_are_those_of_replace() -> None:
    tree = Tree(**STUMP)
    assert tree.parent.tolist() == [-1, 0, 0]
    response = np.array([[1.0], [2.0], [3.0]])
    changed = with_fields(tree, response=response)
    assert changed == tree.replace(response=response)
    assert changed.parent is tree.parent
    response[0] = 9.0  # the caller's own array
    assert changed.response[0] == 1.0
    assert not changed.response.flags.writeable
    cut = cut_tree(tree, np.array([True, False, False]))
    assert cut.parent.tolist() == [-1]


def test_all_trees_are_checked_in_tests() -> None:
    with pytest.raises(TreeError, match="children from 0"):
        make_tree(**STUMP | {"first_child": [0, -1, -1]})
    with pytest.raises(TreeError, match="must be finite"):
        with_fields(Tree(**STUMP), response=[[0.0], [np.inf], [0.0]])


def test_outside_tests_only_what_comes_from_outside_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING)
    broken = make_tree(**STUMP | {"first_child": [0, -1, -1]})
    with pytest.raises(TreeError):
        Tree(**STUMP | {"first_child": [0, -1, -1]})
    with pytest.raises(TreeError):
        broken.replace(note=())
    with pytest.raises(TreeError):
        pickle.loads(pickle.dumps(broken))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = CARTRegressor(prune=None).fit(X, X[:, 0])
    assert model.tree_ == pickle.loads(pickle.dumps(model.tree_))  # sound, as the check of a pickle says


def test_a_wrong_type_is_refused_everywhere() -> None:
    with pytest.raises(TypeError, match="threshold"):
        with_fields(Tree(**STUMP), threshold=["a", "b", "c"])
