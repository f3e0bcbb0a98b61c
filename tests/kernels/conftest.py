"""Both growers follow one contract: tests that use `grower_class` or `grow` run once for each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from softwood.kernels import native, reference
from softwood.kernels.contracts.growth import Grown, Growth, Target
from softwood.kernels.kinds import Criterion

PARAMETER = {Criterion.QUANTILE: np.array([0.7]), Criterion.HUBER: np.array([0.6])}  # default in the tests
GROWERS = {"native": native.Grower, "reference": reference.Grower}


@pytest.fixture(params=sorted(GROWERS))
def grower_class(request: pytest.FixtureRequest) -> Any:
    return GROWERS[request.param]


@pytest.fixture
def grow(grower_class: Any) -> Callable[..., Grown]:
    """Grow a tree in one call: integer y is classes, other y numbers; keywords are fields of Growth.

    By default, quantile and huber have the PARAMETER above; poisson takes exp(y) if some y is below 0.
    """

    def grow_tree(
        X: Any, y: Any, criterion: Criterion, *, weight: Any = None, n_levels: Any = None, class_factor: Any = (),
        max_bins: int = 0, **rules: Any,
    ) -> Grown:  # fmt: skip
        X, y = np.asarray(X, np.float64), np.asarray(y)
        weight = np.ones(len(X)) if weight is None else np.asarray(weight, np.float64)
        n_levels = np.zeros(X.shape[1], np.int32) if n_levels is None else np.asarray(n_levels, np.int32)
        n_classes = int(y.max()) + 1 if y.dtype.kind == "i" else 0
        if not n_classes:
            y = y.reshape(len(X), -1)
            rules.setdefault("parameter", PARAMETER.get(criterion, np.zeros(0)).repeat(y.shape[1]))
            y = np.exp(y) if criterion == Criterion.POISSON and y.min() < 0 else y
        target = Target(y, weight, n_classes, np.asarray(class_factor, np.float64))
        if "monotone" in rules:
            rules["monotone"] = np.asarray(rules["monotone"], np.int8)
        return grower_class(X, n_levels, weight, max_bins).grow(target, Growth(criterion, **rules))

    return grow_tree
