"""The classes that a picture shows: if there are many, the most frequent ones, with the others as one group.

A picture with a shape for each of 500 classes would take a minute and be illegible.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Index
from softwood.formats.colours import class_colour
from softwood.view.plots.colours import PALE
from softwood.view.plots.scene import Scene

MOST_CLASSES = 20  # in a stack or a table


def most_frequent(count: Floats, most: int = MOST_CLASSES) -> Index:
    """Codes of at most this number of classes, the most frequent ones, in the order of their codes.

    Examples
    --------
    >>> most_frequent(np.array([1.0, 5.0, 0.0, 2.0]), 2).tolist()
    [1, 3]
    """
    return np.sort(np.argsort(-count, kind="stable")[:most])


def class_groups(count: Floats) -> list[tuple[Index, str]]:
    """Classes to stack, each with its colour; beyond MOST_CLASSES, the others are the last group."""
    shown = most_frequent(count)
    groups: list[tuple[Index, str]] = [(np.array([k]), class_colour(int(k))) for k in shown]
    others = np.setdiff1d(np.arange(len(count)), shown)
    return [*groups, (others, PALE)] if len(others) else groups


def rows_by_class(scene: Scene, here: npt.NDArray[np.bool_]) -> list[tuple[npt.NDArray[np.bool_], str]]:
    """The rows `here` of each group of classes, with its colour; needs actual values."""
    codes = np.asarray(scene.y, np.int64)
    count = np.bincount(codes[here], minlength=len(scene.labels)).astype(np.float64)
    group_of, groups = np.empty(len(count), np.int64), class_groups(count)
    for at, (members, _) in enumerate(groups):
        group_of[members] = at
    return [(here & (group_of[codes] == at), colour) for at, (_, colour) in enumerate(groups)]


def shown_classes(scene: Scene, most: int) -> list[int]:
    """Classes with a line: the most frequent among the actual values, else among the predictions."""
    if scene.y is None:
        count = np.asarray(scene.arrives[0])
    else:
        count = np.bincount(scene.y, minlength=len(scene.labels)).astype(np.float64)
    return [int(k) for k in most_frequent(count, most)]


def tell_classes(scene: Scene, most: int) -> str:
    """A sentence on the classes shown, if not all are."""
    n = len(scene.labels)
    return f" Of {n} classes the {most} most frequent ones are shown." if scene.classes and n > most else ""
