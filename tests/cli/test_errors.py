"""Any error in the command line or the data is one line that says what to do, with exit code 2."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import warm_process
from tests.cli.conftest import CHILD

GOOD = ["--target", "good", "--drop", "limit", "--folds", "0"]
LINES = [
    (["fit", "absent.csv", *GOOD], "there is no file 'absent.csv'"),
    (["fit", ".", *GOOD], "the folder '.' must hold tables of one format"),
    (["fit", "folder", *GOOD], "the folder 'folder' has no table; its files should end in one of .parquet"),
    (["fit", "/", *GOOD], "the folder '/' must hold tables of one format"),
    (["fit", "headers", *GOOD], "'headers' has column names but no rows."),
    (["fit", "unknown", *GOOD], "no row of 'unknown' has a value of 'good'; choose another --target."),
    (["fit", "people.csv"], "--target is required: the column to predict; 'people.csv' has name, age"),
    (["fit", "people.csv", "--target", "god"], "no column 'god', which --target needs; did you mean 'good'?"),
    (["fit", "people.csv", "--target", "good", "--drop", "limits"], "did you mean 'limit'?"),
    (["fit", "people.csv", *GOOD, "--model", "forest"], "--model must be one of auto, cart"),
    (["fit", "people.csv", *GOOD, "--model", "cart", "--max-dept", "3"], "did you mean --max_depth?"),
    (["fit", "people.csv", *GOOD, "--model", "cart", "--max-depth", "deep"], "max_depth must be"),
    (["fit", "people.csv", *GOOD, "--max-depth", "3"], "name the model with --model"),
    (["fit", "people.csv", *GOOD, "--model", "cart", "3"], "'3' is not expected here"),
    (["fit", "people.csv", "--target", "limit", "--model", "c45"], "--model c45 is a classifier"),
    (["fit", "people.csv", "--target", "good", "--task", "regression"], "must hold numbers"),
    (["fit", "people.csv", "--target", "good", "--task", "ranking"], "--task must be one of"),
    (["fit", "people.csv", *GOOD[:-1], "1"], "--folds must be 0"),
    (["fit", "people.csv", *GOOD, "--out", "no/folder/m.softwood"], "'no/folder' does not exist"),
    (["fit", "empty.csv", *GOOD], "is empty"),
    (["fit", "header.csv", *GOOD], "no rows"),
    (["fit", "equal.csv", *GOOD], "more than one column named 'a'"),
    (["fit", "ragged.csv", *GOOD], "could not be read as CSV"),
    (["fit", "list.json", *GOOD], "JSON input must have one object per line"),
    (
        ["fit", "dates.csv", "--target", "y"],
        "no usable column besides 'y'; dropped: day (a date: convert it to a number",
    ),
    (["fit", "same.csv", "--target", "y"], "dropped: a, b (the same in every row)"),
    (["fit", "one.csv", "--target", "y"], "there are too few rows (1)"),
    (["fit", "bytes.csv", "--target", "y"], "'bytes.csv' is no text; a table is CSV, JSON lines, Parquet or Arrow."),
    (["fit", "utf16.csv", "--target", "y"], "'utf16.csv' is UTF-16 text; save it as UTF-8."),
    (["fit", "latin.csv", "--target", "y"], "'latin.csv' is not UTF-8 text, it has the byte 0xe4"),
    (["fit", "cut.csv.gz", "--target", "y"], "'cut.csv.gz' is a gzip file, and it is damaged or truncated"),
    (
        ["fit", "MODEL", "--target", "y", "--out", "m.softwood"],
        "'people.softwood' is a model that softwood wrote; a table is CSV",
    ),
    (["fit", "people.csv", *GOOD, "--out", "folder"], "'folder' is a folder; name a file in it to write to."),
    (["predict", "people.csv", "people.csv"], "not a softwood file"),
    (["predict", "MODEL", "narrow.csv"], "no columns 'income', 'town', which the model needs"),
    (["predict", "MODEL", "wrong.csv"], "column 'income' holds categories, 'much' for example"),
    (["show", "MODEL", "--form", "poem"], "form must be"),
    (["inspect", "people.csv"], "not a softwood file"),
    (["compare", "people.csv", *GOOD], "--folds must be at least 2 to compare"),
    (["compare", "people.csv", *GOOD[:-2], "--models", "cart,forest"], "--model must be one of auto, cart"),
    (["explain", "MODEL", "people.csv", "--row", "120"], "--row must be from 0 to 119"),
    (["explain", "MODEL", "people.csv", "--answer", "maybe"], "--answer must be one of no, yes"),
    (["prune", "MODEL", "--n_leaves", "2"], "--out is required"),
    (["prune", "MODEL", "--n_leaves", "2", "--alpha", "1"], "give one of"),
    (["prune", "MODEL", "--n_leaves", "0", "--out", "m.softwood"], "n_leaves must be"),
    (["view", "MODEL", "--target", "good"], "--target needs DATA"),
    (["report", "MODEL", "people.csv", "--target", "god"], "did you mean 'good'?"),
    (["report", "MODEL", "people.csv", "--note", "hello"], "--note must be 'HEADING=text'"),
    (["export", "MODEL"], "--to must be one of c, dot"),
    (["export", "MODEL", "--to", "sql", "--dialekt", "sqlite"], "did you mean --dialect?"),
    (["export", "MODEL", "--to", "sql", "--dialect", "dbase"], "dialect must be"),
    (["export", "MODEL", "--to", "onnx"], "name it with --out"),
    (["scorecard", "MODEL", "--good", "well"], "--good must be one of"),
    (["scorecard", "MODEL", "--apply"], "--apply needs DATA"),
    (["scorecard", "MODEL", "--bins", "age=much"], "--bins must be like age=25,40"),
    (["grow"], "No such command 'grow'"),
    (["show"], "Missing argument 'MODEL'"),
    (["--colour"], "No such option"),
]
COMMANDS = [
    "fit",
    "compare",
    "predict",
    "show",
    "inspect",
    "explain",
    "prune",
    "view",
    "report",
    "export",
    "scorecard",
    "demo",
]
FILES = {
    "empty.csv": "",
    "header.csv": "good,limit,x\n",
    "equal.csv": "a,a,good,limit\n1,2,yes,1\n",
    "ragged.csv": "good,limit\nyes,1\nno\nyes,1,2,3\n",
    "list.json": '[{"a": 1}]',
    "dates.csv": "day,y\n" + "2001-02-03,1.5\n2001-02-04,2.5\n" * 6,
    "narrow.csv": "age\n30\n",
    "wrong.csv": "age,income,town\n30,much,Oslo\n",
    "same.csv": "a,b,y\n1,,2.5\n1,,3.5\n",
    "one.csv": "a,y\n1,2.5\n",
}
BYTES = {
    "bytes.csv": bytes(range(256)),
    "utf16.csv": "a,y\n1,2\n".encode("utf-16"),
    "latin.csv": "näme,y\n1,2\n".encode("latin1"),
    "cut.csv.gz": gzip.compress(b"a,y\n1,2\n" * 50)[:-12],
}


@pytest.mark.parametrize(("words", "told"), LINES, ids=[" ".join(words) for words, _ in LINES])
def test_an_error_is_one_line_and_exit_code_2(run: Any, model: str, words: list[str], told: str) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)
    for name, data in BYTES.items():
        Path(name).write_bytes(data)
    for name in ("folder", "headers", "unknown"):
        Path(name).mkdir()
    Path("headers/one.csv").write_text("good,limit,x\n")
    Path("unknown/one.csv").write_text("good,limit,x\n,1,2\n,3,4\n")
    before = sorted(Path.cwd().iterdir())
    result = run(*[model if word == "MODEL" else word for word in words], code=2)
    assert result.stdout == "" or words[0] in ("fit", "compare")  # they report the data before they fail to learn
    assert result.stderr.startswith("softwood: ")
    assert result.stderr.count("\n") == 1
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(Path.cwd().iterdir()) == before


def test_debug_shows_the_traceback(folder: Path) -> None:
    line = [sys.executable, "-m", "softwood", "show", "people.csv"]
    plain = warm_process.run(line)
    assert (plain.returncode, "Traceback" in plain.stderr) == (2, False)
    shown = warm_process.run([*line, "--debug"])
    assert "Traceback" in shown.stderr
    assert "FileError" in shown.stderr


# One process for all commands: it takes as long to start as ten of them.
HIDDEN = """
import json, sys
for name in ("pyarrow", "polars", "pandas"):
    sys.modules[name] = None
