"""Conversion of an explanation to shap's format, for its plots."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.explain.explanation import Explanation
from softwood.explain.words import spell_value


def to_shap(explanation: Explanation, answer: Any = None) -> Any:
    """A `shap.Explanation` with values, base values, data and names.

    Parameters
    ----------
    explanation : what `explain` returned.
    answer : the class or target; None: all outputs, with values of shape (rows, inputs) for one output, else (rows,
        inputs, outputs).

    Returns
    -------
    shap.Explanation
        Needs the package shap; otherwise an ImportError is raised.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, explain
    >>> X, y = load_iris(return_X_y=True)
    >>> why = explain(CARTClassifier().fit(X, y), X)
    >>> import shap  # doctest: +SKIP
    >>> shap.plots.waterfall(to_shap(why, 0)[0])  # doctest: +SKIP
    """
    try:
        import shap
    except ImportError as problem:
        raise ImportError("to_shap needs the package shap: pip install shap.") from problem
    told, rows = explanation, len(explanation)
    base: Any
    if answer is not None:
        _, values, _ = told.of(answer)
        base, names = told.base_of(answer), None
    elif len(told.outputs) == 1:
        values, base, names = told.contributions[:, :, 0], float(told.base[0]), None
    else:
        values, base, names = told.contributions, told.base, list(told.outputs)
    return shap.Explanation(
        values=values,
        base_values=np.tile(base, (rows, 1)) if np.ndim(base) else np.full(rows, base),
        data=told.cells,
        display_data=np.array([[spell_value(told.tree.schema, f, x) for f, x in enumerate(row)] for row in told.cells]),
        feature_names=list(told.inputs),
        output_names=names,
    )
