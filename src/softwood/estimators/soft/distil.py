"""One soft tree fitted to the predictions of a forest, on the given rows and on synthetic rows near them.

A synthetic row takes some of its values from a row with a similar prediction (Bucilă, Caruana and Niculescu-Mizil,
"Model compression", 2006, choose a row with similar inputs). For classification there is one copy of a row per class,
weighted by the probability of the class; the copies of a row are all in one fold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.estimators.soft.classifier import SoftTreeClassifier
from softwood.estimators.soft.regressor import SoftTreeRegressor
from softwood.intake import options

EXCHANGED_SHARE = 0.3  # of the values of a synthetic row
NEAR_ROWS = 5  # rows on either side, in order of prediction, from which values are taken
LEAST_PROBABILITY = 0.01  # of a class; a row has no copy for a less probable class


def distilled(forest: Any, X: Any, n_made: int | None) -> Any:
    """The fitted tree."""
    rows = _with_made_rows(forest, X, n_made)
    given = forest._options()
    kind = SoftTreeClassifier if hasattr(forest, "classes_") else SoftTreeRegressor
    model = kind(**{name: value for name, value in given.items() if name in kind._get_param_names()})
    model.set_params(**({"class_weight": None} if kind is SoftTreeClassifier else {}))
    if kind is SoftTreeRegressor:
        return model.fit(rows, forest.predict(rows))
    probability = forest.predict_proba(rows)
    row, code = np.nonzero(probability >= LEAST_PROBABILITY)
    return model.fit(_take(rows, row), forest.classes_[code], sample_weight=probability[row, code], groups=row)


def _with_made_rows(forest: Any, X: Any, n_made: int | None) -> Any:
    """The rows, followed by the synthetic rows."""
    X = X if hasattr(X, "iloc") else np.asarray(X)
    if X.ndim != 2 or X.dtype == object if isinstance(X, np.ndarray) else False:
        raise ValueError("distil needs X as an array of numbers (rows, features) or a pandas data frame.")
    n = len(X)
    made = n if n_made is None else options.integer("n_made", n_made, 0)
    if made == 0 or n < 2:
        return X
    numbers = np.random.default_rng(options.seed_of(forest.random_state))
    answer = (
        forest.predict(X)
        if not hasattr(forest, "classes_")
        else forest.predict_proba(X) @ np.arange(len(forest.classes_))
    )
    order = np.argsort(answer if answer.ndim == 1 else answer[:, 0], kind="stable")
    at = numbers.integers(0, n, made)
    by = numbers.integers(1, NEAR_ROWS + 1, made) * numbers.choice([-1, 1], made)
    base, other = order[at], order[np.clip(at + by, 0, n - 1)]
    source = np.where(numbers.random((made, X.shape[1])) < EXCHANGED_SHARE, other[:, None], base[:, None])
    return _take_cells(X, np.concatenate([np.repeat(np.arange(n)[:, None], X.shape[1], axis=1), source]))


def _take(X: Any, row: npt.NDArray[np.intp]) -> Any:
    return X.iloc[row].reset_index(drop=True) if hasattr(X, "iloc") else X[row]


def _take_cells(X: Any, source: npt.NDArray[np.intp]) -> Any:
    """A table with the same columns; its cell (i, f) is cell (source[i, f], f) of X."""
    if isinstance(X, np.ndarray):
        return np.take_along_axis(X, source, axis=0)
    columns = {name: X[name].iloc[source[:, f]].reset_index(drop=True) for f, name in enumerate(X.columns)}
    return type(X)(columns)
