"""The same small table in every container that X may be, and how the tests of intake read it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.base import BaseEstimator

from softwood.intake.table.table import Table, read_fit, read_predict

FRAMES = ["pandas", "polars", "pyarrow"]
KINDS = ["numpy", "lists", *FRAMES]
MIXED = {"size": [1.5, None, 3.0], "colour": ["red", "blue", None]}


class Reader(BaseEstimator):
    """An estimator that only reads."""


def fit(X: Any, categorical_features: Any = "from_dtype") -> Table:
    return read_fit(Reader(), X, categorical_features)


def fit_predict(X: Any, later: Any, categorical_features: Any = "from_dtype") -> np.ndarray:
    reader = Reader()
    columns = read_fit(reader, X, categorical_features).columns
    return read_predict(reader, later, columns)


def make(kind: str, data: dict[str, list[Any]]) -> Any:
    """The same table as a container of `kind`."""
    if kind == "pandas":
        return pd.DataFrame(data)
    if kind == "polars":
        return pl.DataFrame(data, strict=False)
    if kind == "pyarrow":
        return pa.table(data)
    rows = [list(row) for row in zip(*data.values(), strict=True)]
    return np.array(rows, object) if kind == "numpy" else rows
