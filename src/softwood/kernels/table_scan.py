"""What touches every value of a table: native where it is built, else reference/table_scan.py and
reference/linear_columns.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softwood.kernels.backend import kernels
from softwood.kernels.reference import linear_columns, table_scan
from softwood.kernels.reference.table_scan import Floats, Words

__all__ = ["any_infinite", "column_moments", "hash_rows", "make_linear_columns"]

hash_rows: Callable[[Floats, Floats, int], Words] = table_scan.hash_rows
any_infinite: Callable[[Floats], bool] = table_scan.any_infinite
column_moments: Callable[[Floats, Floats], tuple[Floats, Floats, Floats] | None] = linear_columns.column_moments
make_linear_columns: Callable[[Floats, Sequence[int], Floats, Floats, Floats], Floats] = (
    linear_columns.make_linear_columns
)

if kernels == "native":
    from softwood.kernels.native import any_infinite, column_moments, hash_rows, make_linear_columns
