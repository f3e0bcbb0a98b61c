"""Special functions in NumPy, from operations with the same bits on every machine (arithmetic/)."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import log

# Numerators and denominators of Wichura's rational functions (1988, algorithm AS 241), highest power first.
MIDDLE = (
    (
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ),
    (
        5226.495278852854,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ),
)
TAIL = (
    (
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ),
    (
        1.0507500716444169e-09,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ),
)
FAR_TAIL = (
    (
        2.0103343992922881e-07,
        2.7115555687434876e-05,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103,
    ),
    (
        2.0442631033899397e-15,
        1.421511758316446e-07,
        1.8463183175100548e-05,
        0.0007868691311456133,
        0.014875361290850615,
        0.1369298809227358,
        0.599832206555888,
        1.0,
    ),
)
STIRLING = (1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0)
STIRLING_MIN = 10  # from here on Stirling's series is off by less than 1e-14


def normal_quantile(p: Any) -> Any:
    """The quantile of the standard normal distribution, for p between 0 and 1; off by less than 1e-15 of it.

    >>> round(float(normal_quantile(0.975)), 9)
    1.959963985
    """
    p = np.asarray(p, np.float64)
    q = p - 0.5
    middle = q * _ratio(MIDDLE, 0.180625 - q * q)
    r = np.sqrt(-log(np.maximum(np.minimum(p, 1.0 - p), np.finfo(np.float64).tiny)))
    tail = np.where(r <= 5.0, _ratio(TAIL, np.minimum(r, 5.0) - 1.6), _ratio(FAR_TAIL, np.maximum(r, 5.0) - 5.0))
    return np.where(np.abs(q) <= 0.425, middle, np.where(q < 0.0, -tail, tail))[()]


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], r: Floats) -> Floats:
    above, below = (np.full_like(r, each[0]) for each in coefficients)
    for one, other in zip(*(each[1:] for each in coefficients), strict=True):
        above, below = above * r + one, below * r + other
    return np.asarray(above / below)


def log_factorial(n: Any) -> Any:
    """log(n!) of numbers n >= 0, whole or not: Stirling's series, for small n at n + STIRLING_MIN and back.

    >>> bool(abs(log_factorial(5) - log(120.0)) < 1e-13)
    True
    """
    n = np.asarray(n, np.float64)
    near = n < STIRLING_MIN
    x = np.where(near, n + STIRLING_MIN, n) + 1.0
    product = np.ones_like(n)
    for k in range(1, STIRLING_MIN + 1):
        product = np.where(near, product * (n + k), product)
    series = np.zeros_like(n)
    for each in reversed(STIRLING):
        series = series / (x * x) + each
    return ((x - 0.5) * log(x) - x + 0.5 * log(2.0 * np.pi) + series / x - log(product))[()]


def interpolate(x: Floats, knot: Floats, height: Floats) -> Floats:
    """Piecewise linear curves (curves, knots) at the values x, constant beyond the outer knots: (curves, values).

    >>> interpolate(np.array([-1.0, 0.5, 9.0]), np.array([0.0, 1.0]), np.array([[2.0, 4.0]])).tolist()
    [[2.0, 3.0, 4.0]]
    """
    held = np.clip(x, knot[0], knot[-1])
    place = np.clip(np.searchsorted(knot, held, side="right") - 1, 0, len(knot) - 2)
    slope = np.diff(height, axis=1) / np.diff(knot)
    return np.asarray(height[:, place] + slope[:, place] * (held - knot[place]))
