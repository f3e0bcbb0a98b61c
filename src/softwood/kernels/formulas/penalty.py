"""The penalty on the parameters of a soft tree, each by its distance from a centre.

    ridge         cost = 1/2 strength * d^2                      c = 0
    log penalty   cost = 1/2 strength * log(1 + c * d^2) / c     c > 0

d is the distance from the centre, c is `log_penalty`. Both are equal for small d; the second grows more slowly above
d = 1/sqrt(c): minus the log density of Student's distribution, with most parameters small and a few large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, log1p


@dataclass(frozen=True)
class Penalty:
    """One entry per parameter. A negative strength freezes the parameter."""

    strength: Floats
    centre: Floats
    log_penalty: Floats

    def at(self, parameters: Floats) -> tuple[float, Floats]:
        """The cost, and its slope."""
        strength = np.maximum(self.strength, 0.0)
        away = parameters - self.centre
        size, is_log = away * away, self.log_penalty > 0
        cost = np.where(is_log, log1p(self.log_penalty * size) / np.where(is_log, self.log_penalty, 1.0), size)
        return 0.5 * dot(strength, cost), strength * away / (1.0 + self.log_penalty * size)
