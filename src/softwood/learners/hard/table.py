"""The pruning table: the cost of every tree of the sequence, printed like rpart's cp table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats

MAX_PRINTED_ROWS = 24  # rows printed of a long table: the small trees, and those around the chosen one


@dataclass(frozen=True)
class PruningTable:
    """One row per tree, from the root alone to the largest.

    Attributes
    ----------
    alpha : the tree is the smallest that is best for this penalty per leaf.
    n_leaves : its leaves.
    error : mean training error (cost of misclassification, or the loss of the criterion).
    tested_error, standard_error : the same by cross-validation, or on validation rows; NaN if not measured.
    chosen : the row of the tree that was kept.
    tested_by : "cv" or "validation", for the heading.

    Examples
    --------
    >>> print(PruningTable(np.array([0.2, 0.0]), np.array([1, 3]), np.array([0.5, 0.1]), np.array([0.52, 0.2]),
    ...                    np.array([0.05, 0.04]), chosen=1))
    Root error: 0.5. Errors below are parts of it.
    <BLANKLINE>
            alpha   leaves    error   cv error      ± se
      1       0.2        1   1.0000     1.0400    0.1000
    * 2         0        3   0.2000     0.4000    0.0800
    """

    alpha: Floats
    n_leaves: npt.NDArray[np.int64]
    error: Floats
    tested_error: Floats
    standard_error: Floats
    chosen: int
    tested_by: str = "cv"

    def choose(self, row: int) -> PruningTable:
        """The same table with another row chosen."""
        return replace(self, chosen=row)

    def __len__(self) -> int:
        return len(self.alpha)

    def __str__(self) -> str:
        root = self.error[0] or 1.0
        heading = "cv error" if self.tested_by == "cv" else "val error"
        lines = [f"Root error: {self.error[0]:.4g}. Errors below are parts of it.", ""]
        digits = max(2, len(str(len(self))))
        lines.append(f"  {'alpha':>{9 + digits}}{'leaves':>9}{'error':>9}{heading:>11}{'± se':>10}")
        before = -1
        for row in self._rows_to_show():
            if row > before + 1:
                lines.append(f"      … {row - before - 1} more")
            before = row
            mark = "*" if row == self.chosen else " "
            numbers = "".join(
                f"{value / root:>{width}.4f}" if np.isfinite(value) else " " * (width - 1) + "-"
                for value, width in (
                    (self.error[row], 9),
                    (self.tested_error[row], 11),
                    (self.standard_error[row], 10),
                )
            )
            lines.append(f"{mark}{row + 1:>{digits}}{self.alpha[row]:>10.4g}{self.n_leaves[row]:>9}{numbers}")
        if before + 1 < len(self):
            lines.append(f"      … {len(self) - before - 1} more")
        return "\n".join(lines)

    def _rows_to_show(self) -> list[int]:
        if len(self) <= MAX_PRINTED_ROWS:
            return list(range(len(self)))
        near = range(max(0, self.chosen - MAX_PRINTED_ROWS // 3), min(len(self), self.chosen + MAX_PRINTED_ROWS // 3))
        return sorted({*range(MAX_PRINTED_ROWS // 3), *near})
