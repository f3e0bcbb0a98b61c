"""The free parameters of a tree with ramps, as one vector of numbers of similar size.

widths       in units of the gate's box
thresholds   their change, in units of the whole box of the gate; they stay inside it
responses    of the leaves: logits of the class probabilities (so that they stay probabilities), or numbers in units
of their spread
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Mask
from softwood.kernels.arithmetic import exp, log
from softwood.kernels.contracts.anneal import AnnealProblem, Ramps

Bounds = tuple[Floats, Floats]  # the least and the largest value of each number

START_WIDTH = 0.1  # widths: a width of 0 has derivative 0
MIN_WIDTH, MAX_WIDTH = 1e-3, 10.0
MIN_PROBABILITY = 1e-3  # of a class probability: at 0 its logit would be infinite


@dataclass(frozen=True)
class FreeParams:
    """The vector's meaning: which widths are free, and whether thresholds and responses are.

    Examples
    --------
    A stump with its threshold at 2 in a box from 0 to 10; the threshold may go 2 down and 8 up:

    >>> none, codes = np.zeros(0), np.array([0, 1], np.int32)
    >>> stump = AnnealProblem(
    ...     first_child=np.array([1, -1, -1], np.int32), n_children=np.array([2, 0, 0], np.int32),
    ...     feature=np.array([0, -1, -1], np.int32), threshold=np.array([2.0, np.nan, np.nan]),
    ...     response=np.array([[0.5, 0.5], [0.9, 0.1], [0.1, 0.9]]), softens=np.array([1, 0, 0], np.uint8),
    ...     scale=np.array([[2.0, 8.0], [0, 0], [0, 0]]), fixed_begin=np.full(3, -1), fixed=none,
    ...     missing_begin=np.zeros(4, np.int64), missing_row=codes[:0], missing_share=none, X=np.array([[0.0], [10.0]]),
    ...     code=codes, y=np.zeros((0, 1)), weight=np.ones(2), alpha=4.0)
    >>> free = FreeParams(stump, thresholds=True, responses=False)
    >>> free.start(), *free.bounds()
    (array([0.1, 0.1, 0. ]), array([ 0.001,  0.001, -0.2  ]), array([10. , 10. ,  0.8]))
    >>> float(free.ramps(np.array([0.1, 0.1, 0.5])).threshold[0])
    7.0
    """

    problem: AnnealProblem
    thresholds: bool
    responses: bool

    @property
    def width(self) -> Mask:
        """(nodes, 2) widths that can be positive."""
        return np.asarray(self.problem.softens.astype(np.bool_)[:, None] & (self.problem.scale > 0))

    @property
    def gate(self) -> Mask:
        """(nodes,) gates with a free threshold."""
        return np.asarray(self.width.any(axis=1) & self.thresholds)

    @property
    def leaf(self) -> Mask:
        """(nodes,) leaves with a free response."""
        return np.asarray((self.problem.n_children == 0) & self.responses)

    @property
    def span(self) -> Floats:
        """Size of every gate's box."""
        return np.asarray(self.problem.scale.sum(axis=1))

    @property
    def spread(self) -> Floats:
        """Unit of every output for regression."""
        return np.asarray(np.maximum(np.ptp(self.problem.response, axis=0), np.finfo(np.float64).tiny))

    def start(self) -> Floats:
        """Small ramps at the tree's own thresholds and responses."""
        response = self.problem.response[self.leaf]
        answer = log(np.maximum(response, MIN_PROBABILITY)) if len(self.problem.code) else response / self.spread
        return np.concatenate([np.full(self.width.sum(), START_WIDTH), np.zeros(self.gate.sum()), answer.ravel()])

    def bounds(self) -> Bounds:
        """Bounds of every number of the vector."""
        below, above = (self.problem.scale[self.gate] / self.span[self.gate, None]).T
        n_widths, n_answers = int(self.width.sum()), int(self.leaf.sum()) * self.problem.response.shape[1]
        low = np.concatenate([np.full(n_widths, MIN_WIDTH), -below, np.full(n_answers, -np.inf)])
        return low, np.concatenate([np.full(n_widths, MAX_WIDTH), above, np.full(n_answers, np.inf)])

    def ramps(self, vector: Floats) -> Ramps:
        """The ramps of a vector."""
        p = self.problem
        widths, moves, answers = self._split(vector)
        theta, threshold, response = np.zeros_like(p.scale), p.threshold.copy(), p.response.copy()
        theta[self.width] = widths
        threshold[self.gate] += moves * self.span[self.gate]
        response[self.leaf] = softmax(answers) if len(p.code) else answers * self.spread
        return Ramps(theta, threshold, response)

    def slopes(self, ramps: Ramps, slope: Ramps) -> Floats:
        """Derivatives by the vector, from those by the ramps."""
        by_answer, p = slope.response[self.leaf], ramps.response[self.leaf]
        if len(self.problem.code):
            by_answer = p * (by_answer - (p * by_answer).sum(axis=1, keepdims=True))
        else:
            by_answer = by_answer * self.spread
        by_move = slope.threshold[self.gate] * self.span[self.gate]
        return np.concatenate([slope.theta[self.width], by_move, by_answer.ravel()])

    def _split(self, vector: Floats) -> tuple[Floats, Floats, Floats]:
        n, m = int(self.width.sum()), int(self.gate.sum())
        return vector[:n], vector[n : n + m], vector[n + m :].reshape(-1, self.problem.response.shape[1])


def softmax(logit: Floats) -> Floats:
    """Probabilities for every row of logits."""
    e = exp(logit - logit.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(e / e.sum(axis=1, keepdims=True))
