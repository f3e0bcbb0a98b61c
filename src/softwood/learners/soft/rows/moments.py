"""Mean and spread of an input, as far as doubles carry: in any unit, and however far from zero.

The usual sums serve inputs whose squares are numbers and whose mean is not far from zero. For others values are counted
from the least one, in parts of their range: subtracting it is exact, and so is dividing by a power of two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats

# Of the largest value. A weight w and a bias b of a linear sum w x + b lose what lies below; so a number that varies by
# less counts as constant.
CONSTANT_MAX_SPREAD = 2.0**-45
EXACT_MIN_SPREAD = 1e-9  # of the largest value; a spread below may be rounding
MIN_SPREAD, MAX_VALUE = 1e-290, 1e300  # beyond, there is no weight 1 / spread, or no distance between two values
MIN_SQUARABLE = 1e-150  # a spread whose square is a number with all its digits
STEPS_PER_SPREAD = 2.0**26  # steps in a spread: finer than single precision, coarser than what rounding moves


def round_off(scaled: Floats) -> Floats:
    """Numbers in spreads without their last digits, which depend on the unit that they came in.

    Refinement takes hundreds of steps, and the last digit of the first may decide where the last one leads.
    """
    return np.asarray(np.rint(scaled * STEPS_PER_SPREAD) / STEPS_PER_SPREAD)


def find_moments(f: int, x: Floats, weight: Floats) -> tuple[float, float]:
    """Mean and spread by weight of input number `f`; spread 0 where it does not vary."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # is_valid finds what is no number
        middle = float(np.average(x / 2, weights=weight) * 2)
        spread = float(np.sqrt(np.average(np.square(x - middle), weights=weight)))
    largest = float(np.abs(x).max())
    if not is_valid(spread, largest):
        middle, spread = count_from_least(f, x, weight)
    return middle, spread if spread > CONSTANT_MAX_SPREAD * largest else 0.0


def is_valid(spread: npt.ArrayLike, largest: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether a spread that the usual sums gave can be trusted."""
    spread, least = np.asarray(spread), EXACT_MIN_SPREAD * np.asarray(largest)
    return np.asarray(np.isfinite(spread) & (spread > np.maximum(least, MIN_SQUARABLE)))


def count_from_least(f: int, x: Floats, weight: Floats) -> tuple[float, float]:
    """The same, counted from the least value in parts of the range."""
    low, high = float(x.min()), float(x.max())
    if not high > low:
        return low, 0.0
    unit = float(np.ldexp(1.0, int(np.frexp(high / 2 - low / 2)[1])))
    part = (x / 2 - low / 2) / unit
    mean = np.average(part, weights=weight)
    spread = 2 * unit * float(np.sqrt(np.average(np.square(part - mean), weights=weight)))
    if max(-low, high) > MAX_VALUE or spread < MIN_SPREAD:
        raise ValueError(
            f"column {f} of X (the first is 0) ranges from {low} to {high}, and doubles hold no weight for such "
            f"numbers. Multiply or divide it by a constant: it may vary by {MIN_SPREAD:g} or more, and hold numbers "
            f"up to {MAX_VALUE:g}."
        )
    return low + 2 * unit * float(mean), spread
