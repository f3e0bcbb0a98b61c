"""Explanations of predictions: contributions, reasons, curves, counterfactuals, importances.

`softwood.explain` is this package and, when called, the function `explain`.
"""

import sys
from types import ModuleType
from typing import Any

from softwood.explain.contributions import explain
from softwood.explain.counterfactual import Change, Counterfactual, counterfactual
from softwood.explain.curves import curves
from softwood.explain.explanation import Explanation, Reason, RowPath
from softwood.explain.importance import importance
from softwood.explain.shap import to_shap
from softwood.explain.standard_errors import standard_errors

__all__ = [
    "Change",
    "Counterfactual",
    "Explanation",
    "Reason",
    "RowPath",
    "counterfactual",
    "curves",
    "explain",
    "importance",
    "standard_errors",
    "to_shap",
]


class _CallableRoom(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Explanation:
        return explain(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableRoom
