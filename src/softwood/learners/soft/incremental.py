"""The soft tree of İrsoy, Yıldız and Alpaydın (ICPR 2012), grown leaf by leaf.

    LearnSoftTree(m):  replace leaf m by a gate with two leaves and set these three by gradient descent over all rows,
                       the rest of the tree fixed;  if the error on validation rows falls, keep it and go on with the
                       left, then the right child;  else undo.

A split starts from the best hard split by reach-weighted gain (`start="hard"`), or from small random numbers
(`start="random"`). Step sizes are tried from large to small, each half the one before, and the best goes on until it
converges.

Where this differs from the paper, as the authors' own program does: ten step sizes from 5 down, 25 epochs for each, of
which the best on validation rows is kept (the paper: on training rows), momentum 0.1, a step that shrinks by 0.9999
at every row, a start slope of 0.5, and a split is kept if the error falls by more than 0.001. Where it differs from
both: inputs and number targets are standardised, so a start slope says how many standard deviations a gate is wide, and
a narrow one (4) is tried beside the wide one, from which alone two periods of a sine may never begin; converged is a
split when 25 epochs more gain less than a thousandth on validation rows; classes are judged by cross-entropy with a
sigmoid or softmax at the root; the minus sign that the text drops from the cross-entropy is there; w0 starts at the
threshold, which is what the text means by "1"; hard splits are searched among 32 bins; without validation rows some
rows are held out for them (of equal rows some go either way); no tree has more leaves than there are different rows;
trials of one split see the rows in the same order, and
rows of which less than a millionth arrives are passed by.
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
from softwood.learners.soft.describe import describe
from softwood.learners.soft.ground import Ground, judge_engine, plant_root
from softwood.learners.soft.harvest import harvest
from softwood.learners.soft.joint import Learned
from softwood.learners.soft.moments import round_off
from softwood.learners.soft.problem import Floats, SoftProblem
from softwood.learners.soft.sapling import Sapling
from softwood.tree import Schema


@dataclass(frozen=True)
class Incremental:
    """How to learn; the defaults are the authors' program's."""

    start: Literal["hard", "random"] = "hard"
    max_leaves: int = 64
    least_gain: float = 0.001  # a split is kept if the error on validation rows falls by more
    epochs: int = 25
    tries: int = 10
    first_step: float = 5.0
    momentum: float = 0.1
    decay: float = 0.9999
    slopes: tuple[float, ...] = (0.5, 4.0)
    rounds: int = 20
    round_gain: float = 0.001
    n_threads: int = 1
    seed: int = 0
    keep: bool = False  # whether an interrupt ends the growth with the tree so far; otherwise it is raised


Start = Floats  # a gate's weights and bias, the responses of its first and of its second leaf


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
    learn, judge = whole.parted() if validation is None else (whole, validation.scaled(centre, scale))
    columns = build_columns(learn.X, learn.n_levels, learn.weight, Recipe())
    ground = Ground.make(learn, judge, columns, how.n_threads, single=False)
    site = Site(ground, round_off(columns.make(learn.X)), np.random.default_rng(how.seed))
    most = min(how.max_leaves, len(whole))
    tree, interrupted = _grow(plant_root(ground.learn, len(columns), "none"), site, how, most)
    engine = judge_engine(whole, columns, how.n_threads, single=False)
    grown = harvest(tree, columns, schema, whole.loss, engine, whole.total_weight, centre, scale)
    described = describe(grown, tree, columns, whole, centre, scale, how.n_threads)
    row_loss = ground.judge.row_loss(tree.shape, tree.parameters)
    chosen = Candidate(Recipe(), 0.0, [tree], row_loss, ground.judge.weight, inputs=len(np.unique(columns.feature)))
    return Learned(described, [chosen], chosen, how.epochs, interrupted=interrupted)


def _grow(tree: Sapling, site: Site, how: Incremental, most: int) -> tuple[Sapling, bool]:
    """The paper's recursion, with at most so many leaves; and whether an interrupt ended it."""
    judge, waiting = site.ground.judge, [0]
    try:
        while waiting and len(tree.leaves) < most:
            node = waiting.pop()
            split = _split(tree, node, site, how)
            if split is not None and split.loss(judge) < tree.loss(judge) - how.least_gain:
                tree, first = split, int(split.first_child[node])
                waiting += [first + 1, first]  # the first child has its turn first
    except KeyboardInterrupt:
        if not how.keep:
            raise
        return tree, True
    return tree, False


