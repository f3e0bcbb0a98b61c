"""What runs per row. `reference` (NumPy) is the definition, `_native` (C++) the fast twin; backend.py chooses one."""

from __future__ import annotations

from softwood.kernels import reference
from softwood.kernels.anneal import Annealing
from softwood.kernels.backend import kernels
from softwood.kernels.formulas.equation import apply_link
from softwood.kernels.growth import HardGrower

__all__ = [
    "Annealer",
    "Evaluator",
    "Grower",
    "HardGrower",
    "apply_link",
    "collapse_alphas",
    "grow_c45",
    "is_valid",
    "kernels",
]

Evaluator = reference.Evaluator
Grower: type[HardGrower] = reference.Grower
collapse_alphas = reference.collapse_alphas
is_valid = reference.is_valid
grow_c45 = reference.grow_c45
Annealer: type[Annealing] = reference.Annealer

if kernels == "native":
    from softwood.kernels import native

    Evaluator = native.Evaluator  # type: ignore[misc,assignment]  # the twins share an interface, not a base
    Grower = native.Grower
    collapse_alphas = native.collapse_alphas
    is_valid = native.is_valid
    grow_c45 = native.grow_c45
    Annealer = native.Annealer
