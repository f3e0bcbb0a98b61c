"""Which engine learns: chosen by what `fit` is given, insisted on by `engine=`, said by `verbose`.

    memory    rows in memory: arrays, nested lists, data frames

An engine is a name here, a reader of rows in this room, and sums over rows in `softwood.engines`.
"""

from __future__ import annotations

from typing import Any

from softwood.estimators import options

ENGINES = ("memory",)


def choose_engine(estimator: Any, X: Any) -> str:
    """The engine of a fit on X; told where the estimator is verbose.

    >>> from softwood import CARTClassifier
    >>> choose_engine(CARTClassifier(), [[1.0]])
    'memory'
    """
    params = vars(estimator)
    asked = options.one_of("engine", params["engine"], ("auto", *ENGINES))
    chosen = "memory" if asked == "auto" else str(asked)
    if options.boolean("verbose", params["verbose"]):
        print(f"engine: {chosen}")
    return chosen
