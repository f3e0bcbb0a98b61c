"""Which engine learns: chosen by what `fit` is given, insisted on by `engine=`, said by `verbose`.

    memory    rows in memory: arrays, nested lists, data frames
    torch     the same rows on a device of PyTorch, for estimators that have `device`

An engine is a name here, a reader of rows in this room, and sums over rows in `softwood.engines`.
"""

from __future__ import annotations

from typing import Any

from softwood.estimators import options


def choose_engine(estimator: Any, X: Any) -> str:
    """The engine of a fit on X; told where the estimator is verbose.

    >>> from softwood import CARTClassifier
    >>> choose_engine(CARTClassifier(), [[1.0]])
    'memory'
    """
    params = vars(estimator)
    engines = ("memory", "torch") if "device" in params else ("memory",)
    asked, device = options.one_of("engine", params["engine"], ("auto", *engines)), params.get("device")
    if asked == "memory" and device is not None:
        raise ValueError(f"device={device!r} is for engine='torch': leave engine='auto', or drop the device.")
    chosen = ("memory" if device is None else "torch") if asked == "auto" else str(asked)
    where = f" on {_find_device(device)}" if chosen == "torch" else ""
    if options.boolean("verbose", params["verbose"]):
        print(f"engine: {chosen}{where}")
    return chosen


def _find_device(device: Any) -> str:
    from softwood.engines.torch import find_device  # PyTorch is imported where it is used

    return find_device(device)
