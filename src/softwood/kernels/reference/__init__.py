"""The reference kernels in NumPy: slow and simple; they define the results."""

from softwood.kernels.reference.anneal import Annealer
from softwood.kernels.reference.bin_tree import bin_codes, sum_bins
from softwood.kernels.reference.budding import evaluate_buds, train_buds
from softwood.kernels.reference.c45 import grow_c45
from softwood.kernels.reference.cost_complexity import collapse_alphas
from softwood.kernels.reference.descend import descend
from softwood.kernels.reference.evaluate import Evaluator
from softwood.kernels.reference.gradient import make_expanded_rows, make_rows, make_shape
from softwood.kernels.reference.grow import Grower
from softwood.kernels.reference.hat_products import hat_products
from softwood.kernels.reference.linear_columns import column_moments, make_linear_columns
from softwood.kernels.reference.running_scale import scale_running
from softwood.kernels.reference.stored_passes import StoredPasses
from softwood.kernels.reference.table_scan import any_infinite, hash_rows
from softwood.kernels.reference.thresholds import best_thresholds
from softwood.kernels.reference.validate import is_valid

__all__ = [
    "Annealer",
    "Evaluator",
    "Grower",
    "StoredPasses",
    "any_infinite",
    "best_thresholds",
    "bin_codes",
    "collapse_alphas",
    "column_moments",
    "descend",
    "evaluate_buds",
    "grow_c45",
    "hash_rows",
    "hat_products",
    "is_valid",
    "make_expanded_rows",
    "make_linear_columns",
    "make_rows",
    "make_shape",
    "scale_running",
    "sum_bins",
    "train_buds",
]
