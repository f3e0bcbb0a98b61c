"""Which engine learns: chosen by what `fit` is given, insisted on by `engine=`, said by `verbose`.

    memory    rows in memory: arrays, nested lists, data frames
    torch     the same rows on a device of PyTorch, for estimators that have `device`
    dask      data frames and arrays of Dask: partitions on the workers of a cluster
    batches   files, folders, lazy frames and whatever `softwood.Batches` walks through: rows beyond memory

An engine is a name here, a reader of rows in this room, and sums over rows in `softwood.engines`. A memory map is an
array like others, as joblib hands large arrays to its workers so: engine="batches" walks through it.
"""

from __future__ import annotations

from typing import Any

from softwood.intake import options
from softwood.intake.parts.sources import Batches, is_dask, is_elsewhere, open_batches

IN_PARTS = ("batches", "dask")  # engines of rows that are not all in memory
TAKES = {"memory": "takes rows in memory", "torch": "takes rows in memory", "batches": "reads files and frames here"}


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
    home = "dask" if is_dask(X) else "batches"
    if (asked in ("memory", "torch") and elsewhere) or (is_dask(X) and asked == "batches"):
        first = "call X.compute() first" if is_dask(X) else "read it first"
        raise ValueError(f"engine={asked!r} {TAKES[asked]}, and X is {_told(X)}: {first}, or leave engine='auto'.")
    if asked == "dask" and not is_dask(X):
        raise ValueError(
            f"engine='dask' takes data frames and arrays of Dask, and X is {type(X).__name__}: make one of it, as by "
            "dask.dataframe.from_pandas, or leave engine='auto'."
        )
    if device is not None and (asked in ("memory", "batches", "dask") or elsewhere):
        raise ValueError(
            f"device={device!r} is for engine='torch', on rows in memory: leave engine='auto', or drop the device."
        )
    in_memory = "memory" if device is None else "torch"
    chosen = (home if elsewhere else in_memory) if asked == "auto" else str(asked)
    where = f" on {_find_device(device)}" if chosen == "torch" else ""
    if options.boolean("verbose", params["verbose"]):
        print(f"engine: {chosen}{where}" + (f", {_told(X)}" if chosen in ("batches", "dask") else ""))
    return chosen


def _find_device(device: Any) -> str:
    from softwood.engines.torch import find_device  # PyTorch is imported where it is used

    return find_device(device)


def refuse_elsewhere(estimator: Any, X: Any) -> None:
    """The error of an estimator that learns from single rows, where X is not in memory."""
    if is_elsewhere(X):
        sample = "X.sample(frac=0.01).compute()" if is_dask(X) else "Batches(...).sample(100_000)"
        where = "on a cluster" if is_dask(X) else "in batches"
        raise TypeError(
            f"{type(estimator).__name__} learns from rows in memory, and X is {_told(X)}. Give it a sample of "
            f"them, {sample}, or take a CART, soft or budding tree, which learn {where}."
        )


def _told(X: Any) -> str:
    if is_dask(X):
        return f"{'a data frame' if hasattr(X, 'columns') else 'an array'} of Dask"
    opened: Batches = open_batches(X)
    return repr(opened)
