"""The Python face of `_native`, the C++ twins of `reference`: same names, same answers, faster.

NumPy makes the arrays for the answers, so they belong to Python like any other; C++ fills them without the
interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels import _native
from softwood.kernels.anneal import AnnealProblem, Progress, Ramps
from softwood.kernels.c45 import C45Grown, C45Growth, check_c45
from softwood.kernels.formulas.equation import count_answers
from softwood.kernels.formulas.far_out import SteadyTree
from softwood.kernels.growth import (
    UNCONSTRAINED,
    Branches,
    Floats,
    Grown,
    Growth,
    Ints,
    Signs,
    SurrogateTable,
    Target,
    check_columns,
    check_growth,
    check_target,
)
from softwood.kernels.level_slots import EVERY_LEVEL
from softwood.kernels.reference.bin_tree import BYTE, BinnedRows, BinTree, Codes
from softwood.kernels.sparse_table import SparseTable

__all__ = [
    "Annealer",
    "Evaluator",
    "Grower",
    "any_infinite",
    "bin_codes",
    "collapse_alphas",
    "column_moments",
    "grow_c45",
    "hash_rows",
    "is_valid",
    "make_linear_columns",
    "sum_bins",
]


class Evaluator:
    """Answers of one tree. X may have any strides; the answer never depends on `n_threads`."""

    def __init__(self, tree: Any) -> None:
        steady = SteadyTree(tree)
        self._native = _native.Evaluator(steady, steady.low, steady.high)
        self._n_nodes, self._n_outputs = tree.response.shape
        self._link = int(tree.link)
        self._n_answers = count_answers(self._link, self._n_outputs)

    def output(self, X: Floats, n_threads: int = 1) -> Floats:
        """Sum over nodes of reach * leafness * response, shape (rows, outputs)."""
        out = np.empty((len(X), self._n_outputs))
        self._native.output(_readable(X), out, n_threads)
        return out

    def predict(self, X: Floats, n_threads: int = 1) -> Floats:
        """Outputs after the link, shape (rows, answers)."""
        out = np.empty((len(X), self._n_answers))
        self._native.predict(_readable(X), self._link, out, n_threads)
        return out

    def decide(self, X: Floats, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """The place of the largest answer of each row; the first of equals."""
        out = np.empty(len(X), np.int64)
        self._native.decide(_readable(X), self._link, out, n_threads)
        return out

    def reach(self, X: Floats, n_threads: int = 1) -> Floats:
        """Part of each row that arrives at each node, shape (rows, nodes)."""
        out = np.zeros((len(X), self._n_nodes))
        self._native.reach(_readable(X), out, n_threads)
        return out

    def apply(self, X: Floats, n_threads: int = 1) -> Ints:
        """The node that keeps most of each row; the lowest id on a tie."""
        out = np.empty(len(X), np.int32)
        self._native.apply(_readable(X), out, n_threads)
        return out


def _readable(X: Floats) -> Floats:
    """X itself, unless its strides are not whole numbers (a field of a record array): then a copy."""
    row, column = X.strides
    return X if X.flags.aligned and row % 8 == 0 and column % 8 == 0 else X.copy()


class Grower:
    """Hard grower; contract in growth.py."""

    def __init__(
        self, X: Floats | SparseTable, n_levels: Ints, weight: Floats, max_bins: int = 0, n_threads: int = 1
    ) -> None:
        self.n_threads, self.n_levels, self.weight = n_threads, np.asarray(n_levels, np.int32), _flat(weight)
        check_columns(X, self.n_levels, self.weight)
        self.is_sparse = isinstance(X, SparseTable)
        if isinstance(X, SparseTable):
            self.columns = _native.Columns(X.begin, X.column, X.value, X.n_columns, self.weight, max_bins, n_threads)
            return
        self.columns = _native.Columns(_readable(X), self.n_levels.tolist(), self.weight, max_bins, n_threads)

    def grow(self, target: Target, growth: Growth) -> Grown:
        check_growth(target, growth, self.n_levels, self.weight, self.is_sparse)
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
                weight=_flat(target.weight),
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


class Annealer:
    """Anneals widths; contract in anneal.py. `problem` must not change."""

    def __init__(self, problem: AnnealProblem, seed: int) -> None:
        self._native = _native.Annealer(problem, seed)
        self._problem = problem

    def run(self, max_calls: int, patience: int) -> Progress:
        return Progress(*self._native.run(max_calls, patience))

    def theta(self) -> Floats:
        return self._native.theta()

    def loss(self, theta: Floats, n_threads: int = 1) -> float:
        return self._native.loss(_flat(theta), n_threads)

    def gradient(self, ramps: Ramps, n_threads: int = 1) -> tuple[float, Ramps]:
        """The loss, and its slope by every number of the ramps."""
        given = _flat(ramps.theta).ravel(), _flat(ramps.threshold), _flat(ramps.response).ravel()
        slope = np.zeros(sum(map(len, given)))
        loss = self._native.gradient(*given, slope, n_threads)
        theta, threshold, response = np.split(slope, [len(given[0]), len(given[0]) + len(given[1])])
        return loss, Ramps(theta.reshape(-1, 2), threshold, response.reshape(ramps.response.shape))


def hash_rows(X: Floats, y: Floats, seed: int) -> npt.NDArray[np.uint64]:
    """A 64-bit number for every row, the same for equal rows."""
    return _native.hash_rows(_readable(X), _readable(y), seed)


def any_infinite(X: Floats) -> bool:
    """Whether a value is infinite; see reference/table_scan.py."""
    return _native.any_infinite(_readable(X))


def column_moments(X: Floats, weight: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Mean, standard deviation and largest size of every column; None where a value is missing."""
    return _native.column_moments(_readable(X), _flat(weight))


