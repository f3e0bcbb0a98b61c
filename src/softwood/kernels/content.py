"""Numbers made of what rows hold: native where it is built, else reference/content.py."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from softwood.kernels.reference import content
from softwood.kernels.reference.content import Floats, Words

__all__ = ["hash_rows"]

hash_rows: Callable[[Floats, Floats, int], Words] = content.hash_rows

if os.environ.get("SOFTWOOD_KERNELS") != "reference":
    with suppress(ImportError):  # kernels/__init__ has said so loudly
        from softwood.kernels import _native

        hash_rows = _native.hash_rows
