"""What the numbers of a soft tree cost, each by its distance from where it is held.

    cost = 1/2 strength * away^2                        ease = 0
    cost = 1/2 strength * log(1 + ease * away^2) / ease

Both begin alike; the second one grows ever more slowly beyond away = 1/sqrt(ease), as if numbers had Student's
distribution: most of them small, a few as large as they need to be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Penalty:
    """One entry a parameter each. A negative strength keeps the parameter as it is."""

    strength: Floats
    centre: Floats
    ease: Floats

    def at(self, parameters: Floats) -> tuple[float, Floats]:
        """The cost, and its slope."""
        strength = np.maximum(self.strength, 0.0)
        away = parameters - self.centre
        size, eased = away * away, self.ease > 0
        cost = np.where(eased, np.log1p(self.ease * size) / np.where(eased, self.ease, 1.0), size)
        return 0.5 * float(strength @ cost), strength * away / (1.0 + self.ease * size)
