"""Operations on every value of a table, native; twins: table_scan, linear_columns and bin_tree of reference/."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints, Longs
from softwood.kernels import _native
from softwood.kernels.arithmetic.native import readable
from softwood.kernels.contracts.bin_tree import BYTE, BinnedRows, BinTree, Codes


def flat(values: npt.ArrayLike) -> Floats:
    """Contiguous doubles."""
    return np.ascontiguousarray(values, np.float64)


def hash_rows(X: Floats, y: Floats, seed: int) -> npt.NDArray[np.uint64]:
    """A 64-bit hash per row, equal for equal rows."""
    return _native.hash_rows(readable(X), readable(y), seed)


def any_infinite(X: Floats) -> bool:
    """Whether a value is infinite; see reference/table_scan.py."""
    return _native.any_infinite(readable(X))


def column_moments(X: Floats, weight: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Mean, standard deviation and largest absolute value of every column; None if a value is missing."""
    return _native.column_moments(readable(X), flat(weight))


def hat_products(segment: Ints, part: Floats, weight: Floats, begin: Longs, n_threads: int = 1) -> Floats:
    """B'WB of hats; see reference/hat_products.py."""
    return _native.hat_products(segment, flat(part), flat(weight), begin, n_threads)


def make_linear_columns(
    X: Floats, feature: Sequence[int], when_missing: Floats, scale: Floats, shift: Floats
) -> Floats:
    """X[:, feature] * scale + shift, a missing value as `when_missing`."""
    return _native.make_linear_columns(readable(X), feature, flat(when_missing), flat(scale), flat(shift))


def sum_bins(rows: BinnedRows, tree: BinTree, place: Ints, origin: Floats, n_threads: int = 1) -> Floats:
    """Sums per leaf, input and bin; see reference/bin_tree.py."""
    statistics = rows.n_classes or 1 + 2 * origin.shape[1]
    table = np.zeros((len(origin), rows.code.shape[1], rows.n_bins + 1, statistics))
    _native.sum_bins(
        rows.code,
        n_bins=rows.n_bins,
        weight=flat(rows.weight),
        first_child=np.ascontiguousarray(tree.first_child, np.int32),
        feature=np.ascontiguousarray(tree.feature, np.int32),
        child=np.ascontiguousarray(tree.child, np.int8),
        place=np.ascontiguousarray(place, np.int32),
        y=np.ascontiguousarray(rows.y, np.int32 if rows.n_classes else np.float64),
        n_classes=rows.n_classes,
        origin=flat(origin),
        n_threads=n_threads,
        table=table,
    )
    return table


def bin_codes(X: Floats, edge: list[Floats], n_levels: Ints, n_bins: int, n_threads: int = 1) -> Codes:
    """The bin of every value; see reference/bin_tree.py."""
    levels, edges = np.ascontiguousarray(n_levels, np.int32), [flat(each) for each in edge]
    code = np.empty(X.shape, np.uint8 if n_bins <= BYTE else np.uint16, order="F")
    _native.find_bins(readable(X), edges, levels, n_bins, n_threads, code)
    return code
