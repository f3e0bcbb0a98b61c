"""Two groups of the classes of a node, by exchange (Guo and Gelfand 1992; Yıldız and Alpaydın 2005).

    seed     the two classes with the most distant means (Mahalanobis distance), the others with the nearer one
    exchange move the class with the largest decrease of impurity to the other group, while that helps

The impurity of a grouping is that of the best cut along its direction, with BINS bins of the score: all moves of a
step are one table. The paper sorts the rows for every move; here the final cut is searched exactly, later. This
is the reference for native/oblique/class_groups.cpp.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Mask
from softwood.kernels.arithmetic import matmul
from softwood.kernels.formulas.score_threshold import loss_of

BINS = 64
BIN_RANGE_SPREADS = 3.0  # spreads of a score that the bins cover; what is further out falls in the outer bins
SAME = 1e-9  # losses or distances closer than this (relative) are ties, and the lowest class wins
EDGE = 1e-6  # of a bin, by which the bins are shifted, so that a score of 0 is not on an edge


def exchange(projected: Floats, gram: Floats, tally: Floats, criterion: int) -> Floats:
    """The coefficients a of the best grouping found; scores are `projected @ a`.

    Parameters
    ----------
    projected : (rows, classes) the rows on the discriminants D.
    gram : (classes, classes) inner products of the class means in the measure of S_T^-1.
    tally : (rows, classes) weight of each row in its class.
    criterion : number of a `Criterion` of classes.
    """
    size = tally.sum(axis=0)
    code = tally.argmax(axis=1)
    first = seed_groups(gram)
    if len(size) == 2:
        return coefficients(first[None], size).ravel()
    best = float(binned_losses(matmul(projected, coefficients(first[None], size).T), code, tally, criterion)[0])
    while True:
        moves = _moves(first)
        found = binned_losses(matmul(projected, coefficients(moves, size).T), code, tally, criterion)
        if not found.min() < best * (1.0 - SAME):
            return coefficients(first[None], size).ravel()
        at = int(np.flatnonzero(found <= found.min() * (1.0 + SAME))[0])
        best, first = float(found[at]), moves[at]


def seed_groups(gram: Floats) -> Mask:
    """The classes that are grouped with the first of the two most distant ones.

    Examples
    --------
    >>> seed_groups(np.outer([0.0, 1.0, 9.0], [0.0, 1.0, 9.0]))
    array([ True,  True, False])
    """
    length = np.diag(gram)
    distance = length[:, None] + length[None] - gram - gram.T
    pairs = np.triu_indices(len(gram), 1)
    farthest = float(distance[pairs].max())
    first = int(np.argmax(distance[pairs] >= farthest * (1.0 - SAME)))
    one, other = (int(side[first]) for side in pairs)
    near = distance[:, one] <= distance[:, other] + SAME * farthest
    near[one], near[other] = True, False
    return near


def coefficients(first: Mask, size: Floats) -> Floats:
    """For each grouping (a row of flags) the coefficients of its direction, by class."""
    share = np.where(first, size, 0.0)
    rest = np.where(first, 0.0, size)
    return np.asarray(share / share.sum(axis=1, keepdims=True) - rest / rest.sum(axis=1, keepdims=True))


def _moves(first: Mask) -> Mask:
    """Every grouping with one class moved and both groups filled."""
    moved = first ^ np.eye(len(first), dtype=np.bool_)
    filled = moved.any(axis=1) & ~moved.all(axis=1)
    return np.asarray(moved[filled])


def binned_losses(scores: Floats, code: npt.NDArray[np.intp], tally: Floats, criterion: int) -> Floats:
    """The lowest loss of a cut between bins, for each column of scores."""
    n, moves = scores.shape
    weight, k = tally[np.arange(n), code], tally.shape[1]
    share = weight / weight.sum()
    mean = matmul(share, scores)
    spread = np.sqrt(matmul(share, np.square(scores - mean)))
    place = (scores - mean) * (BINS / (2.0 * BIN_RANGE_SPREADS * np.maximum(spread, 1e-300))) + (BINS / 2 + EDGE)
    bin = np.clip(place, 0, BINS - 1).astype(np.intp)
    at = (bin + np.arange(moves) * BINS) * k + code[:, None]
    count = np.bincount(at.ravel(), np.repeat(weight, moves), moves * BINS * k).reshape(moves, BINS, k)
    below = np.cumsum(count.astype(np.float64), axis=1)
    above = below[:, -1:] - below
    total = loss_of(below.reshape(-1, k), criterion) + loss_of(above.clip(0.0).reshape(-1, k), criterion)
    return np.asarray(total.reshape(moves, BINS).min(axis=1))
