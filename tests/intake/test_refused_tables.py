"""What intake refuses of X, and the choices of categories that mean nothing, with clear errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import config_context

from softwood.intake.table.table import read_fit, read_predict
from tests.intake.containers import FRAMES, KINDS, MIXED, Reader, fit, fit_predict, make

NAN = np.nan

REFUSED: list[tuple[Any, type[Exception], str]] = [
    (np.ones(3), ValueError, "Expected 2D array, got 1D array instead.*\n.*\nReshape your data"),
    (np.ones((2, 2, 2)), ValueError, "Found array with dim 3"),
    (np.ones((0, 2)), ValueError, re.escape("Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1")),
    (np.ones((2, 0)), ValueError, re.escape("Found array with 0 feature(s) (shape=(2, 0)) while a minimum of 1")),
    (np.array([[1j]]), ValueError, "Complex data not supported"),
    (sparse.csr_array((2**20, 2**20)), ValueError, "sparse matrix of 1,048,576 rows .* the maximum is 4 GiB"),
    (sparse.csr_array(np.array([[1j]])), ValueError, "Complex data not supported"),
    (np.array([[{"a": 1}]], object), TypeError, "argument must be .* string.* number"),
    (np.array([["2020-01-01"]], "M8[D]"), ValueError, r"X has dtype datetime64\[D\]; .* Convert it to numbers"),
    ("text", ValueError, "could not convert string to float"),
    ([[1.0, "red"]], ValueError, "column 'x1' holds categories, 'red' for example.* name it in categorical_features"),
    (pl.LazyFrame({"a": [1]}), TypeError, r"X is a lazy frame \(LazyFrame\).* call .collect\(\) first"),
    (pd.DataFrame({"a": []}), ValueError, re.escape("Found array with 0 sample(s) (shape=(0, 1))")),
    (pa.table({"a": pa.array([], pa.int64())}), ValueError, re.escape("Found array with 0 sample(s) (shape=(0, 1))")),
    (pd.DataFrame(index=[0, 1]), ValueError, re.escape("Found array with 0 feature(s) (shape=(2, 0))")),
    (pl.DataFrame(), ValueError, "Found array with 0 "),
    (pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]), ValueError, "X has more than one column named 'a'; give each"),
    (pa.table([[1], [2]], names=["a", "a"]), ValueError, "X has more than one column named 'a'; give each"),
    (pd.DataFrame({"a": [1], 2: [2]}), TypeError, "Feature names are only supported if all input features have string"),
    (pd.DataFrame({"m": [1, "one", None]}), ValueError, r"'m' mixes types, for example 1 \(int\) and 'one' \(str\)"),
    (pd.DataFrame({"c": [1j]}), ValueError, r"column 'c' holds values like 1j \(complex\)"),
    (pd.DataFrame({"p": pd.period_range("2020", periods=1)}), ValueError, "column 'p' holds values like Period"),
    (
        pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}),
        ValueError,
        "column 't' has dtype Datetime.* softwood.DateParts",
    ),
    (pl.DataFrame({"t": pl.Series([1]).cast(pl.Date)}), ValueError, "column 't' has dtype Date; .* softwood.DateParts"),
    (pa.table({"t": pa.array([1], pa.duration("s"))}), ValueError, "column 't' has dtype Duration"),
    (pl.DataFrame({"n": [[1, 2]]}), ValueError, r"column 'n' has dtype List\(Int64\); a cell must be one number"),
    (pa.table({"s": [{"a": 1}]}), ValueError, "column 's' has dtype Struct"),
    (pa.table({"b": [b"x"]}), ValueError, "column 'b' has dtype Binary"),
]


@pytest.mark.parametrize(("X", "error", "words"), REFUSED)
def test_what_cannot_be_read_is_refused_in_words(X: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fit(X)


@pytest.mark.parametrize("X", [np.ones((1, 2)), np.ones(2), np.ones((0, 2)), sparse.csr_array(np.ones((1, 2)))])
def test_predict_is_as_strict_as_validate_data(X: Any) -> None:
    """The short way of predict must not let pass what the long way refuses."""
    reader = Reader()
    columns = read_fit(reader, np.ones((2, 3))).columns
    with pytest.raises((ValueError, TypeError), match=r"expecting 3 features|Reshape|0 sample"):
        read_predict(reader, X, columns)


@pytest.mark.parametrize("kind", KINDS)
def test_infinity_is_refused_by_column_and_first_row(kind: str) -> None:
    X = make(kind, {"a": [1.0, NAN, 2.0, 0.0], "b": [1.0, 2.0, -np.inf, np.inf]})
    name = "b" if kind in FRAMES else "x1"
    words = f"Input X contains infinity: column '{name}', row 2 is -inf. Replace it by NaN"
    with pytest.raises(ValueError, match=words):
        fit(X)
    finite = make(kind, {"a": [1.0], "b": [1.0]})
    with pytest.raises(ValueError, match=words):
        fit_predict(finite, X)
    with config_context(assume_finite=True):
        assert fit(X).values[2, 1] == -np.inf


def test_infinity_in_a_category_column_is_refused_too() -> None:
    with pytest.raises(ValueError, match="contains infinity: column 'x0', row 1 is inf"):
        fit(np.array([[1.0], [np.inf]]), [0])


def test_large_numbers_are_not_infinity() -> None:
    X = np.full((3, 2), 1e308)
    assert fit(X).values is X


def test_none_reads_numbers_only() -> None:
    with pytest.raises(ValueError, match="column 'colour' holds categories, 'red' for example, but numbers are needed"):
        fit(pd.DataFrame(MIXED), None)
    with pytest.raises(ValueError, match="column 'colour' holds categories"):
        fit(pd.DataFrame(MIXED), ["size"])


CHOICES: list[tuple[Any, str]] = [
    ("colour", "categorical_features must be 'from_dtype', None, or a list .*, got 'colour'"),
    (1, "categorical_features must be 'from_dtype', None, or a list .*, got 1"),
    ([0, "colour"], "categorical_features must be 'from_dtype', None, or a list"),
    (["hue"], r"names columns that X does not have: \['hue'\]; it has \['size', 'colour'\]"),
    ([2, -1], r"as indices must lie in 0 .. 1, got \[2, -1\]"),
    ([True], "as a boolean mask needs one entry for each of 2 columns, got 1"),
]


@pytest.mark.parametrize(("chosen", "words"), CHOICES)
def test_a_choice_that_means_nothing_is_refused(chosen: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fit(pd.DataFrame(MIXED), chosen)


def test_names_need_a_frame() -> None:
    with pytest.raises(
        ValueError, match=r"categorical_features=\['colour'\] are names, but the columns of X have none"
    ):
        fit(np.ones((2, 2)), ["colour"])
