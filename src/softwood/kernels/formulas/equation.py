"""The equation of a tree, piece by piece, in NumPy: basis, scores, shares, responses, link.

    share[m -> c](x) = squash(score(x))          the share that a gate sends to each child

Sums run over the columns in order, so that a score is always the same number, and a hard linear gate never depends on
a library's order of summation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.arithmetic import exp
from softwood.kernels.kinds import Link, Missing, Score, Squash, Term


def without_float_warnings() -> np.errstate:
    """No warnings: infinite values may be subtracted, and inf - inf is NaN here as in C++."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def expand(basis: Any, X: Floats, limits: tuple[Floats, Floats] | None = None) -> Floats:
    """Basis columns of every row, shape (rows, columns); with inputs clipped to limits, one pair per column."""
    phi = X[:, basis.feature]
    gone = np.isnan(phi)
    phi[gone] = 0.0
    phi = phi if limits is None else np.clip(phi, *limits)
    square, hinge, category = (basis.term == term for term in (Term.SQUARE, Term.HINGE, Term.CATEGORY))
    phi[:, square] *= phi[:, square]
    phi[:, hinge] = np.maximum(0.0, phi[:, hinge] - basis.parameter[hinge])
    phi[:, category] = phi[:, category] == basis.parameter[category]
    if gone.any():
        phi = np.where(gone, basis.when_missing, phi)
    missing = basis.term == Term.MISSING
    phi[:, missing] = gone[:, missing]
    return phi


def response(tree: Any, m: int, phi: Floats) -> Floats:
    """Response of node m for each row, shape (rows, outputs)."""
    answer = np.tile(tree.response[m], (len(phi), 1))
    if tree.slope_row[m] >= 0:
        for column, slope in enumerate(tree.slope[tree.slope_row[m]]):
            answer += phi[:, column, None] * slope
    return answer


def shares(tree: Any, m: int, X: Floats, phi: Floats) -> Floats:
    """Shares of node m's children, shape (rows, children); rows sum to 1."""
    if tree.score[m] == Score.CONSTANT:
        return np.tile(tree.fraction[tree.first_child[m] : tree.first_child[m] + tree.n_children[m]], (len(X), 1))
    if tree.score[m] == Score.LINEAR:
        at = slice(tree.weight_begin[m], tree.weight_begin[m + 1])
        score = np.full(len(X), tree.bias[m])
        for column, weight in zip(tree.weight_column[at], tree.weight[at], strict=True):
            score += weight * phi[:, column]
        first = (score >= 0).astype(np.float64) if tree.squash[m] == Squash.STEP else sigmoid(score)
        return np.stack([first, 1.0 - first], axis=1)
    if tree.score[m] == Score.THRESHOLD and tree.squash[m] != Squash.STEP:
        x = X[:, tree.feature[m]]
        first = soft_threshold(x - tree.threshold[m], tree.softness[m], tree.squash[m])
        share, unread = np.stack([first, 1.0 - first], axis=1), np.isnan(x)
    else:
        slot = read_slot(tree, m, X)
        share, unread = one_hot(slot, tree.n_children[m]), slot < 0
    share[unread] = missing_shares(tree, m, X[unread])
    return share


def soft_threshold(x: Floats, softness: Floats, squash: int) -> Floats:
    """Share of the first child at distance x from the threshold; NaN stays NaN."""
    below, above = softness
    if squash == Squash.SIGMOID:
        return sigmoid(-x / below)
    with without_float_warnings():
        left = np.where(x <= -below, 1.0, 0.5 - 0.5 * x / below)
        right = np.where(x >= above, 0.0, 0.5 - 0.5 * x / above)
    return np.where(x < 0, left, np.where(x > 0, right, np.where(x == 0, 0.5, x)))


def read_slot(tree: Any, m: int, X: Floats) -> Ints:
    """Child slot of each row at a hard gate; -1 if the gate cannot read it."""
    x = X[:, tree.feature[m]]
    if tree.score[m] == Score.THRESHOLD:
        slot = np.where(x <= tree.threshold[m], 0, 1)
    elif tree.score[m] == Score.INTERVAL:
        slot = np.searchsorted(tree.cut[tree.cut_begin[m] : tree.cut_begin[m + 1]], x, side="left")
    else:
        at = slice(tree.group_begin[m], tree.group_begin[m + 1])
        return read_group(tree.group[at], tree.group_level[at], x)
    return np.where(np.isnan(x), -1, slot).astype(np.int32)


def read_group(group: Ints, level: Ints, x: Floats) -> Ints:
    """Slot of each category code; -1 for a missing value, a code outside the table or one without a slot.

    level : the increasing codes of the slots in `group`; empty: one slot per code.
    """
    if len(level):
        code = np.floor(x)
        at = np.minimum(np.searchsorted(level, code), len(level) - 1)
        return np.where(level[at] == code, group[at], -1).astype(np.int32)
    inside = (x >= 0) & (x < len(group))
    code = np.where(inside, x, 0).astype(np.int64)
    return np.where(inside, group[code] if len(group) else -1, -1).astype(np.int32)


def missing_shares(tree: Any, m: int, X: Floats) -> Floats:
    """Shares of rows whose value the gate of node m cannot read."""
    first, n = tree.first_child[m], tree.n_children[m]
    if tree.missing[m] == Missing.FRACTION:
        return np.tile(tree.fraction[first : first + n], (len(X), 1))
    slot = np.full(len(X), -1, np.int32)
    if tree.missing[m] == Missing.SURROGATE and len(tree.surrogates.begin):
        for row in range(tree.surrogates.begin[m], tree.surrogates.begin[m + 1]):
            slot = np.where(slot < 0, surrogate_slot(tree.surrogates, row, X), slot)
    return one_hot(np.where(slot < 0, tree.default[m], slot), n)


def surrogate_slot(table: Any, row: int, X: Floats) -> Ints:
    """Slot of each row by one surrogate; -1 if it cannot read the row."""
    x = X[:, table.feature[row]]
    at = slice(table.group_begin[row], table.group_begin[row + 1])
    if len(table.group[at]):
        return read_group(table.group[at], table.group_level[at], x)
    slot = (x <= table.threshold[row]) == table.flip[row]
    return np.where(np.isnan(x), -1, slot).astype(np.int32)


def one_hot(slot: npt.NDArray[Any], n: int) -> Floats:
    """Share 1 for the slot of each row, 0 for the others; a row of zeros if the slot is -1."""
    share: Floats = (slot[:, None] == np.arange(n)).astype(np.float64)
    return share


def sigmoid(score: Floats) -> Floats:
    """1 / (1 + exp(-score)) without overflow."""
    e = exp(-np.abs(score))
    share: Floats = np.where(score >= 0, 1.0, e) / (1.0 + e)
    return share


def count_answers(link: int, n_outputs: int) -> int:
    """Number of answers per row after the link."""
    return 2 if link == Link.SIGMOID and n_outputs == 1 else n_outputs


def apply_link(link: int, output: Floats) -> Floats:
    """From output to prediction; the sigmoid of one output gives the two class probabilities."""
    if link == Link.SIGMOID:
        p = sigmoid(output)
        if output.shape[1] != 1:
            return p
        both = np.empty((len(output), 2))
        np.subtract(1.0, p, out=both[:, :1])
        both[:, 1:] = p
        return both
    if link == Link.SOFTMAX:
        e = exp(output - output.max(axis=1, keepdims=True))
        answer: Floats = e / e.sum(axis=1, keepdims=True)
        return answer
    if link == Link.LOG:
        return np.asarray(exp(output))
    return output
