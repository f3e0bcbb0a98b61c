"""The growth of discriminant trees and the losses of an omnivariate node's gates: native where it is built.

The definition is learners/oblique (grow.py, discriminant.py, direction.py, gate_selection.py) with
formulas/score_threshold.py and formulas/class_groups.py; None: not built, and the learner runs the definition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.backend import native

__all__ = ["gate_losses", "grow_discriminant"]

grow_discriminant: Callable[..., dict[str, Any]] | None = native and native.grow_discriminant
gate_losses: Callable[..., npt.NDArray[np.float64]] | None = native and native.gate_losses
