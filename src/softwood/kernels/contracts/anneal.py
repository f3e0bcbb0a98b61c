"""The contract of the annealer: widths of the ramps of a grown tree (Dvořák & Savický 2007). It holds for both twins.

Widths (nodes, 2) are in units of `scale` (nodes, 2): width = theta * scale. A gate with both widths 0 is the original
step, except for rows exactly at its threshold: a ramp sends half of them each way. The tree's prediction T(theta, x) is
that of the evaluator; the loss is, with weights w,

    classes   sum_i w_i exp(-alpha p_i),  p_i the probability of row i's class     (exp(alpha (|T - y| - 1)) for two)
    numbers   sum_i w_i sum_t (y_it - T_t(x_i))²

One call anneals a group of widths by R's SANN: with `its` counted from 1 to 100 and theta the group's current values,

    temperature   t = TEMPERATURE / log(10 floor((its - 1) / 10) + e - 1)
    proposal      theta + N(0, 1) t / TEMPERATURE, refused if any value is negative
    accepted      if the loss does not increase, or with probability exp(-increase / (t * unit))

where `unit` is the loss of the hard tree / HEAT (so that neither the number of rows nor the unit of y matters; on the
paper's data it is about 1, as in the paper), and returns the best widths seen (the start, if nothing was better: a
failure). Calls continue until `patience` in a row have failed.

Group: a variable s, drawn from all a_j (b_j) whose first (second) child is a branch: s and both widths of the gates in
the two top levels under that child that can be softened. A tree with one gate has no such variable: its group is its
two widths.

Random numbers: splitmix64, state += STEP, mixed; u = (word >> 11) * 2^-53. The variable is the
floor(u * candidates)-th; a normal number is sqrt(-2 log(1 - u1)) cos(2 pi u2). Per proposal: one normal per variable in
the order of the group (s, then level by level, each gate a before b), then one u for acceptance if the loss rose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints

TEMPERATURE = 10.0
HEAT = 1000.0
PROPOSALS = 100  # R's maxit = 101 counts the start
PER_TEMPERATURE = 10
LEAST_LOG = float(np.e - 1)
BETTER = 1e-12  # relative fall of the loss that counts as success


@dataclass(frozen=True)
class AnnealProblem:
    """A tree for the annealer.

    first_child, n_children, feature, threshold, response : of the tree.
    softens : gates that get ramps; `scale` (nodes, 2) are their units, 0 elsewhere.
    fixed_begin, fixed : shares of gates that do not soften: those of node m are
        fixed[fixed_begin[m] :] as (rows, children), present where fixed_begin[m] >= 0.
    missing_begin, missing_row, missing_share : rows that softening gate m cannot read, increasing, and their share of
        the first child: entries missing_begin[m] : missing_begin[m + 1].
    code : class of every row, empty for numbers. y : (rows, targets), empty for classes.
    """

    first_child: Ints
    n_children: Ints
    feature: Ints
    threshold: Floats
    response: Floats
    softens: npt.NDArray[np.uint8]
    scale: Floats
    fixed_begin: npt.NDArray[np.int64]
    fixed: Floats
    missing_begin: npt.NDArray[np.int64]
    missing_row: Ints
    missing_share: Floats
    X: Floats
    code: Ints
    y: Floats
    weight: Floats
    alpha: float


@dataclass(frozen=True)
class Ramps:
    """All parameters of a descent, or the derivatives of the loss with respect to them.

    theta : (nodes, 2) widths in units of their scale.
    threshold : (nodes,) of the gates that soften; others are not read.
    response : (nodes, outputs) of the leaves; others are not read.
    """

    theta: Floats
    threshold: Floats
    response: Floats


@dataclass(frozen=True)
class Progress:
    """The state of an annealer: calls, successes among them, failures in a row, current loss."""

    calls: int
    successes: int
    failures: int
    loss: float


class Annealing(Protocol):
    """The interface of both twins."""

    def __init__(self, problem: AnnealProblem, seed: int) -> None: ...

    def run(self, max_calls: int, patience: int) -> Progress:
        """Make up to `max_calls` calls, fewer if `patience` in a row fail."""
        ...

    def theta(self) -> Floats: ...

    def loss(self, theta: Floats, n_threads: int = 1) -> float: ...

    def gradient(self, ramps: Ramps, n_threads: int = 1) -> tuple[float, Ramps]:
        """The loss of the tree with these ramps, and its gradient."""
        ...
