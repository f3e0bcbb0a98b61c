"""Half the Poisson deviance of numbers >= 0 from a mean, in units of the mean.

    half_deviance(t) = (1 + t) log(1 + t) - t        y = m (1 + t):  y log(y / m) - y + m = m half_deviance(t)

Near t = 0 its terms cancel: there it is the series t^2/2 - t^3/6 + ... = sum over k >= 2 of (-t)^k / (k (k - 1)).
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import log1p

SERIES_MAX_STEP = 1.0 / 16.0
TERMS = 14  # SERIES_MAX_STEP^15 is below the last digit


def half_deviance(t: Floats) -> Floats:
    """Half the deviance of 1 + t from 1; t >= -1.

    Examples
    --------
    >>> half_deviance(np.array([-1.0, 0.0, 1.0])).round(4)
    array([1.    , 0.    , 0.3863])
    """
    t = np.maximum(np.asarray(t, np.float64), -1.0)
    near = np.abs(t) <= SERIES_MAX_STEP
    small = np.where(near, t, 0.0)
    series = np.zeros_like(small)
    for k in range(TERMS, 1, -1):
        series = 1.0 / (k * (k - 1)) - small * series
    far = np.where(near, 1.0, t)
    log = log1p(np.where(far > -1.0, far, 0.0))  # 0 log 0 is 0
    return np.where(near, small * small * series, (1.0 + far) * log - far)
