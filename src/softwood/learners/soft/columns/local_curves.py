"""Local columns of a number: ramps between neighbouring knots, which are placed where rows are dense.

    ramp k (x) = 0 up to knot k, 1 from knot k + 1 on, linear between

A value that many rows share (no gains, forty hours) has a knot, and so have the values beside it: the curve may have a
peak there. The other knots are at quantiles of all other rows: if nine rows in ten have the same value, the tenth is
still finely divided. All ramps have the same scale, chosen so that the prior spread of a curve does not depend on
their number.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.arithmetic import cos_pi

# Widths of smooth steps, in ranks, and their scales. Scales half as large, or no step of a quarter, were worse on
# synthetic tables of 250 rows.
STEP_WIDTHS_AND_SCALES = ((1.0, 1.0), (0.5, 0.5), (0.25, 0.25))
MIN_ROWS_PER_RAMP = 40.0  # except for knots at values that many rows share


def local_knots(mass: Floats, n_ramps: int) -> Index:
    """Indices of about `n_ramps` knots among increasing values; `mass` is the weight of rows at each value."""
    shared = mass >= mass.sum() / n_ramps
    rest = np.cumsum(np.where(shared, 0.0, mass))
    least = min(MIN_ROWS_PER_RAMP, mass.sum() / (2 * n_ramps))
    parts = int(min(n_ramps - shared.sum(), rest[-1] // least))
    quantile = np.searchsorted(rest, rest[-1] * np.arange(1, parts) / max(parts, 1))
    peak = np.flatnonzero(shared)
    return np.unique(np.clip(np.r_[0, quantile, peak - 1, peak, peak + 1, len(mass) - 1], 0, len(mass) - 1))


def ramps_between(knot: Floats, spread: float) -> list[tuple[float, Floats]]:
    """Scale and heights at the knots of every ramp; with weights of spread 1 the sum has this spread."""
    n = len(knot) - 1
    return [(spread / np.sqrt(n), height) for height in np.tri(n + 1, n, -1).T]


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
