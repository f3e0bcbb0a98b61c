"""DateParts: columns of dates as numbers for trees, as a step of a pipeline before any estimator.

    when            days since 1970-01-01, with the time of day as a fraction
    when month      1 to 12, and other parts of the date

Splits on days find trends; splits on months or weekdays find seasonal effects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from softwood.intake.cells.frames import CALENDAR, column_names, date_columns, spread_dates

Names = npt.NDArray[np.object_]


class DateParts(TransformerMixin, BaseEstimator):
    """Dates of a data frame as days since 1970, with further columns for month, weekday and other parts.

    Parameters
    ----------
    parts : sequence of {"year", "month", "day", "weekday", "day_of_year", "hour"}
        Columns that are added for each date. A weekday is 1 (Monday) to 7; the hour of a date without a time is 0.

    Attributes
    ----------
    date_columns_ : names of the columns that held dates at fit.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> import polars as pl
    >>> from datetime import date
    >>> X = pl.DataFrame({"when": [date(1970, 1, 2), date(1970, 3, 1)], "price": [3.0, 4.0]})
    >>> DateParts().fit_transform(X).rows()
    [(1.0, 1.0, 5.0, 3.0), (59.0, 3.0, 7.0, 4.0)]
    """

    date_columns_: list[str]

    def __init__(self, *, parts: Any = ("month", "weekday")) -> None:
        self.parts = parts

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the columns that hold dates.

        Parameters
        ----------
        X : data frame (pandas, polars, pyarrow, ...); columns without dates stay as they are.
        y : ignored.
        """
        self._checked_parts()
        found = date_columns(X)
        if found is None:
            raise TypeError(f"DateParts needs a data frame with date columns, got {type(X).__name__}.")
        names = column_names(X)
        made = [f"{name} {part}" for name in found for part in self._checked_parts()]
        taken = sorted(set(made) & set(names))
        if taken:
            raise ValueError(f"DateParts would add a column {taken[0]!r}, which X already has: rename it.")
        self.date_columns_, self.feature_names_in_, self.n_features_in_ = found, np.array(names, object), len(names)
        return self

    def transform(self, X: Any) -> Any:
        """The frame, of the same library, with numbers in place of dates; a missing date gives missing values."""
        check_is_fitted(self, "date_columns_")
        if date_columns(X) is None or column_names(X) != self.feature_names_in_.tolist():
            raise ValueError(f"X must be a data frame of the columns at fit: {self.feature_names_in_.tolist()!r:.200}.")
        other = [name for name in self.date_columns_ if name not in (date_columns(X) or ())]
        if other:
            raise ValueError(f"column {other[0]!r} held dates at fit but does not now: convert it to dates.")
        return spread_dates(X, self.date_columns_, self._checked_parts())

    def get_feature_names_out(self, input_features: Any = None) -> Names:
        """The names of the columns that `transform` returns."""
        check_is_fitted(self, "date_columns_")
        found = []
        for name in self.feature_names_in_.tolist():
            found += [name, *(f"{name} {part}" for part in self._checked_parts() if name in self.date_columns_)]
        return np.array(found, object)

    def _checked_parts(self) -> list[str]:
        if isinstance(self.parts, str) or not isinstance(self.parts, Iterable):
            raise ValueError(f"parts must be a list of {', '.join(CALENDAR)}, got {self.parts!r}.")
        parts = list(self.parts)
        for part in parts:
            if part not in CALENDAR or parts.count(part) > 1:
                raise ValueError(f"parts must be distinct names among {', '.join(CALENDAR)}, got {parts!r}.")
        return parts
