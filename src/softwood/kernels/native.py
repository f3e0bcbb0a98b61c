"""The Python face of `_native`: the same classes as `reference`, on the C++ kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels import _native
from softwood.kernels.growth import Floats, Grown, Growth, Ints, SurrogateTable, Target

from softwood.kernels.reference import Evaluator

__all__ = ["Evaluator", "Grower"]


class Grower:
    """Hard grower; contract in growth.py."""

    def __init__(self, X: Floats, n_levels: Ints, weight: Floats, max_bins: int = 0, n_threads: int = 1) -> None:
        self.n_threads = n_threads
        self.columns = _native.Columns(X, np.asarray(n_levels).tolist(), _flat(weight), max_bins, n_threads)

    def grow(self, target: Target, growth: Growth) -> Grown:
        classes = target.n_classes > 0
        grown = _native.grow(
            self.columns,
            code=np.ascontiguousarray(target.y, np.int32) if classes else np.zeros(0, np.int32),
            y=np.zeros((0, 1)) if classes else np.ascontiguousarray(target.y, np.float64),
            weight=_flat(target.weight),
            factor=_flat(target.class_factor),
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
            monotone=growth.monotone.tolist(),
            n_threads=self.n_threads,
        )
        return Grown(**{**grown, "surrogates": _table(grown["surrogates"])})

    def surrogates(self, grown: Grown, target: Target, max_surrogates: int) -> SurrogateTable:
        return _table(
            _native.replay(
                self.columns,
                weight=_flat(target.weight),
                first_child=grown.first_child,
                feature=grown.feature,
                threshold=grown.threshold,
                group_begin=grown.group_begin,
                group=grown.group,
                default=grown.default,
                max_surrogates=max_surrogates,
                n_threads=self.n_threads,
            )
        )


def _flat(values: npt.ArrayLike) -> Floats:
    return np.ascontiguousarray(values, np.float64)


def _table(arrays: dict[str, npt.NDArray[np.generic]]) -> SurrogateTable:
    return SurrogateTable(**{**arrays, "flip": arrays["flip"].astype(np.bool_)})  # type: ignore[arg-type]
