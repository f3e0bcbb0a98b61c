"""The NumPy twins: slow, obvious, and the definition."""

from softwood.kernels.reference.evaluate import Evaluator, apply_link
from softwood.kernels.reference.grow import Grower

__all__ = ["Evaluator", "Grower", "apply_link"]
