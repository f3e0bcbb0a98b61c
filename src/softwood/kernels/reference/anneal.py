"""Reference annealer in NumPy: evaluates the whole tree for every proposal. Rules: contracts/anneal.py."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.contracts.anneal import (
    BETTER,
    HEAT,
    LEAST_LOG,
    PER_TEMPERATURE,
    PROPOSALS,
    TEMPERATURE,
    AnnealProblem,
    Progress,
    Ramps,
)

STEP, MIX_1, MIX_2, WORD = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 2**64 - 1
Variable = tuple[int, int]  # node, side


class RandomNumbers:
    """splitmix64 (Steele, Lea, Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed & WORD

    def uniform(self) -> float:
        """In [0, 1)."""
        self.state = (self.state + STEP) & WORD
        z = ((self.state ^ (self.state >> 30)) * MIX_1) & WORD
        z = ((z ^ (z >> 27)) * MIX_2) & WORD
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def normal(self) -> float:
        """Box and Muller (1958), one of the pair."""
        one, other = self.uniform(), self.uniform()
        return math.sqrt(-2.0 * math.log(1.0 - one)) * math.cos(2.0 * math.pi * other)


class Annealer:
    """Anneals widths, starting from 0.

    Examples
    --------
    >>> none = np.zeros(0)
    >>> stump = AnnealProblem(
    ...     first_child=np.array([1, -1, -1], np.int32), n_children=np.array([2, 0, 0], np.int32),
    ...     feature=np.array([0, -1, -1], np.int32), threshold=np.array([0.0, np.nan, np.nan]),
    ...     response=np.array([[0.5, 0.5], [0.9, 0.1], [0.1, 0.9]]), softens=np.array([1, 0, 0], np.uint8),
    ...     scale=np.ones((3, 2)), fixed_begin=np.full(3, -1), fixed=none, missing_begin=np.zeros(4, np.int64),
    ...     missing_row=np.zeros(0, np.int32), missing_share=none, X=np.array([[-1.0], [2.0]]),
    ...     code=np.array([0, 1], np.int32), y=np.zeros((0, 1)), weight=np.ones(2), alpha=4.0)
    >>> round(Annealer(stump, seed=0).loss(np.zeros((3, 2))), 4)  # 2 exp(-4 * 0.9)
    0.0546
    """

    def __init__(self, problem: AnnealProblem, seed: int) -> None:
        self.problem, self.random = problem, RandomNumbers(seed)
        self._theta = np.zeros_like(problem.scale)
        self.progress = Progress(0, 0, 0, self.loss(self._theta))
        self.unit = self.progress.loss / HEAT
        self.candidates = self.find_candidates()

    def theta(self) -> Floats:
        """Widths in units of their scale, (nodes, 2)."""
        return self._theta.copy()

    # -- the loss --------------------------------------------------------------------------------------------------

    def loss(self, theta: Floats, n_threads: int = 1) -> float:
        """The loss of the tree with the given widths."""
        p, out = self.problem, self.output(theta)
        if len(p.code):
            hit = out[np.arange(len(out)), p.code]
            return float((p.weight * np.exp(-p.alpha * hit)).sum())
        return float((p.weight[:, None] * (p.y - out) ** 2).sum())

    def output(self, theta: Floats) -> Floats:
        """Outputs of the tree, (rows, outputs)."""
        return self.answers(theta)[0]

    def answers(self, theta: Floats) -> list[Floats]:
        """Outputs of every subtree for every row."""
        p = self.problem
        answer = [np.tile(response, (len(p.X), 1)) for response in p.response]
        for m in np.flatnonzero(p.n_children)[::-1]:
            share, first = self.shares(int(m), theta), p.first_child[m]
            answer[m] = np.sum([share[:, s, None] * answer[first + s] for s in range(share.shape[1])], axis=0)
        return answer

    def shares(self, m: int, theta: Floats) -> Floats:
        """Shares of the children of a gate, (rows, children)."""
        p, n = self.problem, len(self.problem.X)
        if not p.softens[m]:
            width, begin = int(p.n_children[m]), int(p.fixed_begin[m])
            return p.fixed[begin : begin + n * width].reshape(n, width)
        share = ramp(p.X[:, p.feature[m]] - p.threshold[m], *(theta[m] * p.scale[m]))
        missing = slice(p.missing_begin[m], p.missing_begin[m + 1])
        share[p.missing_row[missing]] = p.missing_share[missing]
        return np.stack([share, 1.0 - share], axis=1)

    def gradient(self, ramps: Ramps, n_threads: int = 1) -> tuple[float, Ramps]:
        """The loss, and its gradient with respect to the ramps."""
        moved = copy(self)
        moved.problem = replace(self.problem, threshold=ramps.threshold, response=ramps.response)
        return moved.slopes(ramps.theta)

    def slopes(self, theta: Floats) -> tuple[float, Ramps]:
        """The loss and its gradient, with the problem's thresholds and responses."""
        p = self.problem
        slope = Ramps(np.zeros_like(theta), np.zeros(len(theta)), np.zeros_like(p.response))
        answer, reach = self.answers(theta), [np.ones(len(p.X)) for _ in p.response]
        push = self.push(answer[0])
        for m in range(len(theta)):
            if not p.n_children[m]:
                slope.response[m] = (push * reach[m][:, None]).sum(axis=0)
                continue
            share, first = self.shares(m, theta), int(p.first_child[m])
            for s in range(share.shape[1]):
                reach[first + s] = reach[m] * share[:, s]
            if p.softens[m]:
                gap = (push * (answer[first] - answer[first + 1])).sum(axis=1) * reach[m]
                by_theta, by_threshold = self.ramp_slopes(m, theta)
                slope.theta[m], slope.threshold[m] = gap @ by_theta, gap @ by_threshold
        return self.loss(theta), slope

    def push(self, out: Floats) -> Floats:
        """Gradient of the loss with respect to the outputs."""
        p, push, rows = self.problem, np.zeros_like(out), np.arange(len(out))
        if not len(p.code):
            return np.asarray(2.0 * p.weight[:, None] * (out - p.y))
        push[rows, p.code] = -p.alpha * p.weight * np.exp(-p.alpha * out[rows, p.code])
        return push

    def ramp_slopes(self, m: int, theta: Floats) -> tuple[Floats, Floats]:
        """Derivatives of the first child's share by the two widths of a gate (rows, 2) and by its threshold (rows,)."""
        p = self.problem
        x = p.X[:, p.feature[m]] - p.threshold[m]
        width = theta[m] * p.scale[m]
        inside = np.stack([(x < 0) & (x > -width[0]), (x >= 0) & (x < width[1])], axis=1)
        unit = np.where(width > 0, width, 1.0)  # no row is within a width of 0
        by_theta = np.where(inside, 0.5 * x[:, None] / (unit * np.where(theta[m] > 0, theta[m], 1.0)), 0.0)
        return by_theta, np.where(inside, 0.5 / unit, 0.0).sum(axis=1)

    # -- annealing ---------------------------------------------------------------------------------------------------

    def find_candidates(self) -> list[list[Variable]]:
        """All groups of widths for a call to anneal."""
        p = self.problem
        groups = []
        for m in map(int, np.flatnonzero(p.softens)):
            for side in (0, 1):
                child = int(p.first_child[m]) + side
                if p.n_children[child]:
                    groups.append([(m, side), *self.top_widths(child)])
        return groups or [[(int(m), 0), (int(m), 1)] for m in np.flatnonzero(p.softens)]

    def top_widths(self, top: int) -> list[Variable]:
        """Widths of the two top levels of a subtree."""
        p, first = self.problem, int(self.problem.first_child[top])
        nodes = [top, *range(first, first + int(p.n_children[top]))]
        return [(m, side) for m in nodes if p.softens[m] for side in (0, 1)]

    def run(self, max_calls: int, patience: int) -> Progress:
        """Make up to `max_calls` calls, fewer if `patience` in a row fail."""
        for _ in range(max_calls if self.candidates else 0):
            if self.progress.failures >= patience:
                break
            now = self.progress
            group = self.candidates[int(self.random.uniform() * len(self.candidates))]
            loss = self.anneal(group, now.loss)
            better = loss < now.loss * (1.0 - BETTER)
            failures = 0 if better else now.failures + 1
            self.progress = Progress(now.calls + 1, now.successes + better, failures, loss if better else now.loss)
        return self.progress

    def acceptance(self, increase: float, t: float) -> float:
        """Probability of taking a step that increases the loss."""
        return math.exp(-increase / (t * self.unit)) if self.unit > 0 else 0.0

    def anneal(self, group: list[Variable], start: float) -> float:
        """One call of SANN; leaves the best widths and returns their loss."""
        at = tuple(np.array(group).T)
        best, best_loss = self._theta, start
        here, loss = self._theta, start
        for its in range(PROPOSALS):
            t = TEMPERATURE / math.log(its // PER_TEMPERATURE * PER_TEMPERATURE + LEAST_LOG)
            tried = here.copy()
            tried[at] += np.array([self.random.normal() for _ in group]) * (t / TEMPERATURE)
            tried_loss = self.loss(tried) if (tried[at] >= 0).all() else np.inf
            if tried_loss > loss and not self.random.uniform() < self.acceptance(tried_loss - loss, t):
                continue
            here, loss = tried, tried_loss
            if loss < best_loss:
                best, best_loss = here, loss
        if best_loss < start * (1.0 - BETTER):
            self._theta = best
        return best_loss


def ramp(x: Floats, below: float, above: float) -> Floats:
    """Share of the first child at distance x from the threshold: 1/2 at x = 0, a jump if a width is 0."""
    left = np.where(x <= -below, 1.0, 0.5 - 0.5 * x / below) if below > 0 else np.ones_like(x)
    right = np.where(x >= above, 0.0, 0.5 - 0.5 * x / above) if above > 0 else np.zeros_like(x)
    return np.where(x < 0, left, np.where(x > 0, right, 0.5))
