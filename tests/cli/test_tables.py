"""Arrow, polars and pandas read tables equally, for any file name."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from softwood.cli.table import Table
from softwood.cli.table_files import BLOCK, LIBRARIES, READERS, Reading, read_table

TEXT = "age,town,member,born\n30,Oslo,true,2001-02-03\nNA,,false,2001-02-04\n41.5,NULL,true,2001-02-05\n"


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_kinds_and_missing_values_of_a_csv(tmp_path: Path, library: str) -> None:
    table = Table(read_table(write(tmp_path / "t.csv", TEXT), library=library), "t.csv")
    assert [table.kind(name) for name in table.names] == ["number", "category", "boolean", "date"]
    assert [table.n_missing(name) for name in table.names] == [1, 2, 0, 0]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(tmp_path: Path, library: str, separator: str) -> None:
    path = write(tmp_path / "t.txt", TEXT.replace(",", separator))
    assert Table(read_table(path, library=library), path).names == ["age", "town", "member", "born"]


def test_a_type_that_late_rows_tell_is_found(tmp_path: Path, library: str) -> None:
    rows = BLOCK // 2  # more than the first block of Arrow
    path = write(tmp_path / "t.csv", "x\n" + "1\n" * rows + "2.5\n")
    assert Table(read_table(path, library=library), path).numbers("x")[-1] == 2.5
    path = write(tmp_path / "u.csv", "x\n" + "1\n" * rows + "many\n")
    assert Table(read_table(path, library=library), path).kind("x") == "category"


def test_text_and_spellings_of_missing_can_be_told(tmp_path: Path, library: str) -> None:
    path = write(tmp_path / "t.csv", "code,x\n01,1\n1,?\n")
    table = Table(read_table(path, Reading(("code",), ("?",)), library), path)
    assert table.values("code") == ["01", "1"]
    assert table.n_missing("x") == 1


def test_every_kind_of_file_holds_the_same_rows(tmp_path: Path, people: pd.DataFrame, library: str) -> None:
    arrow = pyarrow.Table.from_pandas(people, preserve_index=False)
    files: dict[str, Any] = {"csv": tmp_path / "p.csv", "gz": tmp_path / "p", "jsonl": tmp_path / "p.jsonl"}
    people.to_csv(files["csv"], index=False)
    files["gz"].write_bytes(gzip.compress(files["csv"].read_bytes()))
    people.to_json(files["jsonl"], orient="records", lines=True)
    pyarrow.parquet.write_table(arrow, tmp_path / "p.parquet")
    with pyarrow.OSFile(str(tmp_path / "p.arrow"), "wb") as sink, pyarrow.ipc.new_file(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    for path in (*files.values(), tmp_path / "p.parquet", tmp_path / "p.arrow"):
        table = Table(read_table(str(path), library=library), str(path))
        assert table.names == people.columns.tolist(), path
        assert table.numbers("income").tolist() == people.income.tolist(), path
        assert table.n_missing("age") == 14, path
        assert table.values("town") == people.town.tolist(), path


def test_every_library_reads_every_kind() -> None:
    kinds = {kind for _, kind in READERS}
    assert set(READERS) == {(library, kind) for library in LIBRARIES for kind in kinds}
