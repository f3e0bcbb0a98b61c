"""Growing in rounds: every leaf buds, all numbers are refined together, and buds that do not pay become leaves again.

A new bud starts from the better of two gates, refined alone on the rows that reach the leaf: the best axis split, and
the direction in which the columns covary most with the slope of the loss (learners/soft/candidates.py). It starts
as a bud; the leafness penalty decides what becomes of it. This is the floating search of the online learner
with every step taken on all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from softwood.engines import Engine, Floats
from softwood.learners.budding.bush import Bush
from softwood.learners.budding.graft import Graft
from softwood.learners.budding.refine import Prices, refine
from softwood.learners.soft.axes import Axes
from softwood.learners.soft.candidates import LEAST_ROWS, axis_start, oblique_start
from softwood.learners.soft.growth import ALONE
from softwood.learners.soft.sapling import Sapling

LEAFNESS = 0.3  # of a new bud: more branch than leaf, so that its gate has something to learn from
AT_ONCE = 4  # buds of a round
SETTLE = 10  # iterations after a round of budding before leafness moves
ROUND = 60  # iterations on everything after a round
FINISH = 200  # iterations on the tree that is kept
PATIENCE = 3  # rounds without gain
LEAST_GAIN = 1e-3  # part of the objective that counts as a gain


@dataclass(frozen=True)
class Start:
    """A gate for a leaf, the responses of its children, and by how much it lowers the loss alone."""

    node: int
    gain: float
    gate: Floats
    first: Floats
    second: Floats


def grow(bush: Bush, engine: Engine, axes: Axes, prices: Prices, max_nodes: int) -> Bush:
    """Rounds of budding while the objective falls and there is room."""
    best, kept = _settled(bush, engine, prices)
    now, idle = kept, 0
    while idle < PATIENCE and now.n_nodes + 2 <= max_nodes:
        trial = _round(now, engine, axes, prices, max_nodes)
        if trial is None:
            break
        value, now = trial
        idle = 0 if value < best - LEAST_GAIN * abs(best) else idle + 1
        if value < best:
            best, kept = value, now
    return drop(refine(kept, engine, prices, FINISH)[1])


def _settled(bush: Bush, engine: Engine, prices: Prices) -> tuple[float, Bush]:
    """All numbers refined, what no longer passes rows on dropped, and the rest refined again."""
    while True:
        value, refined = refine(bush, engine, prices, ROUND)
        smaller = drop(refined)
        if smaller.n_nodes == refined.n_nodes:
            return value, refined
        bush = smaller


def round_buds(bush: Bush, engine: Engine, prices: Prices) -> Bush:
    """Every bud the branch or the leaf it is nearer to, and all other numbers refined again."""
    kept = np.where(bush.leafness >= 0.5, 1.0, 0.0)
    whole = drop(replace(bush, leafness=np.where(bush.first_child < 0, 1.0, kept)))
    refined = refine(whole, engine, prices, FINISH, hold_leafness=True)[1]
    return replace(refined, leafness=np.where(refined.first_child < 0, 1.0, 0.0))


def drop(bush: Bush) -> Bush:
    """Without what hangs below nodes that keep everything."""
    return bush.without(bush.leafness >= 1.0)


def _round(bush: Bush, engine: Engine, axes: Axes, prices: Prices, max_nodes: int) -> tuple[float, Bush] | None:
    """Leaves bud, the best first while there is room; the objective reached. None if no leaf can."""
    starts = sorted(find_starts(bush, engine, axes, prices), key=lambda start: -start.gain)
    starts = starts[: min(AT_ONCE, (max_nodes - bush.n_nodes) // 2)]
    if not starts:
        return None
    for start in starts:
        bush = bush.bud(start.node, start.gate, start.first, start.second, LEAFNESS)
    bush = refine(bush, engine, prices, SETTLE, hold_leafness=True)[1]
    return _settled(bush, engine, prices)


def find_starts(bush: Bush, engine: Engine, axes: Axes, prices: Prices) -> Iterator[Start]:
    """For each leaf that rows reach, the better of two starts."""
    graft = Graft.make(bush)
    parameters = graft.parameters(bush)
    tree = graft.sapling.with_parameters(parameters)
    tree = replace(tree, origin=prices.origin)
    reach = engine.mean_reach(graft.shape, parameters)
    for m in bush.leaves:
        top = int(graft.top[m])
        if reach[top] * engine.total_weight <= LEAST_ROWS:
            continue
        axis = axis_start(tree, engine, axes, top)
        if axis is None:
            continue
        under = engine.under(graft.shape, parameters, top)
        here = Sapling.root(tree.response[top], bush.columns, "none")
        before = under.loss(here.shape, here.parameters)
        best: tuple[float, Sapling] | None = None
        for start in (axis, oblique_start(tree, engine, axis)):
            if start is None:
                continue
            alone = replace(here.split(0, start.gate, start.first, start.second), origin=prices.origin)
            trial = alone.refine(under, prices.weight, ALONE)
            if best is None or trial[0] < best[0]:
                best = trial
        if best is not None:
            found = best[1]
            yield Start(int(m), before - best[0], found.gate[0], found.response[1], found.response[2])
