"""The soft tree of İrsoy, Yıldız and Alpaydın (ICPR 2012), grown leaf by leaf.

    LearnSoftTree(m):  replace leaf m by a gate with two leaves and set these three by gradient descent over all rows,
                       the rest of the tree fixed;  if the error on validation rows falls, keep it and continue with
                       the left, then the right child;  else undo.

A split starts from the best hard split by reach-weighted gain (`start="hard"`), or from small random numbers
(`start="random"`). Step sizes are tried from large to small, each half the previous one, and the best continues until
it converges.

Differences from the paper, shared with the authors' own program: ten step sizes from 5 down, 25 epochs for each, of
which the best on validation rows is kept (the paper: on training rows), momentum 0.1, a step that shrinks by 0.9999
at every row, a start slope of 0.5, and a split is kept if the error falls by more than 0.001. Differences from both:
inputs and numeric targets are standardised, so a start slope is in standard deviations of the gate's score, and a
larger one (4) is also tried, because from 0.5 alone two periods of a sine may never be found; a split has converged
when 25 more epochs gain less than a thousandth on validation rows; classification uses the cross-entropy with a
sigmoid or softmax at the root; the minus sign missing in the paper's cross-entropy is there; w0 starts at the
threshold, which is what the paper means by "1"; hard splits are searched among 32 bins; without validation rows some
rows are held out (equal rows may be split); no tree has more leaves than there are distinct rows; all trials of one
split see the rows in the same order, and rows with a reach below a millionth are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from softwood.arrays import Floats
from softwood.kernels import descend
from softwood.kernels.arithmetic import power
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.finish.held_out import held_out_part
from softwood.learners.soft.finish.importance import measure_tree
from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.growth.split_candidates import START_SLOPE, axis_candidate
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.moments import round_off
from softwood.learners.soft.search.fold import Fold, init_root, make_sample_engine
from softwood.learners.soft.search.selection import Candidate
from softwood.parts.held_out import MAX_HELD_OUT_ROWS
from softwood.tree import Schema


@dataclass(frozen=True)
class Incremental:
    """Options; the defaults are those of the authors' program."""

    start: Literal["hard", "random"] = "hard"
    max_leaves: int = 64
    least_gain: float = 0.001  # a split is kept if the error on validation rows falls by more than this
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
    keep: bool = False  # whether an interrupt ends growth with the tree so far; otherwise it is raised


SplitCandidate = Floats  # a gate's weights and bias, the responses of its first and of its second leaf


@dataclass(frozen=True)
class Site:
    """The data for growth: training and validation rows, the columns of the training rows, and a random generator."""

    fold: Fold
    phi: Floats
    rng: np.random.Generator


def learn_incremental(dataset: Dataset, schema: Schema, how: Incremental, validation: Dataset | None) -> FitResult:
    """Learn a soft tree; validation rows are never trained on."""
    given = dataset.in_order(how.seed)
    centre, scale = given.target_scale()
    whole = given.scaled(centre, scale)
    train, valid = whole.parted() if validation is None else (whole, validation.scaled(centre, scale))
    columns = build_design(train.X, train.n_levels, train.weight, BasisSpec())
    fold = Fold.make(train, valid, columns, how.n_threads, single=False)
    site = Site(fold, round_off(columns.make(train.X)), np.random.default_rng(how.seed))
    most = min(how.max_leaves, len(whole))
    trees, interrupted = _grow(init_root(fold.train, len(columns), "none"), site, how, most)
    tree = trees[-1]
    engine = make_sample_engine(whole, columns, how.n_threads, single=False)
    steps = [to_tree(each, columns, schema, whole.loss, engine, centre, scale) for each in trees]
    described = measure_tree(steps[-1], tree, columns, whole, centre, scale, how.n_threads)
    chosen = Candidate(
        basis_spec=BasisSpec(),
        penalty=0.0,
        tree=[tree],
        row_loss=fold.valid.row_loss(tree.shape, tree.parameters),
        weight=fold.valid.weight,
        inputs=len(np.unique(columns.feature)),
    )
    held_out = None
    if valid is not train:
        output = fold.valid.output(tree.shape, tree.parameters)
        held_out = held_out_part(valid, output, centre, scale, MAX_HELD_OUT_ROWS)
    return FitResult(
        described, [chosen], chosen, how.epochs, interrupted=interrupted, held_out=held_out, steps=tuple(steps)
    )