def make_linear_columns(
    X: Floats, feature: Sequence[int], when_missing: Floats, scale: Floats, shift: Floats
) -> Floats:
    """X[:, feature] * scale + shift, a missing value as `when_missing`."""
    return _native.make_linear_columns(_readable(X), feature, _flat(when_missing), _flat(scale), _flat(shift))


def sum_bins(rows: BinnedRows, tree: BinTree, place: Ints, origin: Floats, n_threads: int = 1) -> Floats:
    """Sums per leaf, input and bin; see reference/bin_tree.py."""
    statistics = rows.n_classes or 1 + 2 * origin.shape[1]
    table = np.zeros((len(origin), rows.code.shape[1], rows.n_bins + 1, statistics))
    _native.sum_bins(
        rows.code,
        n_bins=rows.n_bins,
        weight=_flat(rows.weight),
        first_child=np.ascontiguousarray(tree.first_child, np.int32),
        feature=np.ascontiguousarray(tree.feature, np.int32),
        child=np.ascontiguousarray(tree.child, np.int8),
        place=np.ascontiguousarray(place, np.int32),
        y=np.ascontiguousarray(rows.y, np.int32 if rows.n_classes else np.float64),
        n_classes=rows.n_classes,
        origin=_flat(origin),
        n_threads=n_threads,
        table=table,
    )
    return table


def bin_codes(X: Floats, edge: list[Floats], n_levels: Ints, n_bins: int, n_threads: int = 1) -> Codes:
    """The bin of every value; see reference/bin_tree.py."""
    levels, edges = np.ascontiguousarray(n_levels, np.int32), [_flat(each) for each in edge]
    code = np.empty(X.shape, np.uint8 if n_bins <= BYTE else np.uint16, order="F")
    _native.find_bins(_readable(X), edges, levels, n_bins, n_threads, code)
    return code


def is_valid(tree: Any) -> bool:
    """Whether the tree is common and tree/invariants.py has nothing to say about its nodes; False: look closer."""
    return _native.is_valid(tree)


def collapse_alphas(parent: Ints, risk: Floats) -> Floats:
    """Weakest-link pruning; see reference/cost_complexity.py."""
    alpha: Floats = _native.collapse_alphas(np.ascontiguousarray(parent, np.int32), _flat(risk))
    return alpha


def grow_c45(
    X: Floats, n_levels: Ints, code: Ints, weight: Floats, n_classes: int, growth: C45Growth, n_threads: int = 1
) -> C45Grown:
    """C4.5 grower; contract in c45.py."""
    check_c45(X, np.asarray(n_levels), np.asarray(code), weight, n_classes)
    grown = _native.grow_c45(
        _readable(X),
        n_levels=np.asarray(n_levels).tolist(),
        code=np.ascontiguousarray(code, np.int32),
        weight=_flat(weight),
        n_classes=n_classes,
        min_cases=growth.min_cases,
        subsets=growth.subsets,
        n_threads=n_threads,
    )
    return C45Grown(**grown)


def _flat(values: npt.ArrayLike) -> Floats:
    return np.ascontiguousarray(values, np.float64)


def _table(arrays: dict[str, npt.NDArray[np.generic]]) -> SurrogateTable:
    flip = arrays["flip"].astype(np.bool_)
    return SurrogateTable(**{**arrays, "flip": flip})  # type: ignore[arg-type]  # the dict's arrays differ in dtype
