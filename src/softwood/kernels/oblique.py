"""The kernels of oblique splits: native where they are built, else reference/cut.py and reference/exchange.py."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from softwood.kernels.reference import cut, exchange

__all__ = ["best_cut", "exchange_classes"]

_native: Any = None
if os.environ.get("SOFTWOOD_KERNELS") != "reference":
    with suppress(ImportError):  # kernels/__init__ has said so loudly
        from softwood.kernels import _native

best_cut: Any = cut.best_cut if _native is None else _native.best_cut
exchange_classes: Any = exchange.exchange if _native is None else _native.exchange
