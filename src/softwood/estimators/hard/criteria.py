"""Criteria of regression trees: their names, their parameters, and the targets they accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.estimators.base.losses import read_delta, read_quantile
from softwood.kernels.kinds import Criterion
from softwood.parts.quantiles import robust_spread

NUMBER_CRITERIA = {
    "squared_error": Criterion.SQUARED_ERROR,
    "absolute_error": Criterion.ABSOLUTE_ERROR,
    "poisson": Criterion.POISSON,
    "quantile": Criterion.QUANTILE,
    "huber": Criterion.HUBER,
}


def read_criterion(criterion: Criterion, params: Mapping[str, Any], values: Floats, weight: Floats) -> Floats:
    """The parameter of the criterion for each target (rows, targets), empty if it has none; invalid targets are
    refused.

    Examples
    --------
    >>> y = np.array([[1.0], [2.0], [3.0], [4.0], [1000.0]])
    >>> read_criterion(Criterion.HUBER, {"quantile": 0.5, "delta": 2.0}, y, np.ones(5)).round(2)
    array([2.97])
    """
    quantile, delta = read_quantile(params["quantile"]), read_delta(params["delta"], "criterion='absolute_error'")
    if criterion == Criterion.POISSON:
        refuse_negative(values, weight)
    if criterion == Criterion.QUANTILE:
        return np.full(values.shape[1], quantile)
    if criterion == Criterion.HUBER and weight.any():
        return delta * robust_spread(values[weight > 0], weight[weight > 0])[1]
    return np.full(values.shape[1], delta) if criterion == Criterion.HUBER else np.zeros(0)


def refuse_negative(values: Floats, weight: Floats, name: str = "y") -> None:
    """An error for targets (rows, targets) that are not counts."""
    seen = values[weight > 0]
    if (seen < 0).any():
        raise ValueError(f"criterion='poisson' needs {name} >= 0, got {seen[seen < 0][0]:g}.")
    if name == "y" and not np.all(seen.sum(axis=0) > 0):
        raise ValueError("criterion='poisson' needs some y > 0, but all are 0.")
