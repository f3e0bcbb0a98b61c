"""Held-out rows with their targets and out-of-fold predictions, for intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.sparse.table import SparseTable

MAX_HELD_OUT_ROWS = 5_000  # rows: the coverage of an interval of 90 % is then known to within half a percent


@dataclass(frozen=True)
class HeldOutRows:
    """Held-out rows, each with the predictions of its fold.

    X : (rows, inputs).
    target : (rows, targets) numbers, or class codes (rows,).
    answer : (rows, targets) numbers, or class probabilities (rows, classes).
    weight : weight of each row; a row of weight two counts as two rows.
    group : number of each row's group, or None.
    """

    X: Any  # Floats, or a SparseTable
    target: npt.NDArray[np.generic]
    answer: Floats
    weight: Floats
    group: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.weight)

    @classmethod
    def joined(cls, parts: Sequence[HeldOutRows]) -> HeldOutRows | None:
        """The rows of several folds; None where there are none."""
        if not parts:
            return None
        target, answer, weight = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("target", "answer", "weight")
        )
        tables = [part.X for part in parts]
        X = SparseTable.joined(tables) if isinstance(tables[0], SparseTable) else np.concatenate(tables)
        groups = [part.group for part in parts if part.group is not None]
        return cls(X, target, answer, weight, np.concatenate(groups) if len(groups) == len(parts) else None)

    def divided(self, factor: Floats) -> HeldOutRows:
        """With weights divided by the weight of each class (classes,); rows of classes of weight 0 are dropped."""
        share = factor[self.target.astype(np.int64)]
        weight = np.divide(self.weight, share, out=np.zeros_like(self.weight), where=share > 0)
        return replace(self, weight=weight)

    def in_unit(self, size: float) -> HeldOutRows:
        """Regression rows in another unit: targets and predictions are multiplied by its size."""
        return replace(self, target=self.target.astype(np.float64) * size, answer=self.answer * size)
