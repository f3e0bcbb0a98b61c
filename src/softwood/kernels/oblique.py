"""The growth of discriminant trees: native where it is built.

The definition is learners/oblique (grow.py, discriminant.py, direction.py) with reference/cut.py and
reference/exchange.py; None stands for "not built", and the learner then runs the definition.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

__all__ = ["grow_discriminant"]

grow_discriminant: Callable[..., dict[str, Any]] | None = None

if os.environ.get("SOFTWOOD_KERNELS") != "reference":
    with suppress(ImportError):  # kernels/__init__ has said so loudly
        from softwood.kernels import _native

        grow_discriminant = _native.grow_discriminant
