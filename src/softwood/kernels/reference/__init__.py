"""The NumPy twins: slow, obvious, and the definition."""

from softwood.kernels.reference.anneal import Annealer
from softwood.kernels.reference.c45 import grow_c45
from softwood.kernels.reference.evaluate import Evaluator, apply_link
from softwood.kernels.reference.grow import Grower
from softwood.kernels.reference.sound import is_sound
from softwood.kernels.reference.weakest import collapse_alphas

__all__ = ["Annealer", "Evaluator", "Grower", "apply_link", "collapse_alphas", "grow_c45", "is_sound"]
