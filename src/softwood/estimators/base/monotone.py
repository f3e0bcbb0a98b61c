"""Monotone constraints of soft trees: their signs, parameters that exclude them, and the proof."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.intake import options
from softwood.tree import MonotonicCertificate, Schema, Tree
from softwood.tree.monotone import certify


def soft_signs(given: Any, schema: Schema) -> npt.NDArray[np.int8]:
    """One sign per input, empty without constraints; an error for more than two classes, whose scores have no order."""
    signs = options.monotone_signs(given, schema, ordered=True)
    if len(signs) and schema.task == "classification" and len(schema.answers) > 2:
        raise ValueError(
            f"monotonic_cst of a soft tree needs at most two classes, got {len(schema.answers)}: scores of more "
            "classes have no order. Fit a regressor of the ranks, or CARTClassifier, which orders its classes."
        )
    return signs


def refuse_beside(params: Mapping[str, Any], **others: tuple[Any, str]) -> None:
    """An error if `monotonic_cst` is given and another parameter has this value; `why` gives the reason."""
    for name, (value, why) in others.items():
        if params["monotonic_cst"] is not None and params[name] == value:
            raise ValueError(f"monotonic_cst cannot be combined with {name}={value!r}, which {why}. Drop either.")


def certificate_of(tree: Tree, given: Any) -> MonotonicCertificate | None:
    """The proof for a learned tree; None without constraints."""
    signs = options.monotone_signs(given, tree.schema, ordered=True)
    return certify(tree, signs.tolist()) if len(signs) else None
