"""explain, prune, view, report and export do what their Python functions do."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from softwood import compare_models, explain, export, from_json, load
from softwood.cli.export import LANGUAGES
from softwood.formats.languages import WRITERS

INPUTS = ["age", "income", "town"]


def test_explain_says_what_python_says(run: Any, model: str, people: pd.DataFrame) -> None:
    X = people[INPUTS]
    told = explain(load(model), X[7:8], background=X)
    assert run("explain", model, "people.csv", "--row", "7").stdout == told.to_text() + "\n"
    assert run("explain", model, "people.csv", "--row", "7", "--answer", "no").stdout == told.to_text(0, "no") + "\n"
    facts = json.loads(run("explain", model, "people.csv", "--row", "7", "--json").stdout)
    assert facts["answer"] == told.decided()
    assert sum(each["contribution"] for each in facts["reasons"]) == pytest.approx(facts["sum"])
    few = people[:20].to_csv(index=False)
    Path("few.csv").write_text(few)
    other = explain(load(model), X[7:8], background=X[:20])
    assert run("explain", model, "people.csv", "--row", "7", "--background", "few.csv").stdout == other.to_text() + "\n"


def test_prune_prints_the_sequence_and_writes_a_tree_of_it(run: Any, model: str) -> None:
    fitted = load(model)
    assert run("prune", model).stdout == f"{fitted.pruning_table_}\n"
    sequence = json.loads(run("prune", model, "--json").stdout)
    assert [row["n_leaves"] for row in sequence] == fitted.pruning_table_.n_leaves.tolist()
    run("prune", model, "--n_leaves", "2", "--out", "small.softwood")
    assert load("small.softwood").tree_ == fitted.prune_to(n_leaves=2).tree_
    run("prune", model, "--node", "0", "--out", "root.softwood")
    assert load("root.softwood").tree_.n_nodes == 1


def test_view_writes_the_page(run: Any, model: str) -> None:
    assert run("view", model).stdout == "wrote  people.html\n"
    assert "town" in Path("people.html").read_text(encoding="utf-8")
    run("view", model, "people.csv", "--target", "good", "--out", "rows.html")
    assert len(Path("rows.html").read_text(encoding="utf-8")) > len(Path("people.html").read_text(encoding="utf-8"))


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed: a report has pictures.")
def test_report_writes_the_page_and_knows_the_target(run: Any, model: str) -> None:
    words = ["--note", "Intended use=A test.", "--n-worst", "2", "--out", "told.html"]
    assert run("report", model, "people.csv", *words).stdout == "wrote  told.html\n"
    page = Path("told.html").read_text(encoding="utf-8")
    assert "A test." in page


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("name", ["town", "age"])
@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_a_report_by_group_whichever_library_reads_the_table(
    run: Any, model: str, monkeypatch: pytest.MonkeyPatch, library: str, name: str
) -> None:
    monkeypatch.setattr("softwood.cli.table_files.LIBRARIES", (library,))
    run("report", model, "people.csv", "--group", name)
    page = Path("people-report.html").read_text()
    assert ("Oslo" if name == "town" else "missing") in page.partition("95 % interval")[2]


@pytest.mark.usefixtures("without_pictures")
def test_a_report_by_a_column_that_is_no_input_beside_the_training_rows(
    run: Any, model: str, people: pd.DataFrame
) -> None:
    people["sex"] = np.where(np.arange(len(people)) % 2, "f", "m")
    people.to_csv("tested.csv.gz", index=False)
    run("report", model, "tested.csv.gz", "--group", "sex", "--train", "people.csv", "--n-worst", "0")
    page = Path("people-report.html").read_text(encoding="utf-8")
    assert "Errors are broken down by sex." in page
    assert hashlib.sha256(Path("tested.csv.gz").read_bytes()).hexdigest() in page
    assert "<td>probability of yes</td>" in page
    assert "100.0% of these rows are also training rows" in page


@pytest.mark.parametrize(("short", "long"), [("js", "javascript"), ("py", "python")])
def test_short_names_of_languages(run: Any, model: str, short: str, long: str) -> None:
    assert run("export", model, "--to", short).stdout == run("export", model, "--to", long).stdout


@pytest.mark.parametrize("to", ["c", "dot", "javascript", "mermaid", "python", "sql"])
def test_export_writes_what_python_writes(run: Any, model: str, to: str) -> None:
    assert run("export", model, "--to", to).stdout.rstrip("\n") == export(load(model), to=to).rstrip("\n")
    run("export", model, "--to", to, "--out", "file")
    assert Path("file").read_text(encoding="utf-8") == export(load(model), to=to)


def test_options_of_a_language_have_their_names(run: Any, model: str) -> None:
    said = run("export", model, "--to", "sql", "--dialect", "sqlite", "--table", "people", "--keep", "name").stdout
    assert said.rstrip("\n") == export(load(model), to="sql", dialect="sqlite", table="people", keep=["name"])
    assert from_json(run("export", model, "--to", "json").stdout) == load(model).tree_


def test_onnx_is_a_file(run: Any, model: str, people: pd.DataFrame) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    run("export", model, "--to", "onnx", "--precision", "double", "--out", "m.onnx")
    feed: dict[str, Any] = {name: people[[name]].to_numpy() for name in ("age", "income")}
    feed["town"] = people[["town"]].to_numpy(object)
    (label,) = onnxruntime.InferenceSession("m.onnx").run(["label"], feed)
    assert np.array_equal(label, load(model).predict(people[INPUTS]))


def test_every_language_has_its_name_on_the_line() -> None:
    assert sorted([*WRITERS, "json"]) == sorted(LANGUAGES)


def test_diff_says_what_python_says(run: Any, model: str, people: pd.DataFrame) -> None:
    run(
        "fit",
        "people.csv",
        "--target",
        "good",
        "--drop",
        "town,limit",
        "--model",
        "cart",
        "--folds",
        "0",
        "--out",
        "b.softwood",
    )
    told = compare_models(load(model), load("b.softwood"), people[INPUTS], people["good"], names=("people", "b"))
    assert run("diff", model, "b.softwood", "people.csv").stdout == f"{told}\n"
    assert "Only the people model takes town" in str(told)
    said = run("diff", model, "b.softwood", "people.csv", "--group", "town", "--out", "page.html").stdout
    assert said.endswith("wrote  page.html\n")
    assert "Rome" in said
    facts = json.loads(run("diff", model, "b.softwood", "people.csv", "--json").stdout)
    assert facts["errors"][0]["people"] == told.to_frame("errors")["people"][0]
    assert (
        run("diff", model, "b.softwood").stdout
        == f"{compare_models(load(model), load('b.softwood'), names=('people', 'b'))}\n"
    )
    assert "--group needs DATA" in run("diff", model, model, "--group", "town", code=2).stderr
    run("fit", "people.csv", "--target", "limit", "--model", "cart", "--folds", "0", "--out", "number.softwood")
    refused = run("diff", model, "number.softwood", "nowhere.csv", code=2).stderr  # before the rows are read
    assert "the people model is for classification and the number model for regression" in refused
    people.drop(columns="age").to_csv("less.csv")
    assert (
        "has no column 'age', which the old model needs" in run("diff", model, "b.softwood", "less.csv", code=2).stderr
    )
