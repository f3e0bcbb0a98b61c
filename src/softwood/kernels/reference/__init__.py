"""The NumPy twins: slow, obvious, and the definition."""

from softwood.kernels.reference.anneal import Annealer
from softwood.kernels.reference.c45 import grow_c45
from softwood.kernels.reference.cost_complexity import collapse_alphas
from softwood.kernels.reference.evaluate import Evaluator
from softwood.kernels.reference.grow import Grower
from softwood.kernels.reference.validate import is_valid

__all__ = ["Annealer", "Evaluator", "Grower", "collapse_alphas", "grow_c45", "is_valid"]
