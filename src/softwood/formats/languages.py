"""Export of a model to another language: one function for all languages."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# By name: the module and the function that writes it. A new language is one module and one line here.
WRITERS = {
    "c": "softwood.formats.c:to_c",
    "dot": "softwood.formats.drawings:to_dot",
    "java": "softwood.formats.java:to_java",
    "javascript": "softwood.formats.javascript:to_javascript",
    "mermaid": "softwood.formats.drawings:to_mermaid",
    "onnx": "softwood.formats.onnx:to_onnx",
    "python": "softwood.formats.python:to_python",
    "sql": "softwood.formats.sql:to_sql",
}


def export(model: Any, to: str, **options: Any) -> Any:
    """The model in another language, with the same predictions and without softwood.

    docs/export.md has an example of each.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a search over one. For a pipeline, pass the last step: the others are not
        exported.
    to : the language.
    options : of the language, as in its function in `softwood.formats`.

    Returns
    -------
    The text of a file; for ONNX an `onnx.ModelProto`.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor, export
    >>> X = np.arange(20.0)[:, None]
    >>> model = CARTRegressor().fit(X, X[:, 0] > 7)
    >>> module = {}
    >>> exec(export(model, to="python"), module)
    >>> module["predict"]([3.0])
    0.0
    """
    if to not in WRITERS:
        raise ValueError(f"to must be one of {', '.join(map(repr, WRITERS))}, got {to!r}.")
    module, function = WRITERS[to].split(":")
    return getattr(import_module(module), function)(model, **options)
