"""Computations per row. `reference` (NumPy) defines the results, `native` (C++) is its fast twin (dispatch.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels import reference
from softwood.kernels.contracts.anneal import Annealing
from softwood.kernels.contracts.evaluate import TreeEvaluator
from softwood.kernels.contracts.growth import HardGrower
from softwood.kernels.contracts.split_step import SplitStepResult
from softwood.kernels.dispatch import choose, find_native, kernels, simd
from softwood.kernels.formulas.equation import apply_link

__all__ = [
    "Annealer",
    "Evaluator",
    "Grower",
    "HardGrower",
    "StoredPasses",
    "TreeEvaluator",
    "any_infinite",
    "apply_link",
    "best_thresholds",
    "bin_codes",
    "collapse_alphas",
    "column_moments",
    "descend",
    "end_fit",
    "evaluate_buds",
    "gate_losses",
    "grow_c45",
    "grow_discriminant",
    "hash_rows",
    "hat_products",
    "is_valid",
    "kernels",
    "make_expanded_rows",
    "make_linear_columns",
    "make_rows",
    "make_shape",
    "make_split_features",
    "scale_running",
    "simd",
    "split_step",
    "sum_bins",
    "train_buds",
]

Annealer: type[Annealing] = choose(reference.Annealer)
Evaluator: type[TreeEvaluator] = choose(reference.Evaluator)
Grower: type[HardGrower] = choose(reference.Grower)
StoredPasses = choose(reference.StoredPasses)
any_infinite = choose(reference.any_infinite)
best_thresholds = choose(reference.best_thresholds)
bin_codes = choose(reference.bin_codes)
collapse_alphas = choose(reference.collapse_alphas)
column_moments = choose(reference.column_moments)
descend = choose(reference.descend)
evaluate_buds = choose(reference.evaluate_buds)
grow_c45 = choose(reference.grow_c45)
hash_rows = choose(reference.hash_rows)
hat_products = choose(reference.hat_products)
is_valid = choose(reference.is_valid)
make_expanded_rows = choose(reference.make_expanded_rows)
make_linear_columns = choose(reference.make_linear_columns)
make_rows = choose(reference.make_rows)
make_shape = choose(reference.make_shape)
scale_running = choose(reference.scale_running)
sum_bins = choose(reference.sum_bins)
train_buds = choose(reference.train_buds)

# Defined in learners/oblique and learners/soft/growth/split_step.py, whose own code runs where these are None.
grow_discriminant: Callable[..., dict[str, Any]] | None = find_native("grow_discriminant")
gate_losses: Callable[..., npt.NDArray[np.float64]] | None = find_native("gate_losses")
make_split_features: Callable[..., Any] = find_native("make_split_features")
split_step: Callable[..., SplitStepResult | None] | None = find_native("split_step")

# Where the interpreter ends, threads in the midst of a fit are held (native/bind/interpreter_lock.hpp). NumPy's kernels
# know no such place.
begin_fit: Callable[[], None] = find_native("begin_fit") or (lambda: None)
end_fit: Callable[[], None] = find_native("end_fit") or (lambda: None)
