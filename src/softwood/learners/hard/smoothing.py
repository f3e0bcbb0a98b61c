"""Smoothing of class probabilities: the probabilities of leaves with few rows are shrunk to a prior.

    probability = (n p + m q) / (n + m),    p = proportions of the node's n rows (by weight), q = prior

    Laplace      q = 1 / K for each of the K classes, m = K: one more row of each class
    m-estimate   q = proportions of all rows (the root's), m is a parameter, 2 by default (Cestnik 1990)

The predicted class of a node is unchanged: if the prior would change it, shrinkage stops before, and the rest is
towards equal shares, which do not change the order.

The last sentence differs from the papers (Cestnik 1990; Provost & Domingos 2003).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import matmul
from softwood.tree import Tree
from softwood.tree.trusted import with_fields

MAX_MOVE_SHARE = 1.0 - 1e-6  # of the way to where another class would be answered
M = 2.0  # weight of the prior of an m-estimate, in rows


@dataclass(frozen=True)
class Smoothing:
    """The weight of the prior in rows, and whether it has equal shares (else those of the root).

    strength : None is one row per class.
    """

    strength: float | None = None
    equal: bool = True

    def smooth(self, tree: Tree) -> Tree:
        """The tree with other class probabilities, also at branches."""
        return with_fields(tree, response=self.answers(tree))

    def answers(self, tree: Tree) -> Floats:
        """Smoothed class probabilities of every node, (nodes, classes)."""
        share, n_classes = tree.response, tree.response.shape[1]
        costs = np.array(tree.schema.costs) if tree.schema.costs else None
        strength = float(n_classes) if self.strength is None else self.strength
        pull = strength / (tree.count + strength)
        even = np.full(n_classes, 1.0 / n_classes)
        if self.equal:
            return pull_to(share, even, pull, costs)[0]
        answer, done = pull_to(share, share[0], pull, costs)
        return pull_to(answer, even, (pull - done) / (1.0 - done), costs)[0]


def pull_to(share: Floats, prior: Floats, part: Floats, costs: Floats | None = None) -> tuple[Floats, Floats]:
    """(1 - part) share + part prior, limited so that the class of least cost does not change; and the part used.

    Parameters
    ----------
    share : (nodes, classes).
    prior : (classes,).
    part : (nodes,) maximum proportion of the prior.
    costs : (actual, predicted), or None if all errors cost the same.

    Examples
    --------
    >>> pull_to(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([1.0, 0.0]), np.array([0.5, 0.5]))[0].round(4)
    array([[0.95, 0.05],
           [0.5 , 0.5 ]])
    """
    before, after = _merit(share, costs), _merit(prior[None, :], costs)
    best = np.argmax(before, axis=1)
    at = np.arange(len(share))
    ahead, ends = before[at, best, None] - before, after[0, best, None] - after
    falls = ends < 0.0
    room = np.where(falls, ahead / np.where(falls, ahead - ends, 1.0), 1.0).min(axis=1)
    part = np.where(part < room, part, room * MAX_MOVE_SHARE)
    answer = (1.0 - part[:, None]) * share + part[:, None] * prior
    kept = np.argmax(_merit(answer, costs), axis=1) == best
    return np.where(kept[:, None], answer, share), np.where(kept, part, 0.0)


def _merit(share: Floats, costs: Floats | None) -> Floats:
    """The score of each class as a prediction; larger is better."""
    return share if costs is None else -matmul(share, costs)
