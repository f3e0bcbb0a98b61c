"""`softwood show` and `softwood inspect` describe a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from softwood import from_json, load, save, to_text


def test_show_prints_the_tree(run: Any, model: str) -> None:
    fitted = load(model)
    said = run("show", model).stdout
    assert said == to_text(fitted).replace("surrogates=True", "`softwood show --surrogates`") + "\n"
    assert "--surrogates" in said
    assert (
        run("show", model, "--form", "rules").stdout
        == to_text(fitted, form="rules").replace("form='tree'", "--form tree") + "\n"
    )
    shallow = to_text(fitted, max_depth=1, digits=None, surrogates=True, width=None)
    assert run("show", model, "--max-depth", "1", "--exact", "--surrogates", "--width", "0").stdout == shallow + "\n"


def test_show_json_is_the_whole_tree(run: Any, model: str) -> None:
    assert from_json(run("show", model, "--json").stdout) == load(model).tree_


def test_inspect_tells_parameters_and_inputs(run: Any, model: str) -> None:
    said = run("inspect", model).stdout
    assert "learned by  CARTClassifier, softwood" in said
    assert "criterion='gini'" in said
    assert "  town    category: Oslo, Paris, Rome\n" in said
    told = json.loads(run("inspect", model, "--json").stdout)
    assert told["answers"] == ["no", "yes"]
    assert told["target"] == "good"
    assert [each["name"] for each in told["inputs"]] == ["age", "income", "town"]
    assert told["provenance"]["n_rows"] == 120


def test_fit_and_inspect_say_whether_constraints_are_proved(run: Any) -> None:
    words = ["people.csv", "--target", "good", "--drop", "limit,name", "--model", "cart", "--folds", "0"]
    words += ["--monotonic_cst", '{"income": 1}', "--out", "m.softwood"]
    assert "monotone  proved: never decreases with income" in run("fit", *words).stdout
    assert "proved: the prediction never decreases with income\n" in run("inspect", "m.softwood").stdout
    expected = {"holds": True, "signs": {"income": 1}, "failures": []}
    assert json.loads(run("inspect", "m.softwood", "--json").stdout)["monotone"] == expected
    assert json.loads(run("fit", *words, "--json").stdout)["monotone"] == expected


def test_a_bare_tree_can_be_looked_at_but_not_asked(run: Any, model: str) -> None:
    save(load(model).tree_, "bare.softwood")
    assert "Tree: classes no, yes" in run("inspect", "bare.softwood").stdout
    assert "holds a bare tree" in run("predict", "bare.softwood", "people.csv", code=2).stderr


def test_a_table_given_as_a_model_is_told_to_be_none(run: Any, tmp_path: Path) -> None:
    """Its first eight bytes are not a length, so the message quotes none."""
    table = tmp_path / "rows.csv"
    table.write_text("age,town,good\n1,Oslo,no\n2,Rome,yes\n", encoding="utf-8")
    said = run("inspect", str(table), code=2).stderr
    assert "'rows.csv' is not a softwood file: it does not start with the file signature" in said
    assert "bytes" not in said
