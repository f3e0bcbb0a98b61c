"""DateParts: dates become days since 1970 and parts of the calendar, the same in every library."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from softwood import CARTRegressor, DateParts

DAYS = [date(1970, 1, 1), None, date(2024, 2, 29), date(1969, 12, 31)]
WANTED = [[0.0, 1.0, 4.0], [np.nan] * 3, [19782.0, 2.0, 4.0], [-1.0, 12.0, 3.0]]
FRAMES = {
    "pandas": lambda: pd.DataFrame({"when": pd.to_datetime(DAYS), "price": [1, 2, 3, 4]}),
    "polars": lambda: pl.DataFrame({"when": DAYS, "price": [1, 2, 3, 4]}),
    "pyarrow": lambda: pa.table({"when": DAYS, "price": [1, 2, 3, 4]}),
}


def as_array(frame) -> np.ndarray:
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    return frame.to_numpy(np.float64, na_value=np.nan)


@pytest.mark.parametrize("library", FRAMES)
def test_dates_are_days_and_parts(library):
    X = FRAMES[library]()
    found = DateParts().fit_transform(X)
    assert type(found) is type(X)
    table = as_array(found)
    np.testing.assert_array_equal(table[:, :3], WANTED)
    np.testing.assert_array_equal(table[:, 3], [1, 2, 3, 4])
    assert DateParts().fit(X).get_feature_names_out().tolist() == ["when", "when month", "when weekday", "price"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_times_are_parts_of_a_day(make):
    X = make({"at": [datetime(2000, 1, 1, 18), datetime(2000, 1, 2)]})
    table = as_array(DateParts(parts=["hour", "year", "day_of_year", "day"]).fit_transform(X))
    np.testing.assert_array_equal(table, [[10957.75, 18, 2000, 1, 1], [10958, 0, 2000, 2, 2]])


def test_hours_of_dates_without_a_time_are_zero():
    found = DateParts(parts=["hour"]).fit_transform(pl.DataFrame({"when": [date(2000, 1, 5)]}))
    assert found["when hour"].to_list() == [0.0]


def test_a_tree_finds_the_season_that_days_hide():
    days = pd.date_range("2020-01-01", periods=1200)
    X = pd.DataFrame({"when": days})
    y = np.where(np.isin(days.month, [6, 7, 8]), 10.0, 0.0) + 0.1 * np.random.default_rng(0).normal(size=1200)
    model = make_pipeline(DateParts(), CARTRegressor()).fit(X, y)
    later = pd.DataFrame({"when": pd.to_datetime(["2030-07-15", "2030-01-15"])})
    np.testing.assert_allclose(model.predict(later), [10, 0], atol=0.5)
    assert "when month" in str(model[-1].tree_)


def test_frames_without_dates_stay_as_they_are():
    X = pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    assert DateParts().fit_transform(X).equals(X)


def test_clones_and_errors_say_what_is_wrong():
    X = FRAMES["polars"]()
    assert clone(DateParts(parts=["day"])).parts == ["day"]
    with pytest.raises(TypeError, match="needs a data frame"):
        DateParts().fit([[1.0]])
    for wrong in (["months"], "month", ["day", "day"], 3):
        with pytest.raises(ValueError, match="parts must be"):
            DateParts(parts=wrong).fit(X)
    with pytest.raises(ValueError, match=r"'when month'.*rename"):
        DateParts().fit(X.with_columns(pl.lit(1).alias("when month")))
    fitted = DateParts().fit(X)
    with pytest.raises(ValueError, match="columns at fit"):
        fitted.transform(X.select("when"))
    with pytest.raises(ValueError, match="held dates at fit"):
        fitted.transform(X.with_columns(pl.lit(1).alias("when")))
    with pytest.raises(ValueError, match="DateParts"):
        CARTRegressor().fit(X, [1.0, 2.0, 3.0, 4.0])
