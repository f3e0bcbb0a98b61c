"""The NumPy twins: slow, obvious, and the definition."""

from softwood.kernels.reference.evaluate import Evaluator, apply_link

__all__ = ["Evaluator", "apply_link"]
