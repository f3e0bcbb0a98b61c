"""Laws of the intake of y: classes as in scikit-learn, numbers as a table, and clear errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from softwood.intake.table.target import encode_classes, read_classes, read_numbers

LABELS = {"text": ["b", "a", "b"], "integers": [3, 1, 3], "booleans": [True, False, True], "whole": [2.0, 1.0, 2.0]}
CONTAINERS = {
    "list": list,
    "numpy": np.array,
    "objects": lambda values: np.array(values, object),
    "pandas": pd.Series,
    "pandas categorical": lambda values: pd.Series(pd.Categorical(values)),
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "polars": pl.Series,
    "arrow array": pa.array,
    "arrow chunks": lambda values: pa.chunked_array([values]),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_classes_are_sorted_and_codes_point_at_them(labels: list[Any], container: Any) -> None:
    classes, codes = read_classes(container(labels))
    assert classes.tolist() == sorted(set(labels))
    assert codes.dtype == np.int32
    assert codes.tolist() == [1, 0, 1]
    assert classes[codes].tolist() == labels
    assert encode_classes(container(labels), classes).tolist() == [1, 0, 1]


def test_classes_have_the_dtype_that_scikit_learn_gives() -> None:
    assert read_classes(["no", "yes"])[0].dtype == np.dtype("<U3")
    assert read_classes(np.array([1, 2], np.int8))[0].dtype == np.int8
    assert read_classes([True, False])[0].dtype == np.bool_
    assert read_classes(pl.Series(["a", "b"]))[0].dtype == object


def test_one_class_and_one_row_are_no_error() -> None:
    assert read_classes(["a", "a"])[0].tolist() == ["a"]
    assert read_classes([5])[1].tolist() == [0]


def test_a_column_vector_warns_and_is_read() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
        assert read_classes(np.array([[1], [2]]))[1].tolist() == [0, 1]
    with pytest.warns(DataConversionWarning):
        assert read_classes(pd.DataFrame({"y": ["b", "a"]}))[1].tolist() == [1, 0]


MISSING = "Input y contains NaN or None, first at row 1; drop rows without a value"
NO_CLASSES: list[tuple[Any, str]] = [
    ([1.5, 2.0], "Unknown label type: continuous"),
    (pl.Series([1.5, 2.0]), "Unknown label type: continuous"),
    (np.array([{}, {}], object), "Unknown label type"),
    (pd.Series(pd.to_datetime(["2020", "2021"])), "Unknown label type"),
    ([1, "a"], "y mixes labels of different types, 'a' and 1; convert them to one type"),
    (np.array(["a", 1], object), "y mixes labels of different types, 'a' and 1"),
    ([1.0, np.nan], MISSING),
    ([1, None], MISSING),
    (["a", None], MISSING),
    (["a", np.nan], MISSING),
    (pd.Series(["a", None]), MISSING),
    (pd.Series([1, None], dtype="Int64"), MISSING),
    (pl.Series(["a", None]), MISSING),
    (pl.Series([1.0, np.nan]), MISSING),
    (pa.chunked_array([["a", None]]), MISSING),
    ([1.0, np.inf], "Input y contains infinity, first at row 1; it is not a label"),
    ([[1, 2], [3, 4]], r"y should be a 1d array, got an array of shape \(2, 2\) instead"),
    (None, "requires y to be passed, but the target y is None"),
]


@pytest.mark.parametrize(("y", "words"), NO_CLASSES)
def test_what_is_no_class_label_is_refused_in_words(y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_classes(y)


def test_labels_that_are_none_of_the_classes_are_named() -> None:
    with pytest.raises(ValueError, match=r"not among the classes: \['maybe'\]; the classes are \['no', 'yes'\]"):
        encode_classes(["no", "maybe"], np.array(["no", "yes"]))
    with pytest.raises(ValueError, match=r"not among the classes: \['1'\]; the classes are \[0, 1\]"):
        encode_classes(["1"], np.array([0, 1]))


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_numbers_are_the_same_through_every_container(container: Any) -> None:
    values, one_dimension = read_numbers(container([1.5, 3.0]))
    assert one_dimension
    assert values.dtype == np.float64
    assert values.tolist() == [[1.5], [3.0]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_many_targets_stay_a_table(frame: Any) -> None:
    values, one_dimension = read_numbers(frame({"u": [1, 2], "v": [0.5, 1.5]}))
    assert not one_dimension
    assert values.tolist() == [[1.0, 0.5], [2.0, 1.5]]


def test_one_column_is_one_target_with_scikit_learns_warning() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        values, one_target = read_numbers(np.ones((3, 1)))
    assert one_target
    assert values.shape == (3, 1)


def test_float64_targets_are_not_copied() -> None:
    y = np.arange(4.0)
    assert np.shares_memory(read_numbers(y)[0], y)


NO_NUMBERS: list[tuple[Any, str]] = [
    ([1.0, np.nan], "Input y contains NaN"),
    (pl.Series([1.0, None]), MISSING),
    ([1.0, None], "Input y contains NaN"),
    ([1.0, np.inf], "Input y contains infinity"),
    (["1.5", "2"], r"y must hold numbers, got '1.5' \(str\)"),
    (pd.Series(["low", "high"]), r"y must hold numbers, got 'low' \(str\)"),
    (np.array(["2020"], "M8[Y]"), r"y must hold numbers, got .* \(date\)"),
    ([1j], r"y must hold numbers, got 1j \(complex\)"),
    (3.0, "y must have one number per row, got 3.0"),
    (np.ones((2, 2, 2)), "Found array with dim 3"),
    (None, "requires y to be passed, but the target y is None"),
]


@pytest.mark.parametrize(("y", "words"), NO_NUMBERS)
def test_what_is_no_number_is_refused_in_words(y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_numbers(y)
