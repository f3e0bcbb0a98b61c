"""Loading: the content of the file is returned; errors are raised before any work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn.datasets

from softwood.datasets import ChecksumError, load, names
from softwood.datasets.catalog import ENTRIES, Entry, find


def test_the_thirty_sets_are_ten_of_each_task() -> None:
    assert [len(names(task)) for task in ("regression", "binary", "multiclass")] == [10, 10, 10]
    assert len({entry.code for entry in ENTRIES}) == len(names()) == 30


def test_a_file_comes_back_as_written(folder: Path) -> None:
    data = load("boston", folder=folder)
    assert data.feature_names == ("a", "b")
    np.testing.assert_array_equal(data.X[:3], [[1, 2], [2, np.nan], [3, 4]])
    np.testing.assert_array_equal(data.y, [10, 20, 30, 40, 50, 60])
    assert (data.name, data.code, data.task, data.y.dtype.kind) == ("boston", "BOS", "regression", "f")


def test_the_folder_may_be_named_by_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTWOOD_DATA", str(folder))
    assert load("GLA").y.dtype.kind == "i"


def test_a_file_need_not_be_packed(tmp_path: Path) -> None:
    (tmp_path / "ecoli.csv").write_text("mcg,target\n0.5,cp\n,im\n")
    data = load("ecoli", folder=tmp_path)
    assert data.y.tolist() == ["cp", "im"]
    assert np.isnan(data.X[1, 0])


def test_a_changed_file_is_refused(folder: Path) -> None:
    (folder / "boston.csv.gz").write_bytes((folder / "glass.csv.gz").read_bytes())
    with pytest.raises(ChecksumError, match=r"boston\.csv\.gz does not match MANIFEST\.csv"):
        load("boston", folder=folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,target\n1,2\n3\n", "line 3: 1 cells, but the header has 2"), ("a,target\nx,2\n", "inputs must be numbers")],
)
def test_a_bad_file_is_refused_in_words(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "concrete.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        load("concrete", folder=tmp_path)


def test_an_unknown_name_is_refused_with_a_guess() -> None:
    with pytest.raises(ValueError, match=r"name must be one of abalone, .*, got 'glas'\. Did you mean 'glass'\?"):
        load("glas")
    with pytest.raises(ValueError, match="task must be None or one of 'regression'"):
        names("ranking")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="folder must name a folder with data sets"):
        load("glass", folder=tmp_path / "nowhere")


def answer_with(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    """Let OpenML return this (or fail)."""

    def fetch(name: str, **_: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.delenv("SOFTWOOD_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)


def test_offline_and_absent_says_where_to_put_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, OSError("no network"))
    with pytest.raises(FileNotFoundError, match=r"\(no network\)\. Put glass\.csv\.gz .* SOFTWOOD_DATA or folder="):
        load("glass")


def test_a_set_that_openml_lacks_says_where_to_put_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, AssertionError("must not be asked"))
    with pytest.raises(FileNotFoundError, match="polyadenylation is not on OpenML in the papers' form"):
        load("polyadenylation")


def bunch(entry: Entry, rows: int) -> Any:
    """A response of OpenML."""
    columns = [*entry.drop, *(f"x{i}" for i in range(entry.features))]
    X = np.tile(np.arange(len(columns), dtype=float), (rows, 1))
    return SimpleNamespace(data=X, target=np.full(rows, "7.5"), feature_names=columns)


def test_openml_gives_the_papers_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = find("abalone")
    answer_with(monkeypatch, bunch(entry, entry.rows))
    data = load("abalone")
    assert data.X.shape == (entry.rows, entry.features)
    assert (data.X[0, 0], data.y[0], data.folder) == (1.0, 7.5, None)  # Sex is dropped


def test_another_set_of_the_same_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, bunch(find("abalone"), 100))
    with pytest.raises(ValueError, match="has 100 rows and 7 inputs, the papers' abalone has 4177 and 7"):
        load("abalone")


def test_reading_a_folder_imports_no_scikit_learn() -> None:
    program = "import sys, softwood.datasets; print(any(name.startswith('sklearn') for name in sys.modules))"
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert said.strip() == "False"