from typer.testing import CliRunner
from softwood.cli import app
done = [CliRunner().invoke(app, words) for words in json.loads(sys.argv[1])]
print(json.dumps([[each.exit_code, each.stderr] for each in done]))
"""


def test_without_a_library_to_read_tables_it_says_what_to_install(folder: Path, model: str) -> None:
    lines = [["fit", "absent.csv", *GOOD], ["predict", model, "people.csv"]]  # the first is refused before any work
    lines += [["show", model], ["export", model, "--to", "sql"], ["view", model]]
    child = [sys.executable, "-c", HIDDEN, json.dumps(lines)]
    done = subprocess.run(child, capture_output=True, text=True, env=CHILD, check=True)
    told = "softwood: reading a table needs pyarrow (or polars, or pandas): pip install 'softwood[tables]'\n"
    assert json.loads(done.stdout) == [[2, told], [2, told], [0, ""], [0, ""], [0, ""]]


def test_no_colours_where_nobody_looks(run: Any, model: str) -> None:
    for words in (["show", model], ["inspect", model], ["--help"], ["fit", "--help"]):
        assert "\x1b" not in run(*words).output


def test_help_names_every_command(run: Any) -> None:
    said = run("--help").stdout
    assert [name for name in COMMANDS if name not in said] == []


def test_an_environment_that_is_wrong_is_one_line() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "softwood", "--version"],
        capture_output=True,
        text=True,
        env=CHILD | {"SOFTWOOD_SIMD": "avx3"},
    )
    assert told.returncode == 2
    assert told.stderr.startswith("softwood: SOFTWOOD_SIMD must be one of 'avx512'")
    assert told.stderr.count("\n") == 1
