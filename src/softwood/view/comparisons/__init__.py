"""Two models beside each other: what changed, for whom, and whether it is better."""

from softwood.view.comparisons.comparison import Comparison, compare_models

__all__ = ["Comparison", "compare_models"]
