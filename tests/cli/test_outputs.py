"""Outputs of commands: never over an input, and an error names the requested file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from softwood.formats.replace import replace_file
from tests.cli.conftest import CHILD

FIT = ["fit", "people.csv", "--target", "good", "--model", "cart", "--folds", "0", "--out"]
LINES = [
    (FIT, "people.csv"),
    (["predict", "MODEL", "people.csv", "--out"], "people.csv"),
    (["predict", "MODEL", "people.csv", "--out"], "people.softwood"),
    (["predict", "MODEL", "people.parquet", "--out"], "people.parquet"),
    (["export", "MODEL", "--to", "python", "--out"], "people.softwood"),
    (["view", "MODEL", "people.csv", "--out"], "people.softwood"),
    (["view", "MODEL", "people.csv", "--out"], "people.csv"),
    (["report", "MODEL", "people.csv", "--target", "good", "--out"], "people.softwood"),
    (["report", "MODEL", "people.csv", "--target", "good", "--out"], "people.csv"),
]


@pytest.mark.parametrize("name", ["itself", "symbolic", "hard"])
@pytest.mark.parametrize(("words", "lost"), LINES, ids=[f"{' '.join(words)} {lost}" for words, lost in LINES])
def test_what_a_command_reads_is_not_written_over(
    run: Any, model: str, people: Any, words: list[str], lost: str, name: str
) -> None:
    people.to_parquet("people.parquet")
    before = Path(lost).read_bytes()
    out = {"itself": f"./{lost}", "symbolic": "symbolic.link", "hard": "hard.link"}[name]
    if name == "symbolic":
        Path(out).symlink_to(lost)
    elif name == "hard":
        os.link(lost, out)
    said = run(*[model if word == "MODEL" else word for word in words], out, code=2)
    assert f"writing to {out!r} would replace {lost!r}, which this command reads" in said.stderr
    assert said.stdout == ""  # before any work
    assert Path(lost).read_bytes() == before
    assert Path(out).samefile(lost)


def test_a_file_of_the_folder_that_is_read_is_not_written_over(run: Any, model: str, people: Any) -> None:
    Path("tables").mkdir()
    people.to_csv("tables/one.csv", index=False)
    said = run("predict", model, "tables", "--out", "tables/one.csv", code=2)
    assert "would replace a file of 'tables', which this command reads" in said.stderr
    run("predict", model, "tables", "--out", "answers.csv")


def test_the_file_behind_a_pipe_is_not_written_over(folder: Path, model: str) -> None:
    line = [sys.executable, "-m", "softwood", "predict", model, "-", "--out", "people.csv"]
    with Path("people.csv").open("rb") as rows:
        done = subprocess.run(line, stdin=rows, capture_output=True, text=True, env=CHILD, check=False)
    assert done.returncode == 2
    assert "would replace the standard input" in done.stderr


def test_a_pruned_model_may_replace_the_model(run: Any, model: str) -> None:
    said = run("prune", model, "--n_leaves", "2", "--out", model).stdout
    assert run("show", model).stdout.strip() == said.removesuffix(f"\nwrote  {model}\n").strip()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody may make a file")
@pytest.mark.parametrize("name", ["answers.csv", "answers.parquet"])
def test_an_error_names_the_file_that_was_asked_for(run: Any, model: str, name: str) -> None:
    said = run("predict", model, "people.csv", "--out", f"/proc/{name}", code=2).stderr
    assert f"'/proc/{name}'" in said
    assert ".tmp" not in said


def test_a_folder_that_may_not_be_written_to_is_refused_before_the_work(
    run: Any, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    said = run(*FIT, "new.softwood", code=2)
    assert (said.stdout, said.stderr) == (
        "",
        "softwood: 'new.softwood' may not be read or written; check its permissions.\n",
    )


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 120)  # 240 bytes of the 255 that there is room for
    replace_file(path, [b"one"])
    replace_file(path, [b"two"])
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]
