"""The C++ twins of `reference`: same names, same results, faster. Functions of `_native` without wrappers are not here.

NumPy allocates most result arrays, so they belong to Python; C++ fills them without the GIL.
"""

from softwood.kernels import _native
from softwood.kernels.native.anneal import Annealer
from softwood.kernels.native.evaluate import Evaluator
from softwood.kernels.native.grow import Grower, collapse_alphas, grow_c45
from softwood.kernels.native.soft import (
    StoredPasses,
    make_expanded_rows,
    make_rows,
    make_shape,
    make_split_features,
    split_step,
)
from softwood.kernels.native.tables import (
    any_infinite,
    bin_codes,
    column_moments,
    hash_rows,
    hat_products,
    make_linear_columns,
    sum_bins,
)

__all__ = [
    "Annealer",
    "Evaluator",
    "Grower",
    "StoredPasses",
    "any_infinite",
    "begin_fit",
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
    "make_expanded_rows",
    "make_linear_columns",
    "make_rows",
    "make_shape",
    "make_split_features",
    "scale_running",
    "split_step",
    "sum_bins",
    "train_buds",
]

begin_fit = _native.begin_fit
best_thresholds = _native.best_thresholds
descend = _native.descend
end_fit = _native.end_fit
evaluate_buds = _native.evaluate_buds
gate_losses = _native.gate_losses
grow_discriminant = _native.grow_discriminant
is_valid = _native.is_valid
scale_running = _native.scale_running
train_buds = _native.train_buds
