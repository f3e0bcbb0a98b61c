"""The growth of discriminant trees and the contest of omnivariate ones: native where it is built.

The definition is learners/oblique (grow.py, discriminant.py, direction.py, contest.py) with reference/cut.py and
reference/exchange.py; None stands for "not built", and the learner then runs the definition.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["contest_losses", "grow_discriminant"]

grow_discriminant: Callable[..., dict[str, Any]] | None = None
contest_losses: Callable[..., npt.NDArray[np.float64]] | None = None

if os.environ.get("SOFTWOOD_KERNELS") != "reference":
    with suppress(ImportError):  # kernels/__init__ has said so loudly
        from softwood.kernels import _native

        grow_discriminant = _native.grow_discriminant
        contest_losses = _native.contest_losses
