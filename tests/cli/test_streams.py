"""`softwood predict` of large files reads and writes in batches."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from softwood import CARTClassifier, save
from softwood.cli import app, streams

RUN = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model and the same rows in files of every kind, read by a hundred."""
    rng = np.random.default_rng(0)
    code = np.array(["01", "02", "x"])[rng.integers(0, 2, 1000)].tolist()
    table = pa.table({"id": np.arange(1000), "a": rng.normal(size=1000), "code": code})
    model = CARTClassifier(prune=None, max_depth=3).fit(
        table.select(["a", "code"]), np.where((table["a"].to_numpy() > 0) == (np.array(code) == "01"), "yes", "no")
    )
    save(model, tmp_path / "model.softwood")
    pa.parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=70)
    pa.csv.write_csv(table, tmp_path / "rows.csv")
    (tmp_path / "many").mkdir()
    for part in range(4):
        pa.parquet.write_table(table.slice(part * 250, 250), tmp_path / "many" / f"{part}.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("softwood.intake.parts.sources.MAX_BATCH_ROWS", 100)
    monkeypatch.setattr("softwood.intake.parts.sources.MIN_BATCH_ROWS", 100)
    return tmp_path


def run(*words: str) -> str:
    done = RUN.invoke(app, ["predict", "model.softwood", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_stream_answers_what_a_table_answers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("rows.csv", "--proba", "--keep", "id")
    as_json = run("rows.parquet", "--json")
    assert run("many", "--proba", "--keep", "id") == plain
    monkeypatch.setattr(streams, "BATCHED_MIN_BYTES", 10)
    for name in ("rows.csv", "rows.parquet"):
        assert run(name, "--proba", "--keep", "id") == plain
        run(name, "--proba", "--keep", "id", "-o", "out.csv")
        assert (folder / "out.csv").read_text() == plain
    assert run("rows.parquet", "--json") == as_json
    assert all(json.loads(line)["prediction"] in ("yes", "no") for line in as_json.splitlines())


def test_answers_go_to_parquet(folder: Path) -> None:
    run("rows.parquet", "--proba", "--keep", "id", "-o", "out.parquet")
    table = pa.parquet.read_table(folder / "out.parquet")
    assert table.column_names == ["id", "prediction", "p_no", "p_yes"]
    assert table.num_rows == 1000
    assert pa.parquet.ParquetFile(folder / "out.parquet").num_row_groups > 5  # a batch each
    plain = run("rows.csv").splitlines()[1:]
    assert table["prediction"].to_pylist() == plain


def test_a_failure_in_the_middle_leaves_no_file(folder: Path) -> None:
    bad = pa.table({"a": np.ones(10)})
    pa.parquet.write_table(bad, folder / "bad.parquet")
    done = RUN.invoke(app, ["predict", "model.softwood", "bad.parquet", "-o", "out.parquet"])
    assert done.exit_code != 0
    assert sorted(path.name for path in folder.iterdir() if "out" in path.name) == []
