"""Rows in bins, gates over bins, sums per leaf, input and bin: native where it is built, else reference/bin_tree.py."""

from __future__ import annotations

from collections.abc import Callable

from softwood.kernels.backend import kernels
from softwood.kernels.reference import bin_tree
from softwood.kernels.reference.bin_tree import BinnedRows, BinTree, Codes, Floats, Ints

__all__ = ["BinTree", "BinnedRows", "Codes", "Floats", "Ints", "bin_codes", "sum_bins"]

sum_bins: Callable[[BinnedRows, BinTree, Ints, Floats, int], Floats] = bin_tree.sum_bins
bin_codes: Callable[[Floats, list[Floats], Ints, int, int], Codes] = bin_tree.bin_codes

if kernels == "native":
    from softwood.kernels.native import bin_codes, sum_bins
