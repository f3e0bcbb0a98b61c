"""Growers of hard trees by native code; contracts: contracts/growth.py and c45.py, twins: reference/grow.py, c45.py."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints, Signs
from softwood.kernels import _native
from softwood.kernels.arithmetic.native import readable
from softwood.kernels.contracts.c45 import C45Grown, C45Growth, check_c45
from softwood.kernels.contracts.growth import (
    UNCONSTRAINED,
    Branches,
    Grown,
    Growth,
    SurrogateTable,
    Target,
    check_columns,
    check_growth,
    check_target,
)
from softwood.kernels.contracts.level_slots import EVERY_LEVEL
from softwood.kernels.native.tables import flat
from softwood.kernels.sparse.table import SparseTable


class Grower:
    """Hard grower."""

    def __init__(
        self, X: Floats | SparseTable, n_levels: Ints, weight: Floats, max_bins: int = 0, n_threads: int = 1
    ) -> None:
        self.n_threads, self.n_levels, self.weight = n_threads, np.asarray(n_levels, np.int32), flat(weight)
        check_columns(X, self.n_levels, self.weight)
        self.is_sparse = isinstance(X, SparseTable)
        if isinstance(X, SparseTable):
            self.columns = _native.Columns(X.begin, X.column, X.value, X.n_columns, self.weight, max_bins, n_threads)
            return
        self.columns = _native.Columns(readable(X), self.n_levels.tolist(), self.weight, max_bins, n_threads)

    def grow(self, target: Target, growth: Growth) -> Grown:
        check_growth(target, growth, self.n_levels, self.weight, self.is_sparse)
        classes = target.n_classes > 0
        grown = _native.grow(
            self.columns,
            code=np.ascontiguousarray(target.y, np.int32) if classes else np.zeros(0, np.int32),
            y=np.zeros((0, 1)) if classes else np.ascontiguousarray(target.y, np.float64),
            weight=flat(target.weight),
            factor=flat(target.class_factor),
            n_classes=target.n_classes,
            criterion=int(growth.criterion),
            max_depth=growth.max_depth,
            max_leaves=growth.max_leaves,
            min_samples_split=growth.min_samples_split,
            min_samples_leaf=growth.min_samples_leaf,
            min_impurity=growth.min_impurity,
            min_impurity_decrease=growth.min_impurity_decrease,
            missing=int(growth.missing),
            max_surrogates=growth.max_surrogates,
            monotone=growth.monotone.tolist() if growth.monotone.any() else [],
            parameter=np.asarray(growth.parameter, np.float64).tolist(),
            max_places=growth.max_places,
            every_level=growth.every_level,
            n_threads=self.n_threads,
        )
        return Grown(**{**grown, "surrogates": _table(grown["surrogates"])})

    def surrogates(
        self,
        grown: Branches,
        target: Target,
        max_surrogates: int,
        monotone: Signs = UNCONSTRAINED,
        every_level: int = EVERY_LEVEL,
    ) -> SurrogateTable:
        check_target(target, len(self.weight))
        return _table(
            _native.replay(
                self.columns,
                weight=flat(target.weight),
                first_child=grown.first_child,
                feature=grown.feature,
                threshold=grown.threshold,
                group_begin=grown.group_begin,
                group=grown.group,
                group_level=grown.group_level,
                default=grown.default,
                max_surrogates=max_surrogates,
                monotone=monotone.tolist() if monotone.any() else [],
                every_level=every_level,
                n_threads=self.n_threads,
            )
        )


def _table(arrays: dict[str, npt.NDArray[np.generic]]) -> SurrogateTable:
    flip = arrays["flip"].astype(np.bool_)
    return SurrogateTable(**{**arrays, "flip": flip})  # type: ignore[arg-type]  # the dict's arrays differ in dtype


def collapse_alphas(parent: Ints, risk: Floats) -> Floats:
    """Weakest-link pruning."""
    alpha: Floats = _native.collapse_alphas(np.ascontiguousarray(parent, np.int32), flat(risk))
    return alpha


def grow_c45(
    X: Floats, n_levels: Ints, code: Ints, weight: Floats, n_classes: int, growth: C45Growth, n_threads: int = 1
) -> C45Grown:
    """C4.5 grower."""
    check_c45(X, np.asarray(n_levels), np.asarray(code), weight, n_classes)
    grown = _native.grow_c45(
        readable(X),
        n_levels=np.asarray(n_levels).tolist(),
        code=np.ascontiguousarray(code, np.int32),
        weight=flat(weight),
        n_classes=n_classes,
        min_cases=growth.min_cases,
        subsets=growth.subsets,
        n_threads=n_threads,
    )
    return C45Grown(**grown)
