"""EM for a hierarchical mixture of experts (Jordan and Jacobs 1994).

    P(y | x) = sum_leaf reach[leaf](x) P(y | leaf, x)

    E step   posterior[leaf] = reach[leaf] P(y | leaf, x) / P(y | x);  of a branch: the sum of its children
    M step   every gate: a logistic regression of posterior[first child] / posterior[m], rows weighted by posterior[m]
             a linear expert: a regression weighted by its posterior, and its variance
             a class leaf has no parameters: P(y | leaf) is 1 for its class, else 0

The log likelihood minus the penalty, ridge/2 |weights|^2, never decreases.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, eigh, exp, log, matmul
from softwood.kernels.formulas.equation import sigmoid
from softwood.learners.mixture.irls import fit_gate, fit_line
from softwood.learners.mixture.shape import MixtureShape

MIN_VARIANCE_SHARE = 1e-4  # of an expert, in parts of the target's: an expert that is sure of one row explains nothing
TINY = 1e-300
MIN_EIGENVALUE_SHARE = 1e-13  # of the largest eigenvalue: directions in which rows vary less carry rounding


@dataclass(frozen=True)
class Mixture:
    """Parameters: gate (nodes, columns + 1), bias last; line (nodes, columns + 1, targets), variance (nodes, targets).

    history : log likelihood minus penalty, before and after every iteration.
    """

    shape: MixtureShape
    gate: Floats
    line: Floats
    variance: Floats
    history: list[float] = field(default_factory=list)

    def reach(self, phi: Floats) -> Floats:
        """Share of each row that arrives at each node."""
        reach = np.ones((len(phi), self.shape.n_nodes))
        share = sigmoid(matmul(phi, self.gate.T))
        for m in self.shape.branches:
            first = self.shape.first_child[m]
            reach[:, first] = reach[:, m] * share[:, m]
            reach[:, first + 1] = reach[:, m] * (1.0 - share[:, m])
        return reach


@dataclass(frozen=True)
class MixtureRows:
    """Data for EM: columns (the last is 1), targets (class codes, or scaled numbers), weights and the penalty.

    Made once from a `Dataset`: EM needs its columns in memory, and class codes instead of one column per class.
    """

    phi: Floats
    target: np.ndarray
    weight: Floats
    ridge: float

    def head(self, n: int) -> MixtureRows:
        """The first rows, with the penalty of all rows."""
        return replace(self, phi=self.phi[:n], target=self.target[:n], weight=self.weight[:n])

    def in_row_space(self) -> tuple[MixtureRows, Floats]:
        """Rows with at most as many columns as rows, and the map from these weights to those of all columns.

        With the penalty, weights are combinations of the rows, and it is invariant to rotations of the columns: with
        phi = (U S) V', weights v of U S are weights V v of phi, with the same norm. The last column does not change.
        """
        phi = self.phi[:, :-1]
        value, U = eigh(matmul(phi, phi.T))
        kept = value > MIN_EIGENVALUE_SHARE * max(float(value[-1]), TINY)
        U, size = U[:, kept], np.sqrt(value[kept])
        turn = np.zeros((len(size) + 1, self.phi.shape[1]))
        turn[:-1, :-1], turn[-1, -1] = matmul(U.T, phi) / size[:, None], 1.0
        return replace(self, phi=np.column_stack([U * size, self.phi[:, -1]])), turn


def likelihoods(mixture: Mixture, rows: MixtureRows) -> Floats:
    """Log P(y | leaf, x) for every leaf, (rows, leaves)."""
    leaves = mixture.shape.leaves
    if len(mixture.line) == 0:
        return np.where(mixture.shape.label[leaves] == rows.target[:, None], 0.0, -np.inf)
    table = np.empty((len(rows.phi), len(leaves)))
    for place, leaf in enumerate(leaves):
        error = rows.target - matmul(rows.phi, mixture.line[leaf])
        spread = mixture.variance[leaf]
        table[:, place] = -0.5 * (error * error / spread + log(2.0 * np.pi * spread)).sum(axis=1)
    return table


def expect(mixture: Mixture, rows: MixtureRows) -> tuple[float, Floats]:
    """Log likelihood minus penalty, and the posterior of every node, (rows, nodes)."""
    leaves, shape = mixture.shape.leaves, mixture.shape
    with np.errstate(divide="ignore"):
        joint = log(np.maximum(mixture.reach(rows.phi)[:, leaves], TINY)) + likelihoods(mixture, rows)
    most = joint.max(axis=1, keepdims=True)
    part = exp(joint - most)
    total = part.sum(axis=1, keepdims=True)
    posterior = np.zeros((len(rows.phi), shape.n_nodes))
    posterior[:, leaves] = part / total
    for m in shape.branches[::-1]:
        first = shape.first_child[m]
        posterior[:, m] = posterior[:, first] + posterior[:, first + 1]
    value = dot(rows.weight, (most + log(total))[:, 0])
    penalty = float(np.square(mixture.gate[:, :-1]).sum()) + float(
        (np.square(mixture.line[:, :-1]) / mixture.variance[:, None]).sum() if len(mixture.line) else 0.0
    )
    return value - 0.5 * rows.ridge * penalty, posterior


def maximise(mixture: Mixture, rows: MixtureRows, posterior: Floats) -> Mixture:
    """Every gate and expert fitted to its posterior."""
    shape, gate = mixture.shape, mixture.gate.copy()
    for m in shape.branches:
        here = posterior[:, m]
        target = posterior[:, shape.first_child[m]] / np.maximum(here, TINY)
        gate[m] = fit_gate(rows.phi, np.clip(target, 0.0, 1.0), rows.weight * here, gate[m], rows.ridge)
    if len(mixture.line) == 0:
        return replace(mixture, gate=gate)
    line, variance = mixture.line.copy(), mixture.variance.copy()
    for leaf in shape.leaves:
        w = rows.weight * posterior[:, leaf]
        size = float(w.sum())
        if size > 1e-6:
            line[leaf] = fit_line(rows.phi, rows.target, w, rows.ridge)
            error = rows.target - matmul(rows.phi, line[leaf])
            left = matmul(w, error * error) + rows.ridge * np.square(line[leaf][:-1]).sum(axis=0)
            variance[leaf] = np.maximum(left / size, MIN_VARIANCE_SHARE)
    return replace(mixture, gate=gate, line=line, variance=variance)


def run_em(mixture: Mixture, rows: MixtureRows, max_iter: int, tol: float) -> Mixture:
    """Iterate until the likelihood increases by less than `tol` per row."""
    value, posterior = expect(mixture, rows)
    history = [*mixture.history, value]
    for _ in range(max_iter):
        mixture = maximise(mixture, rows, posterior)
        value, posterior = expect(mixture, rows)
        history.append(value)
        if history[-1] - history[-2] < tol * float(rows.weight.sum()):
            break
    return replace(mixture, history=history)
