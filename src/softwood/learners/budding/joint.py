"""The budding tree as one problem on all rows: gates, responses and leafness by a deterministic optimiser.

    minimise  mean loss + leafness_penalty sum_m (1 - leafness[m]) + weight_penalty (1/2 eased |weights|^2 + ...)

    grow    a soft tree, by the search among kinds and weight penalties of the soft learner (learners/soft/search.py)
    bud     its branches become buds that answer as before; then all numbers move together, leafness among them, under
            one leafness penalty after the other; buds that do not pay become leaves again
    choose  on held-out rows the smallest tree that is not clearly worse than the best, the soft tree among them

Held-out rows are the caller's, which are never trained on; without them the rows are divided, as the soft learner does,
and the chosen tree is refined on all rows. Leafness adds nothing to what a tree can say (fold.py): it draws the answers
below a bud together, and tells which branches the loss can spare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softwood.engines import Engine, Floats
from softwood.learners.budding.bush import Bush
from softwood.learners.budding.fold import bush_of, fold, shape_of
from softwood.learners.budding.refine import Prices, round_buds, settle
from softwood.learners.soft import joint as soft
from softwood.learners.soft.choice import Candidate, is_near
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.field import Field
from softwood.learners.soft.ground import Ground, judge_engine
from softwood.learners.soft.loudness import best_loudness
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Sapling
from softwood.parts.interruptible import Interruptible

PATH = (1e-3, 3e-3, 1e-2, 3e-2)  # leafness penalties, each tree from the one before
LEAFNESS = 0.3  # of a branch that becomes a bud
SETTLE, ROUGH = 60, 1e-7  # iterations on the way, and the part of the objective that each must save
FINISH, FINE = 200, 1e-7  # of the tree that is kept


@dataclass(frozen=True)
class Joint:
    """How to learn. None chooses a penalty; `report` hears of every tree on the way.

    keep : whether an interrupt ends the learning with the best tree so far; otherwise it is raised.
    """

    leafness_penalty: float | None = None
    weight_penalty: float | None = None
    gate: soft.Gate = "auto"
    leaf: soft.Leaf = "auto"
    max_nodes: int = 63
    round_buds: bool = False
    n_threads: int = 1
    seed: int = 0
    keep: bool = False
    report: Callable[[dict[str, Any]], None] = lambda line: None

    def growing(self) -> soft.Joint:
        """How the soft tree is learned."""
        return soft.Joint(
            self.gate, self.leaf, (self.max_nodes + 1) // 2, self.weight_penalty,
            n_threads=self.n_threads, seed=self.seed, keep=self.keep,
            report=lambda candidate: self.report(told_of(candidate)),
        )  # fmt: skip


@dataclass(frozen=True)
class Stop:
    """Trees under one leafness penalty, one for each way the rows were divided, and their loss on held-out rows."""

    price: float
    bush: list[Bush]
    loudness: list[float]
    row_loss: Floats
    weight: Floats

    @property
    def loss(self) -> float:
        return float(np.average(self.row_loss, weights=self.weight))

    @property
    def nodes(self) -> float:
        return float(np.mean([bush.n_nodes for bush in self.bush]))

    def with_folds(self, other: Stop) -> Stop:
        """Together with the trees on other divisions of the rows."""
        return replace(
            self, bush=self.bush + other.bush, loudness=self.loudness + other.loudness,
            row_loss=np.append(self.row_loss, other.row_loss), weight=np.append(self.weight, other.weight),
        )  # fmt: skip


@dataclass(frozen=True)
class Learned:
    """The tree in scaled columns, what these are, its prices, and the trees it was chosen from.

    interrupted : whether an interrupt ended the learning early.
    """

    bush: Bush
    columns: Columns
    centre: Floats
    scale: Floats
    prices: Prices
    history: list[dict[str, Any]]
    interrupted: bool = False


def learn_joint(problem: SoftProblem, how: Joint, validation: SoftProblem | None) -> Learned:
    """Learn a budding tree; validation rows, where given, are only judged by."""
    whole = problem.in_order(how.seed, copied=False)
    centre, scale = whole.target_scale()
    whole = whole.scaled(centre, scale)
    held = None if validation is None else validation.in_order(how.seed, copied=False).scaled(centre, scale)
    search = soft.searched(whole, held, how.growing(), None)
    refit = held is None or len(whole) > soft.ENOUGH
    trial, work = search.chosen, Interruptible(how.keep, search.interrupted)
    grown = trial.candidate
    if not (refit or work.interrupted):
        grown = work.result(grown, soft.from_best_start, trial, FINISH, how.n_threads)
    buds = Budding(trial.field, grown, how)
    stop = buds.as_found() if work.interrupted else work.result(buds.as_found(), buds.chosen)
    columns, bush = trial.field.columns, stop.bush[0]
    if refit:
        search.clear()  # before all rows are taken in
        everything: Engine = judge_engine(whole, columns, how.n_threads)
        bush = work.result(bush, buds.refitted, stop, everything)
    else:
        everything = buds.ground(0).learn
    prices = buds.prices(stop.price)
    if how.round_buds:
        bush = work.result(bush, round_buds, bush, everything, prices, FINISH, FINE)
    history = [told_of(trial.candidate) for trial in search.found] + buds.history
    history.append(told(bush, stop.loss, prices))
    return Learned(bush, columns, centre, scale, prices, history, work.interrupted)


class Budding:
    """From the soft tree that was chosen to a budding tree."""

    def __init__(self, field: Field, grown: Candidate, how: Joint) -> None:
        self.field, self.grown, self.how = field, grown, how
        self.history: list[dict[str, Any]] = []

    def ground(self, division: int) -> Ground:
        """Where the tree of a division grew; scouts, which go before the first full division, are gone by now."""
        return self.field.ground(self.field.full + division)

    def prices(self, price: float) -> Prices:
        """The weight penalty that the soft tree grew under, and its origin."""
        tree = self.grown.tree[0]
        return Prices(price, self.grown.penalty, tree.origin, tree.origin_slope, tree.ease)

    def chosen(self) -> Stop:
        """The smallest of the soft tree and those along the path that is not clearly worse than the best."""
        if all(tree.n_nodes == 1 for tree in self.grown.tree):
            return self.unbudded()
        if self.how.leafness_penalty is not None:
            path = list(self._path(0, (self.how.leafness_penalty,)))
            return self._everywhere(path[0])
        first = choose(list(self._path(0, PATH)))
        return choose([self.unbudded(), self._everywhere(first)])

    def _everywhere(self, stop: Stop) -> Stop:
        """With the trees of the other divisions."""
        for division in range(1, len(self.grown.tree)):
            for other in self._path(division, (stop.price,)):
                stop = stop.with_folds(other)
        return stop

    def _path(self, division: int, path: tuple[float, ...]) -> Iterator[Stop]:
        """Trees along the path of leafness penalties, each from the one before."""
        ground, tree = self.ground(division), self.grown.tree[division]
        quiet = tree.louder(1.0 / self.grown.loudness[division])
        start = bush_of(quiet, ground.learn.mean_reach(tree.shape, tree.parameters), LEAFNESS)
        for price in path:
            bush = settle(start, ground.learn, self.prices(price), SETTLE, ROUGH)[1]
            stop = judged(bush, price, ground)
            self.history.append(told(bush, stop.loss, self.prices(price)))
            self.how.report(self.history[-1])
            yield stop
            if bush.n_nodes == 1:
                return

    def unbudded(self) -> Stop:
        """The soft tree as it was grown."""
        losses = [self.ground(i).judge.row_loss(tree.shape, tree.parameters) for i, tree in enumerate(self.grown.tree)]
        return replace(self.as_found(), row_loss=np.concatenate(losses))

    def as_found(self) -> Stop:
        """The soft tree with the losses it was found by; an interrupted search may have got no further than scouts."""
        price = self.how.leafness_penalty or 0.0
        whole = [bush_of(tree, np.ones(tree.n_nodes), 0.0) for tree in self.grown.tree]
        return Stop(price, whole, self.grown.loudness, self.grown.row_loss, self.grown.weight)

    def refitted(self, stop: Stop, everything: Engine) -> Bush:
        """The trees of the divisions refined on all rows; the one of the lowest objective, as loud as they were."""
        if stop.price == 0.0 and self.how.leafness_penalty is None:
            return self._soft_refitted(everything)
        prices = self.prices(stop.price)
        quiet = [bush.louder(1.0 / factor) for bush, factor in zip(stop.bush, stop.loudness, strict=True)]
        refined = [settle(bush, everything, prices, FINISH, FINE) for bush in quiet]
        return min(refined, key=lambda pair: pair[0])[1].louder(_mean(stop.loudness))

    def _soft_refitted(self, everything: Engine) -> Bush:
        tree = soft.refitted(self.grown, everything, FINISH, self.how.n_threads)
        return bush_of(tree, everything.mean_reach(tree.shape, tree.parameters), 0.0)


def judged(bush: Bush, price: float, ground: Ground) -> Stop:
    """Its loss on each held-out row, as loud as suits them."""
    judge, shape = ground.judge, shape_of(bush)
    weight = judge.weight * judge.total_weight
    factor = best_loudness(judge.loss_kind, judge.output(shape, fold(bush)), judge.target, weight)
    bush = bush.louder(factor)
    return Stop(price, [bush], [factor], judge.row_loss(shape, fold(bush)), weight)


def choose(stops: list[Stop]) -> Stop:
    """The smallest tree whose held-out loss is near the best (learners/soft/choice.py)."""
    best = min(stops, key=lambda stop: stop.loss)
    near = [stop for stop in stops if stop is best or is_near(stop.row_loss, best.row_loss, stop.weight)]
    return min(near, key=lambda stop: (stop.nodes, stop.loss))


def told(bush: Bush, loss: float, prices: Prices) -> dict[str, Any]:
    """What there is to remember of a tree."""
    return {
        "leafness_penalty": prices.leafness,
        "weight_penalty": prices.weight,
        "loss": loss,
        "n_nodes": bush.n_nodes,
        "effective_size": bush.effective_size,
        "leafness": bush.leafness,
        "first_child": bush.first_child,
    }


def told_of(candidate: Candidate) -> dict[str, Any]:
    """The same of a soft tree on the way."""
    tree: Sapling = candidate.tree[0]
    prices = Prices(0.0, candidate.penalty, tree.origin, ease=tree.ease)
    return told(bush_of(tree, np.ones(tree.n_nodes), 0.0), candidate.loss, prices)


def _mean(factors: list[float]) -> float:
    """Geometric."""
    return float(np.exp(np.mean(np.log(factors))))
