"""The candidate sets of levels for the first child of a category.

One target or two classes: the prefixes of the levels sorted by mean contain the best subset (Breiman et al. 1984,
theorem 4.5; Fisher 1958). More (except absolute error): all subsets if there are few levels; otherwise the prefixes of
several orders, the last by the first principal component of the levels' means (Coppersmith, Hong & Hosking 1999).
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import EXACT_LEVELS, POWER_STEPS, TIE
from softwood.kernels.reference.sets import Masks, Prefixes, Sets


def level_sets(center: Floats, size: Floats, n_orders: int, tries_subsets: bool, unit: float) -> list[Sets]:
    """Candidates for the first child, from the centre and the W of each level present; `unit` is that of centres."""
    if n_orders == 1:
        return [Prefixes.proper(rising(center[:, -1], unit))]
    if not tries_subsets:
        return [Prefixes.proper(rising(key, unit)) for key in center.T]
    if len(center) <= EXACT_LEVELS:
        return [all_subsets(len(center))]
    keys = [*center.T, principal_score(center, size)]
    return [Prefixes.proper(rising(key, unit)) for key in keys]


def rising(key: Floats, unit: float) -> Index:
    """Levels in increasing order of the key, ties by code; a tie includes keys within TIE * unit of its first."""
    order = np.argsort(key, kind="stable")
    begin = 0
    for at in range(1, len(order) + 1):
        if at == len(order) or key[order[at]] - key[order[begin]] > TIE * unit:
            order[begin:at], begin = np.sort(order[begin:at]), at
    return order


def all_subsets(n_levels: int) -> Masks:
    """Every proper subset with level 0, in increasing order of its bit mask."""
    mask = np.arange(1, 2**n_levels - 1, 2)
    return Masks((mask[:, None] >> np.arange(n_levels) & 1).astype(np.bool_))


def principal_score(center: Floats, size: Floats) -> Floats:
    """Coordinate of each level along the first principal component of the centres, weighted by size."""
    weight = size / size.sum()
    away = center - (weight[:, None] * center).sum(axis=0)
    covariance = (weight[:, None, None] * away[:, :, None] * away[:, None, :]).sum(axis=0)
    axis = np.zeros(center.shape[1])
    variance = np.diag(covariance)
    axis[np.argmax(variance >= variance.max() * (1 - TIE))] = 1.0
    for _ in range(POWER_STEPS):
        turned = (covariance * axis).sum(axis=1)
        length = np.sqrt((turned * turned).sum())
        if length == 0:  # all centres are equal
            break
        axis = turned / length
    # Not a matrix product: levels with equal centres must get equal scores, to the last bit.
    return np.asarray((away * axis).sum(axis=1))
