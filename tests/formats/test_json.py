"""Laws of JSON: trees read back to the last bit, and invalid text is refused with a message."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, FileError, Schema, SoftTreeClassifier, Tree, from_json, to_json
from softwood.formats.arrays import arrays_of
from tests.strategies import random_rows, random_tree, trees


def same_bits(one: Tree, other: Tree) -> bool:
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return one == other and all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for (_, a), (_, b) in pairs)


def rows_and_classes() -> tuple[pd.DataFrame, list[str]]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"größe": rng.normal(size=200), "colour": rng.choice(["red", "blue", "☃"], 200)})
    X.loc[::7, "größe"] = np.nan
    return X, ["yes" if c == "red" else "no" for c in X["colour"]]


@given(trees())
@settings(max_examples=100, deadline=None)
def test_every_tree_reads_back_to_the_last_bit(tree: Tree) -> None:
    again = from_json(to_json(tree))
    assert same_bits(again, tree)
    rows = random_rows(0, 20)
    assert again.output(rows).tobytes() == tree.output(rows).tobytes()


@given(trees())
@settings(max_examples=20, deadline=None)
def test_equal_trees_have_equal_texts(tree: Tree) -> None:
    assert to_json(from_json(to_json(tree))) == to_json(tree)


def test_a_model_keeps_its_schema_and_provenance() -> None:
    X, y = rows_and_classes()
    tree = CARTClassifier(costs=[[0, 2], [1, 0]], max_depth=3).fit(X, y).tree_
    again = from_json(to_json(tree))
    assert again.schema == tree.schema
    assert again.schema.summaries == tree.schema.summaries
    assert again.provenance == tree.provenance


def test_numbers_beyond_all_bounds_have_their_words() -> None:
    tree = Tree([[-0.0]], Schema.plain(1, 1), impurity=[np.inf], gain=[-np.inf])
    stored = json.loads(to_json(tree))["tree"]
    assert (stored["impurity"], stored["gain"], stored["count"]) == (["inf"], ["-inf"], [None])
    assert same_bits(from_json(to_json(tree)), tree)


def test_the_keys_are_those_of_the_schema_in_docs() -> None:
    stored = json.loads(to_json(random_tree(1)))
    assert list(stored) == ["format", "version", "tree", "schema", "basis", "surrogates", "provenance"]
    assert (stored["format"], stored["version"]) == ("softwood", 2)
    assert list(stored["tree"])[:3] == ["link", "response", "first_child"]
    assert list(stored["surrogates"])[:2] == ["begin", "feature"]


def test_a_pipeline_gives_the_tree_inside() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = make_pipeline(StandardScaler(), SoftTreeClassifier(gate="linear", leaf="constant"))
    model.fit(X, X[:, 0] > 0)
    assert from_json(to_json(model)).output(X).tobytes() == model[-1].tree_.output(X).tobytes()


def test_what_has_no_tree_is_refused() -> None:
    with pytest.raises(TypeError, match="to_json needs a Tree or a fitted softwood estimator, got CARTClassifier"):
        to_json(CARTClassifier())


def changed(path: str, value: Any) -> str:
    """The text of a tree of two gates, with one thing in it changed."""
    stored = json.loads(to_json(random_tree(3, 2)))
    *way, last = path.split(".")
    place: Any = stored
    for name in way:
        place = place[int(name) if isinstance(place, list) else name]
    place[int(last) if isinstance(place, list) else last] = value
    return json.dumps(stored)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("format", "pickle", "not a softwood tree"),
        ("version", 4, "of version 4, this softwood reads up to 3; install a newer softwood"),
        ("version", "1", "integer >= 1"),
        ("tree.first_child.0", 0, "children from 0 on must come after it"),
        ("tree.first_child.0", 10**30, "does not contain a valid model"),
        ("tree.first_child.0", 1.5, "must hold int32, got"),
        ("tree.feature.0", 99, "node 0"),
        ("tree.response.0.0", None, "response must be finite"),
        ("tree.response.0.0", [1.0], "must hold numbers"),
        ("tree.response.0", [1.0, 2.0, 3.0, 4.0], "lists of one length"),
        ("tree.response", {}, "lists of one length"),
        ("tree.link", 7, "link must be one of 0, 1, 2, 3"),
        ("tree.strange", [], "no array 'strange'"),
        ("tree.note", [1], "note must be a list of text"),
        ("basis.term.0", 200, "term 200 is not one of"),
        ("basis.term.0", True, "must hold uint8, got"),
        ("surrogates.begin", [0, 99], "surrogates: begin must rise"),
        ("schema.task", "dancing", "task must be"),
        ("schema.inputs", 3, "a schema must be"),
        ("provenance", 3, "a provenance must be"),
        ("tree", [], '"tree" must be an object'),
        ("more", 1, "must have format, version"),
    ],
)
def test_a_wrong_value_is_refused_in_words(path: str, value: Any, told: str) -> None:
    with pytest.raises(FileError, match=told.replace("(", r"\(")):
        from_json(changed(path, value))


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", '"softwood"', "NaN", "[" * 100_000, '{"a":' * 100_000, "1" * 10_000,
        '{"format": "softwood", "format": "softwood"}', '{"format": "softwood", "version": 1}',
        '{"format": "softwood", "version": NaN}', "\x00", "\ud800",
    ],
)  # fmt: skip
def test_what_is_no_tree_is_one_error(text: str) -> None:
    with pytest.raises(FileError):
        from_json(text)
