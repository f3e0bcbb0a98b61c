"""Groups of rows (patients, customers, days) that are not split across folds: the parameter `groups` of `fit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from softwood.arrays import Floats, Longs
from softwood.intake.table.target import find_labels


def read_groups(groups: Any, weight: Floats) -> Longs | None:
    """The number of each row's group, in the order of their sorted names; None if not given.

    Examples
    --------
    >>> read_groups(["ann", "bob", "ann"], np.ones(3))
    array([0, 1, 0])
    """
    if groups is None:
        return None
    _, code, _ = find_labels(groups, "groups")
    check_consistent_length(weight, code)
    there = code[weight > 0]
    if len(there) > 1 and np.all(there == there[:1]):
        raise ValueError(
            "groups must name at least two groups, so that some rows can be held out, but all rows have the same "
            "group. Omit groups to split row by row."
        )
    return code.astype(np.int64)


def refuse_groups(groups: Any) -> None:
    """An error for groups of out-of-core rows."""
    if groups is not None:
        raise ValueError("groups need rows in memory: batched rows are assigned to folds by their content.")


def refuse_divided(folds: Sequence[tuple[Longs, Longs]], group: Longs | None, cv: Any) -> None:
    """An error if the user's folds train and test on rows of the same group."""
    for learn, test in folds if group is not None else ():
        if np.isin(group[test], group[learn]).any():  # type: ignore[index]  # it is there
            raise ValueError(
                f"cv={cv!r:.80} has the same group in training and test rows: pass a number of folds, or a splitter "
                "of groups such as sklearn.model_selection.GroupKFold."
            )
