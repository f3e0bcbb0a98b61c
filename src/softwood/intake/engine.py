"""Which engine learns: chosen by the type of X, fixed by `engine=`, reported by `verbose`.

    memory    rows in memory: arrays, nested lists, data frames
    torch     the same rows on a device of PyTorch, for estimators that have `device`
    dask      data frames and arrays of Dask: partitions on the workers of a cluster
    batches   files, folders, lazy frames and `softwood.Batches`: out-of-core rows

An engine is a name here, a reader of rows in this package, and sums over rows in `softwood.engines`. A memory map is
treated as an array, because joblib passes large arrays to its workers as memory maps; engine="batches" reads it in
batches.
"""

from __future__ import annotations

from typing import Any

from softwood.intake import options
from softwood.intake.classify import describe_source, is_dask, is_out_of_core, refuse_out_of_core
from softwood.parts.messages import say

IN_PARTS = ("batches", "dask")  # engines for out-of-core rows
TAKES = {"memory": "takes rows in memory", "torch": "takes rows in memory", "batches": "reads files and frames here"}


def choose_engine(estimator: Any, X: Any) -> str:
    """The engine of a fit on X; printed if the estimator is verbose.

    >>> from softwood import SoftTreeClassifier
    >>> choose_engine(SoftTreeClassifier(), [[1.0]]), choose_engine(SoftTreeClassifier(), "rows.parquet")
    ('memory', 'batches')
    """
    params = vars(estimator)
    asked = options.one_of("engine", params.get("engine", "auto"), ("auto", *estimator._engines))
    device = params.get("device")
    out_of_core = is_out_of_core(X)
    if "batches" not in estimator._engines:
        refuse_out_of_core(estimator, X)
    home = "dask" if is_dask(X) else "batches"
    if (asked in ("memory", "torch") and out_of_core) or (is_dask(X) and asked == "batches"):
        first = "call X.compute() first" if is_dask(X) else "read it first"
        raise ValueError(
            f"engine={asked!r} {TAKES[asked]}, and X is {describe_source(X)}: {first}, or leave engine='auto'."
        )
    if asked == "dask" and not is_dask(X):
        raise ValueError(
            f"engine='dask' takes data frames and arrays of Dask, and X is {type(X).__name__}: convert it, for "
            "example with dask.dataframe.from_pandas, or set engine='auto'."
        )
    if device is not None and (asked in ("memory", "batches", "dask") or out_of_core):
        raise ValueError(
            f"device={device!r} needs engine='torch' and rows in memory: set engine='auto', or drop the device."
        )
    in_memory = "memory" if device is None else "torch"
    chosen = (home if out_of_core else in_memory) if asked == "auto" else str(asked)
    where = f" on {_find_device(device)}" if chosen == "torch" else ""
    verbose = options.verbosity(params["verbose"])
    if verbose:
        say(verbose, f"engine: {chosen}{where}" + (f", {describe_source(X)}" if chosen in IN_PARTS else ""))
    return chosen


def _find_device(device: Any) -> str:
    from softwood.engines.torch import find_device  # PyTorch is imported where it is used

    return find_device(device)
