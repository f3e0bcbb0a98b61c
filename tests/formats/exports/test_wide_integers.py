"""Integers beyond 2^53 are distinguished, or refused before anything is written: as doubles some of them are equal."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest

from softwood import CARTClassifier, CARTRegressor, Tree, export
from softwood.tree import Schema

WIDE = 2**60
ASKED = [WIDE, WIDE + 1, WIDE + 2, WIDE + 3]  # the last one was not seen at fit


@pytest.fixture(scope="module")
def by_level() -> Any:
    """A model that predicts 1 for the middle one of three levels."""
    levels = np.random.default_rng(0).choice([WIDE, WIDE + 1, WIDE + 2], 90)
    X = pd.DataFrame({"id": pd.Categorical(levels)})
    return CARTRegressor(prune=None, min_samples_leaf=1).fit(X, levels == WIDE + 1)


def of_labels(*labels: Any) -> Tree:
    """A stump with some labels, the first below 0."""
    X = np.array([[-1.0], [1.0]])
    tree = CARTClassifier(prune=None, min_samples_leaf=1, min_samples_split=2).fit(X, [0, 1]).tree_
    return tree.replace(schema=Schema(("x",), (None,), labels, "classification"))


def test_sql_compares_wide_levels_as_integers(by_level: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    for dialect, database in (("sqlite", sqlite3.connect(":memory:")), ("duckdb", duckdb.connect())):
        database.execute("CREATE TABLE asked (id BIGINT)")
        database.executemany("INSERT INTO asked VALUES (?)", [(each,) for each in ASKED])
        told = database.execute(export(by_level, to="sql", dialect=dialect, table="asked", keep=["id"])).fetchall()
        assert sorted(told) == [(each, float(each == WIDE + 1)) for each in ASKED], dialect


def test_python_tells_wide_levels_apart(by_level: Any) -> None:
    module: dict[str, Any] = {}
    exec(export(by_level, to="python"), module)
    assert [module["predict"]([each]) for each in ASKED] == [0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("to", "options"),
    [("javascript", {}), ("c", {}), ("java", {}), ("onnx", {"precision": "double"}), ("onnx", {"precision": "float"})],
)
def test_levels_that_doubles_do_not_tell_apart_are_refused(by_level: Any, to: str, options: dict[str, Any]) -> None:
    words = rf"input 'id' has the level {WIDE}, and .* cannot distinguish .* beyond 2\^53; convert such labels to"
    with pytest.raises(ValueError, match=words):
        export(by_level, to=to, **options)


@pytest.mark.parametrize("to", ["javascript", "c"])
def test_labels_that_doubles_do_not_tell_apart_are_refused(to: str) -> None:
    with pytest.raises(
        ValueError, match=rf"the answer has the label {WIDE + 1}, and .* cannot distinguish .* beyond 2\^53"
    ):
        export(of_labels(5, WIDE + 1), to=to)


@pytest.mark.parametrize("to", ["java", "onnx", "sql"])
def test_labels_beyond_64_bits_are_refused(to: str) -> None:
    with pytest.raises(
        ValueError, match=rf"the answer has the label {2**63}, and .* cannot distinguish .* beyond 2\^63"
    ):
        export(of_labels(5, 2**63), to=to)


@pytest.mark.parametrize("to", ["onnx", "sql"])
def test_a_wide_label_among_fractions_is_refused(to: str) -> None:
    with pytest.raises(
        ValueError, match=rf"the answer has the label {WIDE + 1}, and .* cannot distinguish .* beyond 2\^53"
    ):
        export(of_labels(0.5, WIDE + 1), to=to)


def test_wide_labels_stay_what_they_are_where_there_are_integers() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    tree = of_labels(WIDE, WIDE + 1)
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE asked (x REAL)")
        database.execute("INSERT INTO asked VALUES (-1), (1)")
        told = database.execute(export(tree, to="sql", dialect="sqlite", table="asked")).fetchall()
    assert [row[-1] for row in told] == [WIDE, WIDE + 1]
    session = onnxruntime.InferenceSession(export(tree, to="onnx").SerializeToString())
    assert session.run(["label"], {"X": np.array([[-1.0], [1.0]], np.float32)})[0].tolist() == [WIDE, WIDE + 1]
    assert f"{WIDE}L, {WIDE + 1}L" in export(tree, to="java")


def test_labels_that_floats_do_not_hold_are_doubles_in_onnx() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(export(of_labels(0.5, 2**24 + 1), to="onnx").SerializeToString())
    assert session.run(["label"], {"X": np.array([[-1.0], [1.0]], np.float32)})[0].tolist() == [0.5, 2**24 + 1]
