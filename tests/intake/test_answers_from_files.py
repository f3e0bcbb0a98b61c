"""Predictions for files, lazy frames and batches; names of targets from files; a target with one class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from softwood import (
    Batches,
    CARTClassifier,
    CARTRegressor,
    MixtureOfExpertsClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
)
from tests.intake.batch_tables import INPUTS, SMALL, table_of

HOW = {"gate": "linear", "leaf": "constant", "max_leaves": 4, "max_iter": 8, "weight_penalty": 1e-3}


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_files_are_answered_batch_by_batch_and_other_columns_are_left_alone(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("softwood.intake.parts.sources.MIN_BATCH_ROWS", 100)
    table = table_of(1000)
    path = tmp_path / f"rows.{form}"
    (pa.parquet.write_table if form == "parquet" else pa.csv.write_csv)(table, path)
    X = table.select(INPUTS).to_pandas()
    numbers = CARTRegressor(max_leaves=4).fit(X, table["y"].to_pandas())
    classes = SoftTreeClassifier(**HOW).fit(X, table["two"].to_pandas())
    small = Batches(path, memory=SMALL)
    lengths = [len(part) for part in small.frames()]
    assert len(lengths) > 1
    for source in (path, str(path), small, [path]):
        np.testing.assert_array_equal(numbers.predict(source), numbers.predict(X))
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function", "apply"):
        np.testing.assert_array_equal(getattr(classes, method)(small), getattr(classes, method)(X))
    lazy = pl.scan_parquet(path) if form == "parquet" else pl.scan_csv(path)
    np.testing.assert_array_equal(numbers.predict(lazy), numbers.predict(X))


def test_a_file_without_an_input_or_without_rows_is_refused(tmp_path: Path) -> None:
    table = table_of(50)
    model = CARTRegressor().fit(table.select(INPUTS).to_pandas(), table["y"].to_pandas())
    pa.parquet.write_table(table.drop_columns(INPUTS[:1]), tmp_path / "less.parquet")
    with pytest.raises(ValueError, match=rf"has no column '{INPUTS[0]}', which the model reads; it has "):
        model.predict(tmp_path / "less.parquet")
    pa.parquet.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    with pytest.raises(ValueError, match="has no rows to predict"):
        model.predict(tmp_path / "empty.parquet")
    with pytest.raises(FileNotFoundError, match="the file or folder"):
        model.predict(tmp_path / "none.parquet")
    plain = CARTRegressor().fit(np.ones((4, 2)), np.arange(4.0))
    np.testing.assert_array_equal(plain.predict(Batches([(np.ones((3, 2)), np.zeros(3))])), [1.5, 1.5, 1.5])


def test_the_target_of_a_file_keeps_its_name(tmp_path: Path) -> None:
    table = table_of(200)
    pa.parquet.write_table(table, tmp_path / "rows.parquet")
    source = Batches(tmp_path / "rows.parquet", columns=INPUTS)
    assert CARTRegressor(max_leaves=2, missing="direction").fit(source, "y").tree_.schema.answers == ("y",)
    renamed = table.rename_columns(["price" if name == "y" else name for name in table.column_names])
    pa.parquet.write_table(renamed, tmp_path / "rows.parquet")
    source = Batches(tmp_path / "rows.parquet", columns=INPUTS)
    assert CARTRegressor(max_leaves=2, missing="direction").fit(source, "price").tree_.schema.answers == ("price",)
    assert SoftTreeRegressor(**HOW).fit(source, "price").tree_.schema.answers == ("price",)
    assert SoftTreeClassifier(**HOW).fit(source, "two").tree_.schema.target == "two"


@pytest.mark.parametrize("kind", [CARTClassifier, SoftTreeClassifier, MixtureOfExpertsClassifier])
def test_a_target_of_one_class_warns(kind: type) -> None:
    with pytest.warns(UserWarning, match=r"y has one class, 'only': the tree is a single leaf") as caught:
        kind().fit(np.arange(12.0).reshape(6, 2), ["only"] * 6)
    assert len(caught) == 1
