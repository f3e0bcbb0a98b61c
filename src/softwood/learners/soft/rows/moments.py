"""Mean and spread of an input within the range of doubles: in any unit, and at any distance from zero.

The usual sums are for inputs whose squares are finite and whose mean is not far from zero. For others, values are
measured from the smallest one, relative to their range: subtraction is exact, and so is division by a power of two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats

# Of the largest value. A linear sum w x + b loses smaller differences to rounding, so a number that varies by less
# counts as constant.
CONSTANT_MAX_SPREAD = 2.0**-45
EXACT_MIN_SPREAD = 1e-9  # of the largest value; a smaller spread may be rounding
MIN_SPREAD, MAX_VALUE = 1e-290, 1e300  # above, a weight 1 / spread or a distance between two values overflows
MIN_SQUARABLE = 1e-150  # a spread whose square has all its digits
STEPS_PER_SPREAD = 2.0**26  # steps per spread: finer than single precision, coarser than rounding errors


def round_off(scaled: Floats) -> Floats:
    """Numbers in spreads without their last digits, which depend on the original unit.

    Refinement takes hundreds of steps, and the last digit of the first may change the result of the last.
    """
    return np.asarray(np.rint(scaled * STEPS_PER_SPREAD) / STEPS_PER_SPREAD)


def find_moments(f: int, x: Floats, weight: Floats) -> tuple[float, float]:
    """Weighted mean and spread of input number `f`; spread 0 if it is constant."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # is_valid finds values that are not finite
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
    """The same, measured from the smallest value and relative to the range."""
    low, high = float(x.min()), float(x.max())
    if not high > low:
        return low, 0.0
    unit = float(np.ldexp(1.0, int(np.frexp(high / 2 - low / 2)[1])))
    part = (x / 2 - low / 2) / unit
    mean = np.average(part, weights=weight)
    spread = 2 * unit * float(np.sqrt(np.average(np.square(part - mean), weights=weight)))
    if max(-low, high) > MAX_VALUE or spread < MIN_SPREAD:
        raise ValueError(
            f"column {f} of X (the first is 0) ranges from {low} to {high}, and a weight for it would "
            f"overflow or underflow. Multiply or divide it by a constant: its spread must be at least {MIN_SPREAD:g}, "
            f"its values at most {MAX_VALUE:g}."
        )
    return low + 2 * unit * float(mean), spread