def _grow(tree: SoftTreeParams, site: Site, how: Incremental, most: int) -> tuple[list[SoftTreeParams], bool]:
    """The tree after every split of the recursion, up to `most` leaves, and whether an interrupt ended it."""
    valid, waiting, trees = site.fold.valid, [0], [tree]
    try:
        while waiting and len(tree.leaves) < most:
            node = waiting.pop()
            split = _split(tree, node, site, how)
            if split is not None and split.loss(valid) < tree.loss(valid) - how.least_gain:
                tree, first = split, int(split.first_child[node])
                trees.append(tree)
                waiting += [first + 1, first]  # the first child comes first
    except KeyboardInterrupt:
        if not how.keep:
            raise
        return trees, True
    return trees, False


def _split(tree: SoftTreeParams, node: int, site: Site, how: Incremental) -> SoftTreeParams | None:
    """The tree with a gate at `node`: the best start and step, run until it converges; None if all diverged."""
    leaf = LeafRows.of(tree, node, site)
    starts = [(start, how.first_step * 0.5**i) for start in _starts(tree, node, site, how) for i in range(how.tries)]
    best = leaf.descend(starts, how)
    if best is None:
        return None
    for _ in range(how.rounds):
        further = leaf.descend([(leaf.start_of(best.tree), best.step)], how)
        if further is None or not further.loss < best.loss:
            break
        gained, best = best.loss - further.loss, further
        if gained < how.round_gain * (best.loss + gained):
            break
    return best.tree


def _starts(tree: SoftTreeParams, node: int, site: Site, how: Incremental) -> list[SplitCandidate]:
    """Starts of the descent: the best hard split, softened with every slope, or small random numbers."""
    if how.start == "hard":
        hard = axis_candidate(tree, site.fold.train, site.fold.split_features, node)
        if hard is None:
            return []
        return [np.concatenate([hard.gate * (slope / START_SLOPE), hard.first, hard.second]) for slope in how.slopes]
    small = site.rng.uniform(-0.01, 0.01, tree.columns + 1 + 2 * tree.outputs)
    small[tree.columns + 1 :] += np.tile(tree.response[node], 2)
    return [small]


@dataclass(frozen=True)
class Attempt:
    """The tree with a split after some epochs, its loss on validation rows, and the step to continue with."""

    tree: SoftTreeParams
    loss: float
    step: float


@dataclass(frozen=True)
class LeafRows:
    """A leaf to split: the output of all other leaves and the reach of this one, per row."""

    tree: SoftTreeParams
    node: int
    site: Site
    offset: Floats
    reach: Floats

    @classmethod
    def of(cls, tree: SoftTreeParams, node: int, site: Site) -> LeafRows:
        train = site.fold.train
        output, reach = (sums(tree.shape, tree.parameters) for sums in (train.output, train.row_reach))
        arrives = np.ascontiguousarray(reach[:, node])
        return cls(tree, node, site, output - arrives[:, None] * tree.response[node], arrives)

    def start_of(self, split: SoftTreeParams) -> SplitCandidate:
        """Gate and responses of a split of this leaf."""
        first = int(split.first_child[self.node])
        return np.concatenate([split.gate[self.node], *split.response[first : first + 2]])

    def descend(self, starts: list[tuple[SplitCandidate, float]], how: Incremental) -> Attempt | None:
        """The best start after some epochs of gradient descent, each with its own step; None if all diverged."""
        if not starts:
            return None
        engine, valid, n = self.site.fold.train, self.site.fold.valid, len(self.reach)
        order = np.stack([self.site.rng.permutation(n) for _ in range(how.epochs)])
        begin, step = np.stack([start for start, _ in starts]), np.array([step for _, step in starts])
        with np.errstate(over="ignore", invalid="ignore"):
            splits = descend(
                self.site.phi, engine.target, engine.weight * n, self.offset, self.reach, int(engine.loss_kind.kind),
                begin, order, step, how.momentum, how.decay, how.n_threads,
            )  # fmt: skip
        sound, after = np.isfinite(splits).all(axis=1), step * power(how.decay, how.epochs * n)
        parts = np.split(splits[sound], np.cumsum([self.tree.columns + 1, self.tree.outputs]), axis=1)
        trees = [self.tree.split(self.node, *one) for one in zip(*parts, strict=True)]
        attempts = [
            Attempt(tree, tree.loss(valid), end) for tree, end in zip(trees, after[sound].tolist(), strict=True)
        ]
        return min(attempts, key=lambda one: one.loss, default=None)
