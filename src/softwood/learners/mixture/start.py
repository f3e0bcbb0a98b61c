"""Starts of EM: gates that separate two rows, drawn at random among those that reach the node.

EM climbs to a local maximum, and equal experts stay equal; so several starts run for a few iterations, and the one with
the highest likelihood continues. Above ALL_ROWS_MAX_ROWS that uses the first FIRST_ROWS rows (in the order of a hash,
so a random sample), and EM continues with ROWS_FACTOR times as many each time until it has all rows: most iterations
use few rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, matmul
from softwood.kernels.formulas.equation import sigmoid
from softwood.learners.mixture.em import Mixture, MixtureRows, run_em
from softwood.learners.mixture.shape import MixtureShape

START_ITER = 8  # iterations of a start before starts are compared
ALL_ROWS_MAX_ROWS = 20_000
FIRST_ROWS = 5_000
ROWS_FACTOR = 8
START_SLOPE = 2.0  # of an initial gate, in spreads of its score


def draw_start(shape: MixtureShape, rows: MixtureRows, targets: int, rng: np.random.Generator) -> Mixture:
    """Random gates above the experts, and uninformed experts."""
    n, columns = rows.phi.shape
    gate = np.zeros((shape.n_nodes, columns))
    reach = np.zeros((n, shape.n_nodes))
    reach[:, 0] = 1.0
    for m in shape.gating:
        gate[m] = _between_two(rows, reach[:, m], rng)
        share, first = sigmoid(matmul(rows.phi, gate[m])), shape.first_child[m]
        reach[:, first], reach[:, first + 1] = reach[:, m] * share, reach[:, m] * (1.0 - share)
    experts = shape.n_nodes if targets else 0
    return Mixture(shape, gate, np.zeros((experts, columns, targets)), np.ones((experts, targets)))


def _between_two(rows: MixtureRows, reach: Floats, rng: np.random.Generator) -> Floats:
    """A gate halfway between two rows, drawn by weight and reach."""
    mass = rows.weight * reach
    if not mass.sum() > 0.0:
        return np.zeros(rows.phi.shape[1])
    one, other = rng.choice(len(mass), 2, p=mass / mass.sum())
    direction: Floats = rows.phi[one] - rows.phi[other]
    score = matmul(rows.phi, direction)
    mean = dot(mass, score) / float(mass.sum())
    spread = float(np.sqrt(dot(mass, np.square(score - mean)) / mass.sum()))
    if not spread > 0.0:
        return np.zeros(rows.phi.shape[1])
    direction = direction * (START_SLOPE / spread)
    direction[-1] = -0.5 * dot(rows.phi[one, :-1] + rows.phi[other, :-1], direction[:-1])
    return direction


def learn_mixture(
    shape: MixtureShape, rows: MixtureRows, targets: int, starts: int, max_iter: int, tol: float, seed: int
) -> Mixture:
    """The best of several starts, run to convergence; targets 0: classes."""
    n = len(rows.phi)
    if n <= ALL_ROWS_MAX_ROWS:
        return _from_starts(shape, rows, targets, starts, max_iter, tol, seed)
    some = FIRST_ROWS
    mixture = _from_starts(shape, rows.head(some), targets, starts, max_iter, tol, seed)
    while some < n:
        some = n if some * ROWS_FACTOR >= n else some * ROWS_FACTOR
        mixture = run_em(replace(mixture, history=[]), rows.head(some), max_iter, tol)
    return mixture


def _from_starts(
    shape: MixtureShape, rows: MixtureRows, targets: int, starts: int, max_iter: int, tol: float, seed: int
) -> Mixture:
    """The best of several starts, run to convergence."""
    rng = np.random.default_rng(seed)
    begun = [run_em(draw_start(shape, rows, targets, rng), rows, min(START_ITER, max_iter), tol) for _ in range(starts)]
    best = max(begun, key=lambda mixture: mixture.history[-1])  # on ties, the first
    return run_em(best, rows, max_iter, tol) if max_iter > START_ITER else best
