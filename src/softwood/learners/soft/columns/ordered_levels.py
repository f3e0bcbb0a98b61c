"""Columns of a monotone ordered category: steps between neighbouring levels.

    step k (level) = 1 from level k on, minus its value at the most frequent level

Sums of steps with weights >= 0 are all functions that increase with the levels. A step is made of indicators of
levels, so in the tree the input stays a category and is printed with its levels; a missing value counts as the most
frequent level.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.kinds import Term

MAX_STEP_SCALE = 3.0  # of a step with few rows on one side


def ordered_columns(build: Any, f: int, levels: int, x: Floats, weight: Floats) -> None:
    """A column for every step with rows on both sides; `x` are codes, none missing. `build` collects them."""
    if not len(x):
        return
    rows = np.bincount(x.astype(np.intp), weight, levels)
    share, mode = rows / rows.sum(), int(np.argmax(rows))
    above = np.cumsum(share[::-1])[::-1]  # proportion of rows at a level or above
    seen = np.flatnonzero(rows > 0)
    for step in seen[1:].tolist():
        scale = min(1.0 / np.sqrt(above[step] * (1.0 - above[step])), MAX_STEP_SCALE)
        side = range(step, levels) if step > mode else range(step)
        sign = 1.0 if step > mode else -1.0
        parts = {build.term(Term.CATEGORY, f, float(code), 0.0): sign * scale for code in side}
        mean = float(above[step]) - (0.0 if step > mode else 1.0)
        build.column(parts, -scale * mean, f, 3)
