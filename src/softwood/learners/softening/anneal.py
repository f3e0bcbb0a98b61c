"""Softening by simulated annealing (Dvořák & Savický: Softening Splits in Decision Trees Using Simulated Annealing).

The widths of all ramps, starting from the hard tree, are fitted to the training rows by calls of simulated annealing on
small groups of neighbouring gates, until `patience` calls in a row have failed. Structure, thresholds and responses do
not change. The rules are in kernels/contracts/anneal.py.

Differs from the paper: more than two classes (by the probability of a row's own class) and numbers (by squared error);
categories and missing values keep their shares; a ramp ends within the training range of its input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softwood import kernels
from softwood.kernels.contracts.anneal import Annealing, Progress
from softwood.learners.softening.gates import SofteningRows, check_softenable, with_widths
from softwood.learners.softening.ramps import ALPHA, make_problem, within_range
from softwood.tree import Tree

PATIENCE = 50
CALLS_AT_ONCE = 20  # between two reports
NO_LIMIT = 2**62


@dataclass(frozen=True)
class Annealed:
    """The softened tree, the loss of the hard tree and its own; `interrupted` if annealing was not finished."""

    tree: Tree
    loss_before: float
    loss_after: float
    interrupted: bool = False


def anneal_tree(
    tree: Tree,
    rows: SofteningRows,
    seed: int,
    *,
    alpha: float = ALPHA,
    patience: int = PATIENCE,
    max_calls: int | None = None,
    keep: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> Annealed:
    """The tree with annealed ramps.

    Parameters
    ----------
    tree, rows : a hard, univariate tree and the rows it was grown on.
    seed : of the annealing, the only source of randomness.
    alpha : of the exponential error.
    patience, max_calls : stop after `patience` consecutive calls without success, or `max_calls` in all.
    keep : whether an interrupt ends the annealing with the widths so far; otherwise it is raised.
    report : called regularly with the progress.
    """
    check_softenable(tree)
    problem = make_problem(tree, rows.without_zero_weights(), alpha)
    annealer = kernels.Annealer(problem, seed)
    before, interrupted = annealer.run(0, patience), False
    try:
        run(annealer, patience, NO_LIMIT if max_calls is None else max_calls, report)
    except KeyboardInterrupt:
        if not keep:
            raise
        interrupted = True
    after, theta = annealer.run(0, patience).loss, annealer.theta()
    inside = within_range(problem, problem.threshold, theta)
    if np.any(inside < theta):
        theta, after = min(((t, annealer.loss(t)) for t in (inside, np.zeros_like(theta))), key=lambda pair: pair[1])
    return Annealed(with_widths(tree, theta * problem.scale), before.loss, after, interrupted)


def run(annealer: Annealing, patience: int, max_calls: int, report: Callable[[Progress], None] | None) -> None:
    """Anneal until calls stop succeeding, in stages, with a report of progress after each."""
    now = annealer.run(0, patience)
    while now.calls < max_calls and now.failures < patience:
        before, now = now, annealer.run(min(CALLS_AT_ONCE, max_calls - now.calls), patience)
        if report is not None:
            report(now)
        if now.calls == before.calls:  # nothing to anneal
            break
