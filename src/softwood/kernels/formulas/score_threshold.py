"""The cut along a score: between two neighbours, with the largest decrease of impurity, or nearly.

    gain      the cut with the largest gain; on ties, the lowest
    near      among the cuts with at least WORTH of the largest gain, the one nearest to a given point

With few rows the cut with the largest gain has a large variance; the cut between two normal densities of one variance
has a small one. The second rule uses that point if its gain is near the largest. Scores and distances that differ by
less than TIE of the scores' range are ties, which the lowest one wins, and a gain below TIE of the node's loss counts
as none. This is the reference for native/oblique/score_threshold.cpp.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.contracts.growth import TIE
from softwood.kernels.formulas.class_impurity import CLASS_LOSS
from softwood.kernels.kinds import Criterion

WORTH = 0.5


def loss_of(sums: Floats, criterion: int) -> Floats:
    """W * impurity of sets of rows: weight by class, or sums of w, w y and w y^2 by target; (sets, sums)."""
    if criterion in CLASS_LOSS:
        return CLASS_LOSS[Criterion(criterion)](sums, sums.sum(axis=1, keepdims=True))
    n = (sums.shape[1] - 1) // 2
    size = np.maximum(sums[:, :1], 1e-300)
    return np.asarray(np.maximum(sums[:, n + 1 :] - sums[:, 1 : n + 1] ** 2 / size, 0.0).mean(axis=1))


def best_cut(
    score: Floats, tally: Floats, weight: Floats, criterion: int, least: float, near: float
) -> tuple[float, float]:
    """Gain of the cut, and the score from which on rows are above it; a gain < 0 if there is none.

    Parameters
    ----------
    score : of every row.
    tally : (rows, sums) the summands of the criterion.
    weight : of every row; `least` of it must stay on both sides.
    near : the point to stay near; NaN: the largest gain.
    """
    order = np.argsort(score, kind="stable")
    value = score[order]
    below = np.cumsum(tally[order], axis=0)
    count = np.cumsum(weight[order])
    least *= 1.0 - TIE
    enough = (count[:-1] >= least) & (count[-1] - count[:-1] >= least)
    same = TIE * float(value[-1] - value[0])
    place = np.flatnonzero(enough & (value[1:] > value[:-1] + same))
    if not len(place):
        return -1.0, 0.0
    whole = below[-1:]
    above = whole - below[place]
    if criterion in CLASS_LOSS:
        above = above.clip(0.0)  # rounding of sums
    all_loss = float(loss_of(whole, criterion)[0])
    gain = all_loss - loss_of(below[place], criterion) - loss_of(above, criterion)
    known = ~np.isnan(gain)
    if not known.any():
        return -1.0, 0.0
    place, gain = place[known], gain[known]
    most, slack = float(gain.max()), TIE * max(all_loss, 1e-300)
    middle = 0.5 * (value[place] + value[place + 1])
    if np.isnan(near):
        chosen = int(np.flatnonzero(gain >= most - slack)[0])
    else:  # rounding may leave every gain below 0, and then half of the largest exceeds it
        good = np.flatnonzero(gain >= min(most, WORTH * most) - slack)
        away = np.abs(middle[good] - near)
        chosen = int(good[np.flatnonzero(away <= away.min() + same)[0]])
    between = value[place[chosen]] < middle[chosen]  # neighbours may be too close for a number between them
    gained = float(gain[chosen]) if gain[chosen] > slack else 0.0
    return gained, float(middle[chosen] if between else value[place[chosen] + 1])
