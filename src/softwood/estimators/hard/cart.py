"""Shared by CARTClassifier and CARTRegressor."""

from __future__ import annotations

from typing import Any

from softwood.estimators.base.pruned import PrunedTree

SUMMED = ("gini", "entropy", "error", "squared_error", "poisson")  # functions of sums: sparse matrices stay sparse


class CART(PrunedTree):
    """Base class of CARTClassifier and CARTRegressor; not for direct use."""

    criterion: str

    def _keeps_sparse(self, X: Any) -> bool:
        return self.criterion in SUMMED
