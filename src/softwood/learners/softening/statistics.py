"""Soft thresholds by statistics (Quinlan 1993, chapter 8; option -p of C4.5 and C5.0).

If the threshold of a gate moves to t, the cases of its node in between go to the other child, with L(t) errors in
total. The lower bound is the last t below the threshold c, and the upper bound the last t above, at which L is still
within one standard error of L(c):

    L(t) <= L(c) + sqrt((L(c) + 1/2) (n - L(c) + 1/2) / (n + 1))

and the gate becomes the ramp through (lower, 1), (c, 1/2), (upper, 0). Every gate is treated separately, in the hard
tree.

Differs from C4.5: weights, fractional cases; numbers too, with squared errors l and the standard error
sqrt(sum w (l - mean)²) of their sum.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.learners.softening.gates import (
    SofteningRows,
    arrivals,
    can_soften,
    check_softenable,
    subtree_output,
    with_widths,
)
from softwood.tree import Tree


def soften_by_statistics(tree: Tree, rows: SofteningRows) -> Tree:
    """Soft thresholds for every gate of a hard tree, from the rows it was grown on."""
    check_softenable(tree)
    rows = rows.without_zero_weights()
    softness, softens = np.zeros((tree.n_nodes, 2)), can_soften(tree)
    for node, row, weight in arrivals(tree, rows.X, rows.weight):
        if not softens[node]:
            continue
        x = rows.X[row, tree.feature[node]]
        known = ~np.isnan(x)
        if known.any():
            some = row[known]
            losses = [losses_of(subtree_output(tree, c, rows.X[some]), rows, some) for c in tree.children(node)]
            softness[node] = widths(x[known], weight[known], losses, float(tree.threshold[node]), rows.is_classes)
    return with_widths(tree, softness)


def losses_of(output: Floats, rows: SofteningRows, row: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
    """Error (0 or 1) or squared error of each prediction."""
    if rows.is_classes:
        return np.asarray(output.argmax(axis=1) != rows.y[row], np.float64)
    return np.asarray(((output - rows.y[row].astype(np.float64)) ** 2).mean(axis=1))


def widths(x: Floats, weight: Floats, losses: list[Floats], threshold: float, is_classes: bool) -> tuple[float, float]:
    """How far below and above the threshold the loss stays within one standard error.

    Examples
    --------
    >>> x = np.arange(10.0)
    >>> left, right = (x > 4).astype(float), (x <= 4).astype(float)  # each child errs on the other's rows
    >>> widths(x, np.ones(10), [left, right], 4.5, True)
    (0.5, 0.5)
    """
    order = np.argsort(x, kind="stable")
    x, weight, (first, second) = x[order], weight[order], (loss[order] for loss in losses)
    # total[k]: the loss if the first k rows go to the first child
    total = np.append(0.0, np.cumsum(weight * first)) + np.append(np.cumsum((weight * second)[::-1])[::-1], 0.0)
    cut = int(np.searchsorted(x, threshold, side="right"))
    limit = total[cut] + standard_error(np.append(first[:cut], second[cut:]), weight, is_classes)
    apart = np.append(np.append(True, x[1:] > x[:-1]), True)  # positions between equal values are not thresholds
    too_bad = np.flatnonzero(apart & (total > limit))
    below, above = too_bad[too_bad < cut], too_bad[too_bad > cut]
    # between x[k - 1] and x[k] the loss is total[k]: it is good down to the value above the last bad position
    lower = x[below[-1]] if len(below) else x[0]
    upper = x[above[0] - 1] if len(above) else x[-1]
    return max(threshold - float(lower), 0.0), max(float(upper) - threshold, 0.0)


def standard_error(loss: Floats, weight: Floats, is_classes: bool) -> float:
    """Standard error of the sum of the losses."""
    n, total = weight.sum(), (weight * loss).sum()
    if is_classes:
        return float(np.sqrt((total + 0.5) * (n - total + 0.5) / (n + 1.0)))
    unit = np.ldexp(1.0, int(np.frexp(np.abs(loss).max(initial=0.0))[1]))  # squares of squares may overflow
    return float(unit * np.sqrt((weight * ((loss - total / n) / unit) ** 2).sum()))
