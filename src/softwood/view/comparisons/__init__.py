"""Comparison of two models: what changed, for which rows, and whether it is better."""

from softwood.view.comparisons.comparison import Comparison, compare_models

__all__ = ["Comparison", "compare_models"]
