"""The inputs of explanations: the tree inside a model, encoded rows, background rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.formats.models import look_inside
from softwood.tree import Tree

COVERAGE = 0.9  # coverage of the intervals
STANDS_FOR_MISSING = np.finfo(np.float64).max  # sortable, unlike NaN


@dataclass(frozen=True)
class Background:
    """Distinct background rows, sorted by content, and their weights (sum 1)."""

    rows: Floats
    weight: Floats


def open_model(model: Any, wanted_by: str) -> Tree:
    """The tree of a `Tree`, a fitted estimator, a pipeline or a search; an error names the function that needs it."""
    return look_inside(model, wanted_by=wanted_by).tree


def read_rows(model: Any, X: Any, name: str = "X") -> Floats:
    """X, as for the model's `predict`, encoded for its tree: (rows, inputs)."""
    model, X = through_steps(model, X)
    if isinstance(model, Tree):
        return _read_by_schema(model, X, name)
    return np.asarray(model.encode(X), np.float64)


def find_intervals(model: Any, rows: Floats, tree: Tree) -> Floats | None:
    """Intervals of 90 % around the predictions for encoded rows, if the estimator has held-out rows."""
    inside = through_steps(model, None, transform=False)[0]
    known = getattr(inside, "_intervals_of", None)
    return None if known is None else known(rows, tree.predict(rows), COVERAGE)


def through_steps(model: Any, X: Any, transform: bool = True) -> tuple[Any, Any]:
    """The tree or estimator inside a pipeline or a search, and X after the earlier steps."""
    while not isinstance(model, Tree):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(getattr(model, "steps", None), list):
            for _, step in model.steps[:-1]:
                if transform and step is not None and step != "passthrough":
                    X = step.transform(X)
            model = model.steps[-1][1]
        else:
            break
    return model, X


def _read_by_schema(tree: Tree, X: Any, name: str) -> Floats:
    """For a bare tree: an array of numbers is encoded already, as for `Tree.predict`; a nested list or a data frame
    holds cells.
    """
    schema, table = tree.schema, read_table(tree, X, name)
    if table.dtype.kind in "biuf" and (isinstance(X, np.ndarray) or schema.all_numbers):
        values = table.astype(np.float64)
        if np.isinf(values).any():
            raise ValueError(f"{name} must be finite or missing, got an infinite number.")
        return values
    return schema.encode(table.astype(object))


def read_table(tree: Tree, X: Any, name: str = "X") -> npt.NDArray[Any]:
    """The cells of an array, a nested list or a data frame; named columns in the order of the inputs."""
    named, features = column_names(X), tree.schema.features
    cells = X.to_numpy() if hasattr(X, "to_numpy") else X
    table = cells if isinstance(cells, np.ndarray) else np.asarray(cells, object)  # a list may mix text and numbers
    if table.ndim != 2 or table.shape[1] != tree.n_features:
        raise ValueError(
            f"{name} must have shape (rows, {tree.n_features}), a column for each input, got {table.shape}."
        )
    if named and sorted(named) == sorted(features) and len(set(named)) == len(named):
        table = table[:, [named.index(feature) for feature in features]]
    return table


def column_names(X: Any) -> list[str]:
    """Names of the columns of a data frame or a table of Arrow, whose `columns` are the cells; none of an array.

    >>> import pandas
    >>> column_names(pandas.DataFrame({"age": [3], "town": ["Oslo"]})), column_names([[3, "Oslo"]])
    (['age', 'town'], [])
    """
    names = getattr(X, "column_names", None)
    found = names if isinstance(names, list) else getattr(X, "columns", ())  # of pandas it may be a column's name
    return [str(name) for name in found]


def some_rows(rows: Floats, name: str) -> Floats:
    """The rows; an error if there are none."""
    if len(rows) == 0:
        raise ValueError(f"{name} has no rows; pass at least one.")
    return rows


def make_background(rows: Floats, weight: Any = None) -> Background:
    """Equal rows are merged and their weights added, so neither order nor number matters."""
    given = np.ones(len(rows)) if weight is None else np.asarray(weight, np.float64)
    if given.shape != (len(rows),) or not np.isfinite(given).all() or given.min(initial=0.0) < 0 or not given.any():
        raise ValueError(
            f"background_weight must be {len(rows)} finite numbers, one for each background row, none below 0 and not "
            f"all 0, got shape {given.shape}."
        )
    rows, given = rows[given > 0] + 0.0, given[given > 0]
    keys = np.where(np.isnan(rows), STANDS_FOR_MISSING, rows)
    _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    total = np.bincount(where.ravel(), given / given.max(), len(first))
    return Background(rows[first], total / total.sum())


def choose(background: Background, most: int, seed: int) -> Background:
    """A sample of at most this number of rows, evenly spaced by weight in a random order."""
    if len(background.weight) <= most:
        return background
    order = np.random.default_rng(seed).permutation(len(background.weight))
    ends = np.cumsum(background.weight[order])
    at = np.searchsorted(ends, (np.arange(most) + 0.5) / most * ends[-1])
    chosen, times = np.unique(order[np.minimum(at, len(order) - 1)], return_counts=True)
    return Background(background.rows[chosen], times / most)
