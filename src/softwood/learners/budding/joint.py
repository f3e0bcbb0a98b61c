"""The budding tree as one problem on all rows: gates, responses and leafness by a deterministic optimiser.

    minimise  mean loss + leafness_penalty sum_m (1 - leafness[m]) + weight_penalty (1/2 |weights|^2 + ...)

The leafness penalty falls along a path; each tree goes on from the one before, in rounds of budding (growth.py), and
held-out rows choose along the path, and among weight penalties: the simplest tree that is not clearly worse than
the best (learners/soft/choice.py has the rule). Held-out rows are the caller's, which are never trained on; without
them the rows are divided, and the way to the chosen tree is gone again on all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.engines.memory import MemoryEngine
from softwood.learners.budding import graft
from softwood.learners.budding.bush import Bush
from softwood.learners.budding.growth import grow, round_buds
from softwood.learners.budding.refine import Prices
from softwood.learners.soft.choice import MOST_LOST, TOLERANCE
from softwood.learners.soft.columns import Columns, build_columns
from softwood.learners.soft.ground import Ground, plant_root
from softwood.learners.soft.joint import ENOUGH, Gate, Leaf, recipes_for, slopes_for
from softwood.learners.soft.problem import Floats, SoftProblem
from softwood.learners.soft.sapling import Slopes

PATH = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)  # leafness penalties, each tree from the one before
STRENGTHS = (10.0, 2.0, 0.5, 0.1)  # weight penalties, times the rows
PATIENCE = 2  # penalties without gain on held-out rows after which a path ends
DIVISIONS = 2  # ways to divide the rows that a choice is made by


@dataclass(frozen=True)
class Joint:
    """How to learn. None chooses a penalty; `report` hears of every tree on the way."""

    leafness_penalty: float | None = None
    weight_penalty: float | None = None
    gate: Gate = "linear"
    leaf: Leaf = "constant"
    max_nodes: int = 63
    round_buds: bool = False
    n_threads: int = 1
    seed: int = 0
    report: Callable[[dict[str, Any]], None] = lambda line: None


@dataclass(frozen=True)
class Stop:
    """A tree on the way down the path, and its loss on each held-out row."""

    prices: Prices
    bush: Bush
    row_loss: Floats
    weight: Floats

    @property
    def loss(self) -> float:
        return float(np.average(self.row_loss, weights=self.weight))

    def told(self) -> dict[str, Any]:
        """What there is to remember of it."""
        return {
            "leafness_penalty": self.prices.leafness,
            "weight_penalty": self.prices.weight,
            "loss": self.loss,
            "n_nodes": self.bush.n_nodes,
            "effective_size": self.bush.effective_size,
            "leafness": self.bush.leafness,
            "first_child": self.bush.first_child,
        }


@dataclass(frozen=True)
class Learned:
    """The tree in scaled columns, what they are, the engine of all rows, and the trees it was chosen from."""

    bush: Bush
    columns: Columns
    rows: SoftProblem
    centre: Floats
    scale: Floats
    engine: MemoryEngine
    prices: Prices
    history: list[dict[str, Any]]


def learn_joint(problem: SoftProblem, how: Joint, validation: SoftProblem | None) -> Learned:
    """Learn a budding tree; validation rows, where given, are only judged by."""
    given = problem.in_order(how.seed)
    centre, scale = given.target_scale()
    whole = given.scaled(centre, scale)
    held = None if validation is None else validation.scaled(centre, scale)
    recipe = recipes_for(how.gate, whole.X.shape[1])[-1]
    columns = build_columns(whole.X, whole.n_levels, whole.weight, recipe)
    slopes = slopes_for(how.leaf, whole.target.shape[1])[-1]
    some = whole if len(whole.X) <= ENOUGH else whole.rows(np.arange(len(whole.X)) < ENOUGH)
    if held is not None:
        divided = [(some, held)]
    else:
        divided = [(some.rows(~out), some.rows(out)) for out in some.held_out()[:DIVISIONS]] or [(some, some)]
    grounds = [Ground.make(*parts, columns, how.n_threads) for parts in divided]
    trials = list(_search(grounds[0], slopes, how))
    chosen = choose(trials if len(grounds) == 1 else _on_all(trials, grounds, slopes, how))
    everything = Ground.make(whole, divided[0][1], columns, how.n_threads)
    bush = chosen.bush
    if held is None or len(whole.X) > ENOUGH:
        strength = chosen.prices.weight * grounds[0].learn.total_weight
        *_, last = _path(everything, strength, slopes, how, until=chosen.prices.leafness)
        bush = last.bush
    if how.round_buds:
        bush = round_buds(bush, everything.learn if held is None else grounds[0].learn, chosen.prices)
    history = [stop.told() for stop in trials]
    return Learned(bush, columns, whole, centre, scale, everything.learn, chosen.prices, history)


def _search(ground: Ground, slopes: Slopes, how: Joint) -> Iterator[Stop]:
    """A path for every weight penalty."""
    fixed = how.weight_penalty
    for strength in STRENGTHS if fixed is None else (fixed * ground.learn.total_weight,):
        yield from _path(ground, strength, slopes, how)


def _path(ground: Ground, strength: float, slopes: Slopes, how: Joint, until: float | None = None) -> Iterator[Stop]:
    """Trees along the path of leafness penalties, until held-out rows gain no more, or down to `until`."""
    engine = ground.learn
    columns = engine.phi.shape[1]
    origin = plant_root(engine, columns, "none").response[0]
    bush, best, idle = Bush.leaf(origin, columns, slopes), np.inf, 0
    path = PATH if how.leafness_penalty is None else (how.leafness_penalty,)
    for price in path:
        prices = Prices(price, strength / engine.total_weight, origin)
        before, bush = bush, grow(bush, engine, ground.axes, prices, how.max_nodes)
        stop = Stop(prices, bush, graft.row_loss(ground.judge, bush), ground.judge.weight * ground.judge.total_weight)
        how.report(stop.told())
        yield stop
        idle = 0 if stop.loss < best else idle + int(bush.n_nodes > before.n_nodes)
        best = min(best, stop.loss)
        if price == until or (until is None and idle == PATIENCE):
            return


def _on_all(trials: list[Stop], grounds: list[Ground], slopes: Slopes, how: Joint) -> list[Stop]:
    """The trees of the best weight penalty, judged on the other divisions of the rows too."""
    best = min(trials, key=lambda stop: stop.loss).prices.weight
    mine = [stop for stop in trials if stop.prices.weight == best]
    strength = best * grounds[0].learn.total_weight
    for ground in grounds[1:]:
        again = list(_path(ground, strength, slopes, how, until=mine[-1].prices.leafness))
        mine = [
            Stop(a.prices, a.bush, np.append(a.row_loss, b.row_loss), np.append(a.weight, b.weight))
            for a, b in zip(mine, again, strict=True)
        ]
    return mine


def choose(stops: list[Stop]) -> Stop:
    """The smallest tree whose held-out loss is within half a standard error, and two per cent, of the best."""
    best = min(stops, key=lambda stop: stop.loss)
    share = best.weight / best.weight.sum()

    def is_near(stop: Stop) -> bool:
        gap = stop.row_loss - best.row_loss
        mean = share @ gap
        error = np.sqrt(share @ np.square(gap - mean) * (share @ share))
        return bool(mean <= min(TOLERANCE * error, MOST_LOST * abs(best.loss)))

    return min((stop for stop in stops if is_near(stop)), key=lambda stop: (stop.bush.effective_size, stop.loss))
