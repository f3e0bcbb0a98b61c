"""`softwood.export`: one function for all languages, and its errors."""

from __future__ import annotations

import datetime
import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, Schema, Tree, export
from softwood.formats.c import to_c
from softwood.formats.javascript import to_javascript
from softwood.formats.languages import WRITERS
from softwood.formats.program import make_program
from softwood.formats.python import to_python
from tests.formats.exports.conftest import AWKWARD
from tests.strategies import random_tree


@pytest.fixture(scope="module")
def model() -> CARTClassifier:
    return CARTClassifier(random_state=0).fit(*load_iris(return_X_y=True))


def test_export_is_the_function_of_the_language(model: CARTClassifier) -> None:
    assert export(model, to="python") == to_python(model) == to_python(model.tree_)


def test_another_language_is_refused_with_those_there_are(model: CARTClassifier) -> None:
    with pytest.raises(ValueError, match=r"to must be one of 'c', .*'python'.*, got 'cobol'"):
        export(model, to="cobol")


@pytest.mark.parametrize("to", sorted(WRITERS.keys() - {"dot", "mermaid"}))
def test_a_pipeline_with_steps_is_refused(to: str) -> None:
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), CARTClassifier()).fit(X, y)
    with pytest.raises(ValueError, match=r"SimpleImputer cannot be put there\. .*fit on the raw table"):
        export(pipeline, to=to)


def test_a_search_is_exported_as_its_best(model: CARTClassifier) -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(CARTClassifier(random_state=0), {"max_depth": [2]}).fit(X, y)
    assert export(search, to="python") == export(search.best_estimator_, to="python")


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match="to_python needs a Tree or a fitted softwood estimator, got CARTClassifier"):
        export(CARTClassifier(), to="python")


@pytest.mark.parametrize("label", [datetime.date(2024, 5, 1), b"raw", None, np.inf])
def test_labels_that_languages_lack_are_refused(label: object) -> None:
    schema = Schema(("x",), (None,), (label, "b"), "classification")
    with pytest.raises(ValueError, match=r"the answer has the label .*before fit"):
        make_program(Tree(response=[[0.5, 0.5]], schema=schema))


def test_nodes_that_nothing_reaches_are_left_out() -> None:
    for seed in range(60):
        tree = random_tree(seed, 8)
        program = make_program(tree)
        closed = np.isin(tree.parent, np.flatnonzero((tree.leafness == 1) & (tree.n_children > 0)))
        assert len(program.nodes) < tree.n_nodes if closed.any() else len(program.nodes) == tree.n_nodes
        for m, node in enumerate(program.nodes):
            assert all(child > m for child in node.children)


def test_names_are_data_in_python(awkward: Tree) -> None:
    module: dict[str, Any] = {}
    exec(to_python(awkward), module)
    assert module["INPUTS"] == AWKWARD
    told = [module["predict"]({AWKWARD[0]: level}) for level in AWKWARD]
    assert told == [AWKWARD[1], AWKWARD[0]] * 4


def test_names_are_data_in_javascript(awkward: Tree, node: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "model.mjs").write_text(to_javascript(awkward), encoding="utf-8")
    program = """
        import { inputs, predict } from "./model.mjs";
        process.stdout.write(JSON.stringify([inputs, inputs.map((level) => predict({ [inputs[0]]: level }))]));
    """
    (tmp_path / "run.mjs").write_text(program, encoding="utf-8")
    assert json.loads(node(tmp_path / "run.mjs")) == [list(AWKWARD), [AWKWARD[1], AWKWARD[0]] * 4]


def test_names_are_data_in_c(awkward: Tree, gcc: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "model.h").write_text(to_c(awkward), encoding="utf-8")
    program = """
        #include <stdio.h>
        #include "model.h"
        int main(void) { for (int i = 0; i < 8; i++) {
            double row[MODEL_INPUTS] = {model_code(0, model_level_text[i])};
            printf("%s%c", model_labels[model_decide(row)], 0); } return 0; }
    """
    (tmp_path / "main.c").write_text(program, encoding="utf-8")
    gcc("-std=c99", "-Wall", "-Wextra", "-Werror", tmp_path / "main.c", "-o", tmp_path / "main", "-lm")
    said = subprocess.run([tmp_path / "main"], capture_output=True, check=True).stdout.decode()
    assert said.split("\0")[:-1] == [AWKWARD[1], AWKWARD[0]] * 4


def test_names_are_data_in_sql(awkward: Tree) -> None:
    with sqlite3.connect(":memory:") as database:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in AWKWARD)
        database.execute(f"CREATE TABLE data ({quoted})")
        database.executemany(f"INSERT INTO data VALUES (?{', NULL' * 7})", [[level] for level in AWKWARD])
        told = database.execute(export(awkward, to="sql", dialect="sqlite", keep=AWKWARD[:1])).fetchall()
    assert [(row[0], row[-1]) for row in told] == list(zip(AWKWARD, [AWKWARD[1], AWKWARD[0]] * 4, strict=True))
