"""What touches every value of a table: native where it is built, else reference/content.py and reference/lines.py."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from softwood.kernels.reference import content, lines
from softwood.kernels.reference.content import Floats, Words

__all__ = ["any_infinite", "column_moments", "hash_rows", "make_lines"]

hash_rows: Callable[[Floats, Floats, int], Words] = content.hash_rows
any_infinite: Callable[[Floats], bool] = content.any_infinite
column_moments: Callable[[Floats, Floats], tuple[Floats, Floats, Floats] | None] = lines.column_moments
make_lines: Callable[[Floats, Sequence[int], Floats, Floats, Floats], Floats] = lines.make_lines

if os.environ.get("SOFTWOOD_KERNELS") != "reference":
    with suppress(ImportError):  # kernels/__init__ has said so loudly
        from softwood.kernels.native import any_infinite, column_moments, hash_rows, make_lines
