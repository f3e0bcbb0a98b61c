"""Which engine learns: chosen by what `fit` is given, insisted on by `engine=`, said by `verbose`.

    memory    rows in memory: arrays, nested lists, data frames
    torch     the same rows on a device of PyTorch, for estimators that have `device`
    batches   files, folders, lazy frames and whatever `softwood.Batches` walks through: rows beyond memory

An engine is a name here, a reader of rows in this room, and sums over rows in `softwood.engines`. A memory map is an
array like others, as joblib hands large arrays to its workers so: engine="batches" walks through it.
"""

from __future__ import annotations

from typing import Any

from softwood.estimators import options
from softwood.estimators.sources import Batches, is_elsewhere, open_batches


def choose_engine(estimator: Any, X: Any) -> str:
    """The engine of a fit on X; told where the estimator is verbose.

    >>> from softwood import SoftTreeClassifier
    >>> choose_engine(SoftTreeClassifier(), [[1.0]]), choose_engine(SoftTreeClassifier(), "rows.parquet")
    ('memory', 'batches')
    """
    params = vars(estimator)
    asked, device = options.one_of("engine", params["engine"], ("auto", *estimator._engines)), params.get("device")
    elsewhere = is_elsewhere(X)
    if "batches" not in estimator._engines:
        refuse_elsewhere(estimator, X)
    if asked in ("memory", "torch") and elsewhere:
        raise ValueError(
            f"engine={asked!r} takes rows in memory, and X is {_told(X)}: read it first, or leave engine='auto'."
        )
    if device is not None and (asked in ("memory", "batches") or elsewhere):
        raise ValueError(
            f"device={device!r} is for engine='torch', on rows in memory: leave engine='auto', or drop the device."
        )
    in_memory = "memory" if device is None else "torch"
    chosen = ("batches" if elsewhere else in_memory) if asked == "auto" else str(asked)
    where = f" on {_find_device(device)}" if chosen == "torch" else ""
    if options.boolean("verbose", params["verbose"]):
        print(f"engine: {chosen}{where}" + (f", {_told(X)}" if chosen == "batches" else ""))
    return chosen


def _find_device(device: Any) -> str:
    from softwood.engines.torch import find_device  # PyTorch is imported where it is used

    return find_device(device)


def refuse_elsewhere(estimator: Any, X: Any) -> None:
    """The error of an estimator that learns from single rows, where X is not in memory."""
    if is_elsewhere(X):
        raise TypeError(
            f"{type(estimator).__name__} learns from rows in memory, and X is {_told(X)}. Give it a sample of "
            "them, Batches(...).sample(100_000), or take a CART, soft or budding tree, which learn in batches."
        )


def _told(X: Any) -> str:
    opened: Batches = open_batches(X)
    return repr(opened)
