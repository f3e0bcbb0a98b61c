"""Monotone constraints of a grown tree: bounds of every node, and responses moved inside them.

    q = the predicted numbers, or P(class >= 1), ..., P(class >= K - 1)

The children of a branch on a feature of sign s share as a bound the middle of their q: the first lies below it and the
second above for s = +1, the other way round for -1. The bounds of a node hold for its whole subtree, so responses
inside them are ordered for every pair of leaves, and so are mixtures of them.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Ints, Signs


def find_bounds(first_child: Ints, feature: Ints, signs: Signs, quantity: Floats) -> tuple[Floats, Floats]:
    """Lower and upper bounds (nodes, quantities) of a binary tree whose parents come before their children.

    Examples
    --------
    >>> stump = np.array([1, -1, -1], np.int32), np.array([0, -1, -1], np.int32)
    >>> lower, upper = find_bounds(*stump, np.array([1], np.int8), np.array([[2.0], [1.0], [4.0]]))
    >>> lower.ravel(), upper.ravel()
    (array([-inf, -inf,  2.5]), array([inf, 2.5, inf]))
    """
    lower, upper = np.full_like(quantity, -np.inf), np.full_like(quantity, np.inf)
    for node in map(int, np.flatnonzero(first_child >= 0)):
        children = slice(first_child[node], first_child[node] + 2)
        lower[children], upper[children] = lower[node], upper[node]
        if sign := signs[feature[node]]:
            first, second = np.clip(quantity[children], lower[node], upper[node])
            low = int(first_child[node]) + (sign < 0)
            high = int(first_child[node]) + (sign > 0)
            upper[low] = lower[high] = first / 2 + second / 2
    return lower, upper


def upper_tails(share: Floats) -> Floats:
    """P(class >= 1), ..., P(class >= K - 1) of class shares."""
    return np.asarray(np.cumsum(share[:, :0:-1], axis=1)[:, ::-1])


def clip_classes(share: Floats, lower: Floats, upper: Floats) -> Floats:
    """Class shares whose upper tails P(class >= 1), ..., P(class >= K - 1) lie within the bounds."""
    tail = np.clip(upper_tails(share), lower, upper)
    edges = np.concatenate([np.ones((len(share), 1)), tail, np.zeros((len(share), 1))], axis=1)
    return np.asarray(np.maximum(edges[:, :-1] - edges[:, 1:], 0.0))


def clip_responses(response: Floats, bounds: tuple[Floats, Floats], *, classes: bool) -> Floats:
    """Responses of the nodes, moved inside their bounds: class shares, or numbers."""
    return clip_classes(response, *bounds) if classes else np.asarray(np.clip(response, *bounds))
