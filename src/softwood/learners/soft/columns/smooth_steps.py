"""Smooth steps: the curves of a monotone number."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import cos_pi

# Widths of smooth steps, in ranks, and their scales. Scales half as large, or no step of a quarter, were worse on
# synthetic tables of 250 rows.
STEP_WIDTHS_AND_SCALES = ((1.0, 1.0), (0.5, 0.5), (0.25, 0.25))


def smooth_steps(rank: Floats) -> list[tuple[float, Floats]]:
    """Scale, and heights at knots with these ranks, of smooth increasing steps: half a period of a cosine.

    The first spans all ranks; the others are half and a quarter as wide, side by side and overlapping. Narrower steps
    have smaller scales. Sums of them with weights >= 0 are the smooth curves of a monotone input.
    """
    found = []
    for width, scale in STEP_WIDTHS_AND_SCALES:
        for start in np.arange(0.0, 1.0 - width + 1e-9, width / 2):
            found.append((scale, -cos_pi(np.clip((rank - start) / width, 0.0, 1.0))))
    return found
