"""The soft tree of İrsoy, Yıldız and Alpaydın (ICPR 2012), grown leaf by leaf.

    LearnSoftTree(m):  replace leaf m by a gate with two leaves and set these three by gradient descent over all rows,
                       the rest of the tree fixed;  if the error on validation rows falls, keep it and go on with the
                       left, then the right child;  else undo.

A split starts from the best hard split by reach-weighted gain (`start="hard"`), or from small random numbers
(`start="random"`). Step sizes are tried from large to small, each half the one before; the best on the validation
rows is kept.

Where this differs from the paper, as the authors' own program does: ten step sizes from 5 down, 25 epochs, momentum
0.1, a step that shrinks by 0.9999 at every row, a start slope of 0.5, and a split is kept if the error falls by
more than 0.001. Where it differs from both: inputs and number targets are standardised; classes are judged by
cross-entropy with a sigmoid or softmax at the root; the minus sign that the text drops from the cross-entropy is
there; w0 starts at the threshold, which is what the text means by "1"; hard splits are searched among 32 bins;
without validation rows some rows are held out for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from softwood.engines.memory import MemoryEngine
from softwood.kernels.soft import descend
from softwood.learners.soft.candidates import START_SLOPE, axis_start
from softwood.learners.soft.choice import Candidate
from softwood.learners.soft.columns import Recipe, build_columns
from softwood.learners.soft.ground import Ground, importance_of, judge_engine, plant_root
from softwood.learners.soft.harvest import harvest
from softwood.learners.soft.joint import Learned
from softwood.learners.soft.problem import Floats, SoftProblem
from softwood.learners.soft.sapling import Sapling
from softwood.tree import Schema


@dataclass(frozen=True)
class Incremental:
    """How to learn; the defaults are the authors' program's."""

    start: Literal["hard", "random"] = "hard"
    max_leaves: int = 64
    epochs: int = 25
    tries: int = 10
    first_step: float = 5.0
    momentum: float = 0.1
    decay: float = 0.9999
    slope: float = 0.5
    least_gain: float = 0.001
    n_threads: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Site:
    """Where a tree grows: what it is learned from and judged by, the columns of the rows to learn from, and chance."""

    ground: Ground
    phi: Floats
    rng: np.random.Generator


def learn_incremental(
    problem: SoftProblem, schema: Schema, how: Incremental, validation: SoftProblem | None
) -> Learned:
    """Learn a soft tree; validation rows, where given, are only judged by."""
    given = problem.in_order(how.seed)
    centre, scale = given.target_scale()
    whole = given.scaled(centre, scale)
    out = [] if validation is not None else whole.held_out()
    learn = whole.rows(~out[0]) if out else whole
    judge = validation.scaled(centre, scale) if validation is not None else whole.rows(out[0]) if out else whole
    columns = build_columns(learn.X, learn.n_levels, learn.weight, Recipe())
    ground = Ground.make(learn, judge, columns, how.n_threads, single=False)
    site = Site(ground, columns.make(learn.X), np.random.default_rng(how.seed))
    tree = _learn(plant_root(ground.learn, len(columns), "none"), 0, site, how)
    engine = judge_engine(whole, columns, how.n_threads, single=False)
    grown = harvest(tree, columns, schema, whole.loss, engine, whole.total_weight, centre, scale)
    importance = importance_of(tree, columns, whole, how.n_threads)
    row_loss = ground.judge.row_loss(tree.shape, tree.parameters)
    chosen = Candidate(Recipe(), 0.0, [tree], row_loss, ground.judge.weight, inputs=len(np.unique(columns.feature)))
    return Learned(grown, importance, [chosen], chosen, how.epochs)


def _learn(tree: Sapling, node: int, site: Site, how: Incremental) -> Sapling:
    """The paper's recursion."""
    if len(tree.leaves) >= how.max_leaves:
        return tree
    judge = site.ground.judge
    before = tree.loss(judge)
    trials = [_split(tree, node, site, how, 0.5**i * how.first_step) for i in range(how.tries)]
    found = [trial for trial in trials if trial is not None]
    if not found:
        return tree
    losses = [trial.loss(judge) for trial in found]
    best = int(np.argmin(losses))
    if not losses[best] < before - how.least_gain:
        return tree
    tree = found[best]
    first = int(tree.first_child[node])
    for child in (first, first + 1):
        tree = _learn(tree, child, site, how)
    return tree


def _split(tree: Sapling, node: int, site: Site, how: Incremental, step: float) -> Sapling | None:
    """The tree with a gate at `node`, set by gradient descent with this step; None if it ran away."""
    engine, rng, here = site.ground.learn, site.rng, tree.response[node]
    gate = rng.uniform(-0.01, 0.01, tree.columns + 1)
    first, second = (here + rng.uniform(-0.01, 0.01, tree.outputs) for _ in range(2))
    if how.start == "hard":
        start = axis_start(tree, engine, site.ground.axes, node)
        if start is None:
            return None
        gate, first, second = start.gate * (how.slope / START_SLOPE), start.first, start.second
    offset, reach = _seen_from(tree, node, engine)
    order = np.stack([rng.permutation(len(reach)) for _ in range(how.epochs)])
    weight = engine.weight * len(reach)
    with np.errstate(over="ignore", invalid="ignore"):
        gate, first, second = descend(
            site.phi, engine.target, weight, offset, reach, int(engine.loss_kind), gate, first, second, order, step,
            how.momentum, how.decay,
        )  # fmt: skip
    finite = np.isfinite(gate).all() and np.isfinite(first).all() and np.isfinite(second).all()
    return tree.split(node, gate, first, second) if finite else None


def _seen_from(tree: Sapling, node: int, engine: MemoryEngine) -> tuple[Floats, Floats]:
    """What all other leaves answer, and the reach of `node`, for each row."""
    output, reach, _ = engine.rows.answers(tree.shape, tree.parameters, engine.n_threads)
    arrives = np.ascontiguousarray(reach[:, node])
    return output - arrives[:, None] * tree.response[node], arrives
