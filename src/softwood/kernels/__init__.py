"""What runs per row. `reference` (NumPy) defines, `_native` (C++) hurries; this module picks one and says which.

SOFTWOOD_KERNELS=reference chooses the reference where both are there.
"""

from __future__ import annotations

import os
import warnings

from softwood.kernels import reference
from softwood.kernels.anneal import Annealing
from softwood.kernels.growth import HardGrower
from softwood.kernels.reference import apply_link

__all__ = [
    "Annealer",
    "Evaluator",
    "Grower",
    "HardGrower",
    "apply_link",
    "collapse_alphas",
    "grow_c45",
    "is_sound",
    "kernels",
]

Evaluator = reference.Evaluator
Grower: type[HardGrower] = reference.Grower
collapse_alphas = reference.collapse_alphas
is_sound = reference.is_sound
grow_c45 = reference.grow_c45
Annealer: type[Annealing] = reference.Annealer
kernels = "reference"

if os.environ.get("SOFTWOOD_KERNELS") != "reference":
    try:
        from softwood.kernels import native

        Evaluator = native.Evaluator  # type: ignore[misc,assignment]  # the twins share an interface, not a base
        Grower = native.Grower
        collapse_alphas = native.collapse_alphas
        is_sound = native.is_sound
        grow_c45 = native.grow_c45
        Annealer = native.Annealer
        kernels = "native"
    except ImportError as problem:
        warnings.warn(
            f"softwood runs on its slow NumPy kernels: the native ones are not built ({problem}). "
            "Install a C++ compiler and reinstall: pip install --force-reinstall --no-cache-dir softwood",
            RuntimeWarning,
            stacklevel=2,
        )