def _split(tree: Sapling, node: int, site: Site, how: Incremental) -> Sapling | None:
    """The tree with a gate at `node`: the best start and step, until it converges; None if all ran away."""
    spot = Spot.of(tree, node, site)
    starts = [(start, how.first_step * 0.5**i) for start in _starts(tree, node, site, how) for i in range(how.tries)]
    best = spot.descend(starts, how)
    if best is None:
        return None
    for _ in range(how.rounds):
        further = spot.descend([(spot.start_of(best.tree), best.step)], how)
        if further is None or not further.loss < best.loss:
            break
        gained, best = best.loss - further.loss, further
        if gained < how.round_gain * (best.loss + gained):
            break
    return best.tree


def _starts(tree: Sapling, node: int, site: Site, how: Incremental) -> list[Start]:
    """Where the descent begins: the best hard split, softened by every slope, or small random numbers."""
    if how.start == "hard":
        hard = axis_start(tree, site.ground.learn, site.ground.axes, node)
        if hard is None:
            return []
        return [np.concatenate([hard.gate * (slope / START_SLOPE), hard.first, hard.second]) for slope in how.slopes]
    small = site.rng.uniform(-0.01, 0.01, tree.columns + 1 + 2 * tree.outputs)
    small[tree.columns + 1 :] += np.tile(tree.response[node], 2)
    return [small]


@dataclass(frozen=True)
class Attempt:
    """The tree with a split after some epochs, its loss on validation rows, and the step to go on with."""

    tree: Sapling
    loss: float
    step: float


@dataclass(frozen=True)
class Spot:
    """A leaf to split, as the rows see it: what all other leaves answer, and how much of each row arrives."""

    tree: Sapling
    node: int
    site: Site
    offset: Floats
    reach: Floats

    @classmethod
    def of(cls, tree: Sapling, node: int, site: Site) -> Spot:
        engine: MemoryEngine = site.ground.learn
        output, reach, _ = engine.rows.answers(tree.shape, tree.parameters, engine.n_threads)
        arrives = np.ascontiguousarray(reach[:, node])
        return cls(tree, node, site, output - arrives[:, None] * tree.response[node], arrives)

    def start_of(self, split: Sapling) -> Start:
        """Gate and responses that a split of this leaf has."""
        first = int(split.first_child[self.node])
        return np.concatenate([split.gate[self.node], *split.response[first : first + 2]])

    def descend(self, starts: list[tuple[Start, float]], how: Incremental) -> Attempt | None:
        """The best start after some epochs of gradient descent, each with its own step; None if all ran away."""
        if not starts:
            return None
        engine, judge, n = self.site.ground.learn, self.site.ground.judge, len(self.reach)
        order = np.stack([self.site.rng.permutation(n) for _ in range(how.epochs)])
        begin, step = np.stack([start for start, _ in starts]), np.array([step for _, step in starts])
        with np.errstate(over="ignore", invalid="ignore"):
            splits = descend(
                self.site.phi, engine.target, engine.weight * n, self.offset, self.reach, int(engine.loss_kind),
                begin, order, step, how.momentum, how.decay, how.n_threads,
            )  # fmt: skip
        sound, after = np.isfinite(splits).all(axis=1), step * how.decay ** (how.epochs * n)
        parts = np.split(splits[sound], np.cumsum([self.tree.columns + 1, self.tree.outputs]), axis=1)
        trees = [self.tree.split(self.node, *one) for one in zip(*parts, strict=True)]
        attempts = [
            Attempt(tree, tree.loss(judge), end) for tree, end in zip(trees, after[sound].tolist(), strict=True)
        ]
        return min(attempts, key=lambda one: one.loss, default=None)
