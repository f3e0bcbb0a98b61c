"""The same tree over the inputs that it uses, so that rows of a sparse table need no memory for the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.tree.arrays import TreeArrays
from softwood.tree.basis import Basis
from softwood.tree.schema import Schema


def used_inputs(tree: TreeArrays) -> npt.NDArray[np.intp]:
    """The inputs that gates, surrogates or responses use, ascending; the first one if there are none."""
    looked_at = (tree.feature[tree.feature >= 0], tree.surrogates.feature, tree.basis.feature)
    found = np.unique(np.concatenate(looked_at)).astype(np.intp)
    return found if len(found) else np.arange(min(1, len(tree.schema.features)))


def over_inputs(tree: TreeArrays, inputs: npt.NDArray[np.intp]) -> dict[str, Any]:
    """The changed fields of a tree restricted to the inputs that it uses."""
    place = np.full(len(tree.schema.features), -1, np.int32)
    place[inputs] = np.arange(len(inputs))
    basis = tree.basis
    return {
        "schema": _over(tree.schema, inputs),
        "feature": np.where(tree.feature >= 0, place[tree.feature], -1),
        "surrogates": replace(tree.surrogates, feature=place[tree.surrogates.feature]),
        "basis": Basis(basis.term, place[basis.feature], basis.parameter, basis.when_missing),
    }


def _over(schema: Schema, inputs: npt.NDArray[np.intp]) -> Schema:
    some = inputs.tolist()
    features, categories, kinds, summaries = (
        tuple(values[i] for i in some)
        for values in (schema.features, schema.categories, schema.kinds, schema.summaries)
    )
    return replace(schema, features=features, categories=categories, kinds=kinds, summaries=summaries)
