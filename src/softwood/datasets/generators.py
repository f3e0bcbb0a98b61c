"""Generated data: functions and classes with a known truth.

    sinusoid    y = sin(2x) + noise, the example of ICPR 2012 and of the budding poster
    friedman    10 sin(π x1 x2) + 20 (x3 − ½)² + 10 x4 + 5 x5 + N(0, 1), five irrelevant inputs (Friedman 1991; add10)
    ringnorm    N(0, 4 I) against N((a, …, a), I), a = 2/√20, twenty inputs (Breiman 1996)
    twonorm     N((a, …, a), I) against N((−a, …, −a), I), a = 2/√20: the best classifier has an error of Φ(−2) = 2.3 %
    xor         the sign of x1 x2: no single split has a gain
    spiral      arms of a spiral, one class each
    magic       ten inputs that resemble images of a Cherenkov telescope: gamma against hadron

Breiman's report prints a = 1/√20 for ringnorm; the commonly used Delve data has 2/√20 (class means .45).
`random_state` is a seed or a numpy Generator; the same seed gives the same rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs

DIMENSIONS = 20  # inputs of ringnorm and twonorm
CENTRE = 2.0 / np.sqrt(DIMENSIONS)
GAMMA = 0.648  # proportion of gammas among the rows of MAGIC


def make_sinusoid(n_rows: int = 200, *, noise: float = 0.1, random_state: Any = 0) -> tuple[Floats, Floats]:
    """The example y = sin(2x) + N(0, noise²), x evenly spaced from −3 to 3.

    Parameters
    ----------
    n_rows : number of rows.
    noise : standard deviation of the noise added to the sine.
    random_state : seed or numpy Generator; the same seed gives the same rows.

    Returns
    -------
    Inputs (rows, columns) and targets (rows).

    Examples
    --------
    >>> X, y = make_sinusoid(5, noise=0.0)
    >>> X[:, 0].tolist(), bool(np.allclose(y, np.sin(2 * X[:, 0])))
    ([-3.0, -1.5, 0.0, 1.5, 3.0], True)
    """
    rng = _rng(n_rows, random_state)
    x = np.linspace(-3.0, 3.0, n_rows)
    return x[:, None], np.sin(2.0 * x) + _noise("noise", noise) * rng.normal(size=n_rows)


def make_friedman(n_rows: int = 1000, *, noise: float = 1.0, random_state: Any = 0) -> tuple[Floats, Floats]:
    """Friedman 1: ten uniform inputs, of which five matter.

    Parameters
    ----------
    n_rows : number of rows.
    noise : standard deviation of the noise added to the function.
    random_state : seed or numpy Generator; the same seed gives the same rows.

    Returns
    -------
    Inputs (rows, columns) and targets (rows).

    Examples
    --------
    >>> X, y = make_friedman(3)
    >>> X.shape, y.shape
    ((3, 10), (3,))
    """
    rng = _rng(n_rows, random_state)
    X = rng.uniform(size=(n_rows, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + _noise("noise", noise) * rng.normal(size=n_rows)


def make_ringnorm(n_rows: int = 1000, *, random_state: Any = 0) -> tuple[Floats, Longs]:
    """Class 0 has a large variance around the origin, class 1 a small one next to it; a quadric separates them.

    Parameters
    ----------
    n_rows : number of rows.
    random_state : seed or numpy Generator; the same seed gives the same rows.

    Returns
    -------
    Inputs (rows, columns) and targets (rows).

    Examples
    --------
    >>> X, y = make_ringnorm(4)
    >>> X.shape
    (4, 20)
    """
    rng = _rng(n_rows, random_state)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, DIMENSIONS)) * np.where(y == 0, 2.0, 1.0)[:, None]
    return X + CENTRE * y[:, None], y


def make_twonorm(n_rows: int = 1000, *, random_state: Any = 0) -> tuple[Floats, Longs]:
    """Two normal classes; the hyperplane between them is the best classifier.

    Parameters
    ----------
    n_rows : number of rows.
    random_state : seed or numpy Generator; the same seed gives the same rows.

    Returns
    -------
    Inputs (rows, columns) and targets (rows).

    Examples
    --------
    >>> X, y = make_twonorm(4)
    >>> X.shape
    (4, 20)
    """
    rng = _rng(n_rows, random_state)
    y = rng.integers(0, 2, n_rows)
    return rng.normal(size=(n_rows, DIMENSIONS)) + CENTRE * (1 - 2 * y)[:, None], y


def make_xor(n_rows: int = 400, *, flip: float = 0.0, random_state: Any = 0) -> tuple[Floats, Longs]:
    """The class is whether x1 and x2 have different signs; a proportion `flip` of the labels is flipped.

    Parameters
    ----------
    n_rows : number of rows.
    flip : proportion of labels that are flipped.
    random_state : seed or numpy Generator; the same seed gives the same rows.

    Returns
    -------
    Inputs (rows, columns) and targets (rows).

    Examples
    --------
    >>> X, y = make_xor(100)
    >>> bool(np.all(y == (X[:, 0] * X[:, 1] < 0)))
    True
    """
    rng = _rng(n_rows, random_state)
    X = rng.uniform(-1.0, 1.0, size=(n_rows, 2))
    turned = rng.uniform(size=n_rows) < _noise("flip", flip)
    return X, ((X[:, 0] * X[:, 1] < 0) ^ turned).astype(np.int64)


def make_spiral(
    n_rows: int = 400, *, n_arms: int = 2, turns: float = 1.5, noise: float = 0.02, random_state: Any = 0
) -> tuple[Floats, Longs]:
    """Spiral arms around the origin, one per class: point = r (cos φ, sin φ), φ = 2π (turns · r + arm / n_arms).

    Parameters
    ----------
    n_rows, n_arms : total number of rows, and number of classes.
    turns : number of turns of an arm.
    noise : standard deviation of the points around their arm.
    random_state : seed or numpy Generator; the same seed gives the same rows.

    Returns
    -------
    Inputs (rows, columns) and targets (rows).

    Examples
    --------
    >>> X, y = make_spiral(9, n_arms=3)
    >>> np.bincount(y).tolist()
    [3, 3, 3]
    """
    rng = _rng(n_rows, random_state)
    if n_arms < 1:
        raise ValueError(f"n_arms must be >= 1, got {n_arms!r}.")
    y = np.arange(n_rows) % n_arms
    radius = np.sqrt(rng.uniform(0.01, 1.0, n_rows))  # equal density: the outer turns are longer
    angle = 2.0 * np.pi * (turns * radius + y / n_arms)
    X = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return X + _noise("noise", noise) * rng.normal(size=X.shape), y.astype(np.int64)


def make_magic(n_rows: int = 2000, *, random_state: Any = 0) -> tuple[Floats, npt.NDArray[np.str_]]:
    """Ten inputs like MAGIC's: length, width, size, two concentrations, asymmetry, two third moments, angle, distance.

    Not a simulation of showers: logarithms of size, length and width are normal with MAGIC's class means and spreads,
    bright images are long and less concentrated, gammas ('g') point to the source (small angle, smaller for longer
    images), hadrons ('h') in any direction. Classes overlap as in MAGIC; a single threshold separates them poorly.

    Parameters
    ----------
    n_rows : number of rows.
    random_state : seed or numpy Generator; the same seed gives the same rows.

    Returns
    -------
    Inputs (rows, columns) and targets (rows).

    Examples
    --------
    >>> X, y = make_magic(100)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 10), ['g', 'h'])
    """
    rng = _rng(n_rows, random_state)
    gamma = rng.uniform(size=n_rows) < GAMMA
    normal = rng.normal(size=(n_rows, 8))
    bright = normal[:, 0]
    size = 2.0 + np.exp(np.where(gamma, -0.40, -0.25) + 0.55 * bright)
    length = np.exp(np.where(gamma, 3.60, 3.92) + np.where(gamma, 0.44, 0.62) * bright + 0.25 * normal[:, 1])
    width = np.exp(np.where(gamma, 2.82, 2.98) + np.where(gamma, 0.22, 0.52) * bright + 0.38 * normal[:, 2])
    fraction = -0.60 - 0.80 * bright + 0.30 * normal[:, 3]
    concentration = 1.0 / (1.0 + np.exp(-fraction))
    pixel = concentration * (0.55 + 0.05 * np.tanh(normal[:, 4]))
    spread = np.where(gamma, 0.8, 1.1) * length
    asymmetry = spread * normal[:, 5] + np.where(gamma, 4.0, -0.25 * length)
    head = 0.6 * spread * normal[:, 6] + np.where(gamma, 0.4, 0.0) * length
    side = 0.8 * width * normal[:, 7]
    angle = np.where(gamma, np.minimum(rng.exponential(600.0 / length), 90.0), rng.uniform(0.0, 90.0, n_rows))
    distance = np.abs(rng.normal(np.where(gamma, 190.0, 200.0) + 30.0 * bright, 65.0))
    columns = [length, width, size, concentration, pixel, asymmetry, head, side, angle, distance]
    return np.stack(columns, axis=1), np.where(gamma, "g", "h")


def _rng(n_rows: Any, random_state: Any) -> np.random.Generator:
    if not isinstance(n_rows, int | np.integer) or n_rows < 1:
        raise ValueError(f"n_rows must be an integer >= 1, got {n_rows!r}.")
    return np.random.default_rng(random_state)


def _noise(name: str, value: float) -> float:
    if not value >= 0:
        raise ValueError(f"{name} must be >= 0, got {value!r}.")
    return float(value)
