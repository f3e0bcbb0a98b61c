"""Laws of the intake of X: the same table from any container."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from softwood.intake.table.table import read_fit
from softwood.tree import Schema
from tests.intake.containers import FRAMES, KINDS, MIXED, Reader, fit, fit_predict, make

NAN = np.nan

NUMBERS = {"a": [1.5, None, -2.0], "b": [3, 1, 2], "c": [True, False, True]}
NUMBER_VALUES = [[1.5, 3, 1], [NAN, 1, 0], [-2, 2, 1]]
MIXED_VALUES = [[1.5, 1], [NAN, 0], [3.0, NAN]]


# -- one table, many containers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_the_same_through_every_container(kind: str) -> None:
    X = make(kind, NUMBERS)
    table = fit(X)
    names = ("a", "b", "c") if kind in FRAMES else ("x0", "x1", "x2")
    kinds = ("number", "number", "number" if kind == "lists" else "boolean")  # a list of lists has no dtype
    assert table.columns == Schema(names, (None, None, None), (), kinds=kinds)
    assert table.values.dtype == np.float64
    np.testing.assert_array_equal(table.values, NUMBER_VALUES)
    np.testing.assert_array_equal(fit_predict(X, X), NUMBER_VALUES)


@pytest.mark.parametrize("kind", KINDS)
def test_categories_are_the_same_through_every_container(kind: str) -> None:
    X = make(kind, MIXED)
    chosen = "from_dtype" if kind in FRAMES else [1]
    table = fit(X, chosen)
    assert table.columns.categories == (None, ("blue", "red"))
    np.testing.assert_array_equal(table.values, MIXED_VALUES)
    np.testing.assert_array_equal(fit_predict(X, X, chosen), MIXED_VALUES)
    assert table.columns.level_counts.tolist() == [0, 2]


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("chosen", [["colour"], [1], np.array([False, True]), "from_dtype"])
def test_categories_can_be_chosen_by_name_index_mask_or_dtype(kind: str, chosen: Any) -> None:
    np.testing.assert_array_equal(fit(make(kind, MIXED), chosen).values, MIXED_VALUES)


def declared(kind: str, values: list[str | None], levels: list[str]) -> Any:
    if kind == "pandas":
        return pd.DataFrame({"k": pd.Categorical(values, levels)})
    if kind == "polars":
        return pl.DataFrame({"k": pl.Series(values, dtype=pl.Enum(levels))})
    codes = [None if value is None else levels.index(value) for value in values]
    return pa.table({"k": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(levels))})


@pytest.mark.parametrize("kind", FRAMES)
def test_declared_levels_keep_their_order_and_stay_when_unused(kind: str) -> None:
    table = fit(declared(kind, ["low", None, "high"], ["low", "middle", "high"]))
    assert table.columns.categories == (("low", "middle", "high"),)
    np.testing.assert_array_equal(table.values, [[0], [NAN], [2]])


def test_a_polars_categorical_has_the_order_of_the_alphabet() -> None:
    pl.Series(["zebra"], dtype=pl.Categorical)  # a column elsewhere must not lend its levels
    assert fit(pl.DataFrame({"k": pl.Series(["b", "a"], dtype=pl.Categorical)})).columns.categories == (("a", "b"),)


def test_chunks_of_an_arrow_dictionary_are_united() -> None:
    chunks = [pa.DictionaryArray.from_arrays([1, None], ["z", "b"]), pa.DictionaryArray.from_arrays([0, 1], ["q", "b"])]
    table = fit(pa.table({"k": pa.chunked_array(chunks)}))
    assert table.columns.categories == (("z", "b", "q"),)
    np.testing.assert_array_equal(table.values.ravel(), [1, NAN, 2, 1])


@pytest.mark.parametrize("dtype", ["Int64", "Float32", "boolean", "int64[pyarrow]", "double[pyarrow]"])
def test_nullable_numbers_of_pandas(dtype: str) -> None:
    X = pd.DataFrame({"a": pd.array([1, None], dtype=dtype), "b": [0.5, 1.5]})
    np.testing.assert_array_equal(fit(X).values, [[1, 0.5], [NAN, 1.5]])


@pytest.mark.parametrize("dtype", [pl.UInt8, pl.Int64, pl.Float32, pl.Boolean, pl.Decimal(6, 2)])
def test_nullable_numbers_of_polars_and_arrow(dtype: Any) -> None:
    X = pl.DataFrame({"a": pl.Series([1, None]).cast(dtype), "b": [0.5, 1.5]})
    np.testing.assert_array_equal(fit(X).values, [[1, 0.5], [NAN, 1.5]])
    np.testing.assert_array_equal(fit(X.to_arrow()).values, [[1, 0.5], [NAN, 1.5]])


def test_missing_of_pandas_among_objects() -> None:
    X = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "k": pd.array(["u", None], dtype="string")})
    np.testing.assert_array_equal(fit(X[["a"]].to_numpy(object)).values, [[1], [NAN]])
    np.testing.assert_array_equal(fit(X.to_numpy(object), [1]).values, [[1, 0], [NAN, NAN]])


def test_a_masked_entry_is_missing() -> None:
    X = np.ma.array([[1.0, 2.0]], mask=[[False, True]])
    np.testing.assert_array_equal(fit(X).values, [[1, NAN]])


@pytest.mark.parametrize("dtype", [np.int64, np.float32, object])
def test_integer_codes_are_categories_where_named(dtype: Any) -> None:
    table = fit(np.array([[7, 1], [3, 2], [7, 3]], dtype), [0])
    assert table.columns.categories == ((3, 7), None)
    np.testing.assert_array_equal(table.values, [[1, 1], [0, 2], [1, 3]])


def test_naming_a_category_leaves_the_array_of_the_user_alone() -> None:
    X = np.array([[7.0], [3.0]])
    fit(X, [0])
    assert X.tolist() == [[7.0], [3.0]]


def test_an_array_of_text_gives_its_numbers_back() -> None:
    table = fit(np.array([["red", 1.5], ["blue", 2.0]]), [0])
    np.testing.assert_array_equal(table.values, [[1, 1.5], [0, 2]])


def test_levels_are_plain_python() -> None:
    X = pd.DataFrame({"cut": pd.cut([1.0, 2.0], [0, 1, 2]), "n": pd.Categorical(np.array([5, 4]))})
    assert fit(X).columns.categories == (("(0, 1]", "(1, 2]"), (4, 5))
    assert {type(level) for level in fit(X).columns.categories[1]} == {int}
    np.testing.assert_array_equal(fit_predict(X, X), [[0, 1], [1, 0]])


@pytest.mark.parametrize("X", [np.ones((4, 3)), np.asfortranarray(np.ones((4, 3))), np.ones((8, 6))[::-2, ::2]])
def test_a_float64_array_is_not_copied(X: np.ndarray) -> None:
    assert np.shares_memory(fit(X).values, X)
    assert np.shares_memory(fit_predict(X, X), X)


def test_a_narwhals_frame_is_a_frame() -> None:
    import narwhals

    assert fit(narwhals.from_native(pl.DataFrame({"a": [1]}))).columns.features == ("a",)


def test_columns_pickle_and_compare() -> None:
    columns = fit(pl.DataFrame(MIXED)).columns
    assert pickle.loads(pickle.dumps(columns)) == columns


# -- attributes and names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FRAMES)
def test_fit_sets_the_attributes_of_scikit_learn(kind: str) -> None:
    reader = Reader()
    read_fit(reader, make(kind, MIXED))
    assert reader.n_features_in_ == 2
    assert reader.feature_names_in_.tolist() == ["size", "colour"]
    read_fit(reader, np.ones((2, 3)))
    assert reader.n_features_in_ == 3
    assert not hasattr(reader, "feature_names_in_")


def test_column_names_that_are_no_text_count_as_none() -> None:
    assert fit(pd.DataFrame({2019: [1.0], 2020: [2.0]})).columns.features == ("x0", "x1")


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_in_another_order_are_refused(kind: str) -> None:
    later = make(kind, dict(reversed(MIXED.items())))
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        fit_predict(make(kind, MIXED), later)


def test_other_names_and_counts_are_refused_as_scikit_learn_does() -> None:
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- c"):
        fit_predict(frame, frame.rename(columns={"b": "c"}))
    with pytest.raises(ValueError, match="X has 1 features, but Reader is expecting 2 features as input"):
        fit_predict(np.ones((1, 2)), np.ones((1, 1)))


def test_an_array_after_a_frame_warns_and_is_read_by_position() -> None:
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Reader was fitted with"):
        values = fit_predict(pl.DataFrame(MIXED), np.array([[2.5, "red"]], object))
    np.testing.assert_array_equal(values, [[2.5, 1]])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        fit_predict(pd.DataFrame({"a": [1.0]}), np.ones((1, 1)))


def test_a_frame_after_an_array_warns() -> None:
    with pytest.warns(UserWarning, match="X has feature names, but Reader was fitted without feature names"):
        fit_predict(np.ones((2, 1)), pd.DataFrame({"a": [1.0]}))


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_fit_with_one_container_and_predict_with_another(one: str, other: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # names on one side only
        values = fit_predict(make(one, MIXED), make(other, MIXED), [1])
    np.testing.assert_array_equal(values, MIXED_VALUES)


# -- categories at predict ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_an_unseen_category_is_missing(kind: str) -> None:
    later = make(kind, {"size": [1.0, 2.0], "colour": ["pink", "blue"]})
    np.testing.assert_array_equal(fit_predict(make(kind, MIXED), later, [1]), [[1, NAN], [2, 0]])


@pytest.mark.parametrize("kind", FRAMES)
def test_a_row_of_nothing_but_missing_values_can_be_read(kind: str) -> None:
    later = make(kind, {"size": [None], "colour": [None]})
    np.testing.assert_array_equal(fit_predict(make(kind, MIXED), later), [[NAN, NAN]])


def test_a_column_that_was_all_missing_at_fit_reads_anything_later() -> None:
    frame = pl.DataFrame({"k": pl.Series([None, None], dtype=pl.String)})
    assert fit(frame).columns.categories == ((),)
    assert np.isnan(fit_predict(frame, pl.DataFrame({"k": ["new"]}))).all()
    assert np.isnan(fit(frame, None).values).all()


def test_codes_in_place_of_categories_are_refused() -> None:
    with pytest.raises(ValueError, match=r"column 'colour' had categories like 'blue' at fit and holds 1.0 now"):
        fit_predict(pd.DataFrame(MIXED), pd.DataFrame({"size": [1.0], "colour": [1.0]}))
    with pytest.raises(ValueError, match="column 'x0' had categories like 3 at fit and holds 'red' now"):
        fit_predict([[3], [4]], [["red"]], [0])


def test_text_where_a_number_was_is_refused() -> None:
    advice = "column 'a' holds categories, 'one' for example, but numbers are needed: it was a number at fit"
    with pytest.raises(ValueError, match=advice):
        fit_predict(pl.DataFrame({"a": [1.0]}), pl.DataFrame({"a": ["one"]}))
    with pytest.raises(ValueError, match=r"column 'x0' holds categories, 'one' for example.*it was a number at fit"):
        fit_predict([[1.0]], [["one"]])


# - choices ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [[], None, "from_dtype"])
def test_no_choice_leaves_numbers(chosen: Any) -> None:
    X = np.ones((2, 2))
    assert fit(X, chosen).values is X


def test_a_mask_of_categories_may_be_an_array() -> None:
    X = np.array([[0.0, 1.5], [2.0, 2.5]])
    for mask in (np.array([True, False]), [0], np.array([0])):
        assert read_fit(BaseEstimator(), X, mask).columns.categories == ((0.0, 2.0), None)


def test_an_array_after_a_frame_leaves_no_names_behind() -> None:
    estimator = BaseEstimator()
    read_fit(estimator, pd.DataFrame({"a": [1.0, 2.0]}))
    assert list(estimator.feature_names_in_) == ["a"]
    read_fit(estimator, np.ones((2, 3)))
    assert estimator.n_features_in_ == 3
    assert not hasattr(estimator, "feature_names_in_")
