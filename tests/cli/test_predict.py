"""`softwood predict` gives the same predictions as the model in Python, to the last bit, for any form of the table."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from softwood import load

INPUTS = ["age", "income", "town"]


def test_predictions_are_those_of_python(run: Any, model: str, people: pd.DataFrame) -> None:
    table = pd.read_csv(
        io.StringIO(run("predict", model, "people.csv", "--proba", "--keep", "name").stdout),
        float_precision="round_trip",
    )
    fitted = load(model)
    assert table.columns.tolist() == ["name", "prediction", "p_no", "p_yes"]
    assert table.name.tolist() == people.name.tolist()
    assert (table.prediction == fitted.predict(people[INPUTS])).all()
    assert (table[["p_no", "p_yes"]].to_numpy() == fitted.predict_proba(people[INPUTS])).all()


def test_columns_may_stand_in_another_order(run: Any, model: str, people: pd.DataFrame) -> None:
    people[["town", "income", "age"]].to_csv("other.csv", index=False)
    assert run("predict", model, "other.csv").stdout == run("predict", model, "people.csv").stdout


def test_json_is_one_object_a_row_and_out_is_a_file(run: Any, model: str) -> None:
    lines = run("predict", model, "people.csv", "--json").stdout.splitlines()
    assert len(lines) == 120
    assert json.loads(lines[0]).keys() == {"prediction"}
    assert run("predict", model, "people.csv", "--out", "answers.csv").stdout == ""
    assert Path("answers.csv").read_text() == run("predict", model, "people.csv").stdout


def test_numbers_are_answered_and_have_no_probabilities(run: Any, people: pd.DataFrame) -> None:
    run("fit", "people.csv", "--target", "limit", "--drop", "good", "--model", "cart", "--folds", "0")
    table = pd.read_csv(
        io.StringIO(run("predict", "people.softwood", "people.csv").stdout), float_precision="round_trip"
    )
    assert np.array_equal(table.prediction, load("people.softwood").predict(people[INPUTS]))
    said = run("predict", "people.softwood", "people.csv", "--proba", code=2).stderr
    assert said == "softwood: --proba is for classifiers; this model is a regressor.\n"


def test_levels_that_look_like_numbers_stay_text(run: Any) -> None:
    rows = [f"{code},{answer}" for code, answer in [("01", "no"), ("1", "yes"), ("x", "no")] * 10]
    Path("codes.csv").write_text("\n".join(["code,answer", *rows]))
    run("fit", "codes.csv", "--target", "answer", "--model", "cart", "--folds", "0", "--prune", "none")
    answers = run("predict", "codes.softwood", "-", stdin=b"code\n01\n1\n").stdout
    assert answers == "prediction\nno\nyes\n"


def test_a_missing_value_and_an_unseen_level_are_answered(run: Any, model: str) -> None:
    expected = load(model).predict(pd.DataFrame({"age": [np.nan], "income": [31_000.0], "town": ["Lima"]}))[0]
    assert run("predict", model, "-", stdin=b"age,income,town\nNA,31000,Lima\n").stdout.split() == [
        "prediction",
        expected,
    ]
