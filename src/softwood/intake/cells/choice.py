"""Which columns are categories: the parameter `categorical_features`.

"from_dtype"      those of a categorical, enum or text dtype (an array has none)
None              none
names             of a data frame's columns
indices           from 0
boolean mask      one entry for every column
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def choose_categories(categorical_features: Any, names: Sequence[str], named: bool) -> frozenset[int] | None:
    """Indices of the category columns; None means that their dtypes decide.

    Parameters
    ----------
    categorical_features : str, None or list
        As the user gave it.
    names : sequence of str
        The names of all columns.
    named : bool
        Whether the names are the user's (a data frame) or generated (an array).

    Examples
    --------
    >>> sorted(choose_categories([True, False], ["x0", "x1"], named=False))
    [0]
    """
    if categorical_features is None:
        return frozenset()
    if isinstance(categorical_features, str) or np.ndim(categorical_features) != 1:
        if isinstance(categorical_features, str) and categorical_features == "from_dtype":
            return None
        raise ValueError(f"categorical_features must be {MEANINGS}, got {categorical_features!r}.")
    chosen = list(categorical_features)
    kinds = {_kind(entry) for entry in chosen}
    if not kinds:
        return frozenset()
    if kinds == {"bool"}:
        return _by_mask(chosen, len(names))
    if kinds == {"int"}:
        return _by_index(chosen, len(names))
    if kinds == {"str"}:
        return _by_name(chosen, names, named)
    raise ValueError(f"categorical_features must be {MEANINGS}, got {categorical_features!r}.")


MEANINGS = "'from_dtype', None, or a list of column names, of indices, or of one boolean per column"


def _kind(entry: Any) -> str:
    if isinstance(entry, bool | np.bool_):
        return "bool"
    if isinstance(entry, int | np.integer):
        return "int"
    return "str" if isinstance(entry, str) else "other"


def _by_mask(mask: list[Any], n_columns: int) -> frozenset[int]:
    if len(mask) != n_columns:
        raise ValueError(
            f"categorical_features as a boolean mask needs one entry for each of {n_columns} columns, got {len(mask)}."
        )
    return frozenset(int(column) for column in np.flatnonzero(mask))


def _by_index(indices: list[Any], n_columns: int) -> frozenset[int]:
    outside = [int(index) for index in indices if not 0 <= index < n_columns]
    if outside:
        raise ValueError(f"categorical_features as indices must lie in 0 .. {n_columns - 1}, got {outside}.")
    return frozenset(map(int, indices))


def _by_name(chosen: list[str], names: Sequence[str], named: bool) -> frozenset[int]:
    if not named:
        raise ValueError(
            f"categorical_features={chosen} are names, but the columns of X have none; "
            "pass a data frame with text as column names, or give indices."
        )
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise ValueError(
            f"categorical_features names columns that X does not have: {unknown}; it has {list(names)!r:.200}."
        )
    return frozenset(names.index(name) for name in chosen)
