"""A small multilayer perceptron in a node, unfolded into the gates of two levels.

    hidden   three sigmoid units over the columns
    output   sum over the four cells of (product of two units or their complements) * response of the cell

This is the "entropy net" of Sethi (1990): the first layer has gates, the second their conjunctions, the third the
responses; all weights are trained together (L-BFGS, native) with the loss of soft trees. Its units then become hard
gates, one above two: so the perceptron of Guo and Gelfand's trees, which cannot be a single gate, is an ordinary part
of the Tree. It finds structure that greedy gates miss: two inputs that are useless alone (XOR).

Several random starts and one from Fisher's direction are trained; the one with the lowest loss is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Index
from softwood.engines import SampleEngine
from softwood.engines.memory import from_columns
from softwood.kernels.arithmetic import dot, matmul
from softwood.kernels.kinds import Loss, class_loss
from softwood.learners.oblique.gate import LinearGate, Split
from softwood.learners.oblique.rows import Rows
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.search.fold import init_root

N_STARTS = 5
PENALTY_ROWS = 1.0  # weight of the penalty in rows
START_ITER, FULL_ITER = 25, 100  # iterations of every start, and of the best one
START_SLOPE = 2.0  # of an initial unit, in spreads of its score


def find_perceptron(rows: Rows, columns: Index, line: Split | None, least: float, seed: int) -> Split | None:
    """Three gates trained together; None if they do not divide the rows.

    Parameters
    ----------
    rows : of the node.
    columns : indices of the columns of units.
    line : a linear split to start one network from.
    least : minimum rows (by weight) of each used cell.
    seed : of the starts.
    """
    if not len(columns) or not rows.loss(rows.tally.sum(axis=0, keepdims=True))[0] > 0.0:
        return None
    phi = rows.phi[:, columns]
    engine = _engine(rows, phi)
    random_gates = RandomGates(phi, engine.weight, np.random.default_rng(seed))
    root = init_root(engine, len(columns), "none")
    starts = [_start(root, random_gates, None) for _ in range(N_STARTS)]
    if line is not None and isinstance(line.gate, LinearGate):
        starts.append(_start(root, random_gates, np.append(line.gate.weight[columns], line.gate.bias)))
    penalty = PENALTY_ROWS / engine.total_weight
    _, best = min((start.refine(engine, penalty, START_ITER) for start in starts), key=lambda pair: pair[0])
    return _unfolded(best.refine(engine, penalty, FULL_ITER)[1], rows, columns, least)


def _engine(rows: Rows, phi: Floats) -> SampleEngine:
    problem = rows.problem
    if not problem.is_classes:
        n = (rows.tally.shape[1] - 1) // 2
        y = rows.tally[:, 1 : n + 1] / rows.tally[:, :1]
        y = y - np.average(y, axis=0, weights=rows.split_weight)
        spread = np.sqrt(np.average(y * y, axis=0, weights=rows.split_weight))
        target, loss = y / np.maximum(spread, 1e-300), Loss.SQUARED
    else:
        table = np.eye(problem.n_classes)[problem.y]
        target, loss = table[:, 1:] if problem.n_classes == 2 else table, class_loss(problem.n_classes)
    return from_columns(phi, target, rows.split_weight, loss)


@dataclass(frozen=True)
class RandomGates:
    """Random numbers, and the rows that random gates should divide."""

    phi: Floats
    weight: Floats
    rng: np.random.Generator

    def gate(self) -> Floats:
        """Along a random direction, through the middle of the rows."""
        direction = np.asarray(self.rng.normal(size=self.phi.shape[1]))
        score = matmul(self.phi, direction)
        middle = dot(self.weight, score)
        spread = max(float(np.sqrt(dot(self.weight, np.square(score - middle)))), 1e-300)
        return np.append(direction, -middle) * (START_SLOPE / spread)


def _start(root: SoftTreeParams, random_gates: RandomGates, gate: Floats | None) -> SoftTreeParams:
    """Gates through the middle of the rows, along random directions or `gate`."""
    here = root.response[0]
    params = replace(root, n_iter=0)
    for node in range(3):
        along = random_gates.gate() if gate is None or node else gate * START_SLOPE
        first, second = (here + random_gates.rng.normal(0.0, 0.5, len(here)) for _ in range(2))
        params = params.split(node, along, first, second)
    return params


def _unfolded(net: SoftTreeParams, rows: Rows, columns: Index, least: float) -> Split | None:
    """The units as hard gates, with their gains on the rows."""
    gates = []
    for unit in net.gate[:3]:
        weight = np.zeros(rows.phi.shape[1])
        weight[columns] = unit[:-1]
        gates.append(LinearGate(weight, float(unit[-1])))
    top = gates[0].first(rows)
    if _too_few(rows, top, least):
        return None
    split = Split(gates[0], 0.0, below=(gates[1], gates[2]))
    place = split.place(rows)
    cells = np.array([rows.tally[place == cell].sum(axis=0) for cell in range(4)])
    gain = float(rows.loss(rows.tally.sum(axis=0, keepdims=True))[0] - rows.loss(cells).sum())
    return replace(split, gain=gain)


def _too_few(rows: Rows, side: np.ndarray, least: float) -> bool:
    weight = rows.problem.weight
    first = float(weight[side].sum())
    return min(first, float(weight.sum()) - first) < max(least * (1.0 - 1e-12), 1e-300)
