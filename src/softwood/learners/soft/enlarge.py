"""One split more of a soft tree: the best of the candidates, and everything refined together.

Each candidate's gate is refined alone first, on the rows as its leaf sees them; then a little with the whole tree, and
the best one goes on. An engine may do all of it in one go: most splits of small tables take less time than the Python
between their steps, and threads that grow trees side by side need not wait for each other's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from softwood.engines import Engine
from softwood.kernels.enlarge import Enlarging, Plant
from softwood.learners.soft.axes import Axes
from softwood.learners.soft.candidates import LEAST_ROWS, LEVEL_ROWS, START_SLOPE, Start, find_starts
from softwood.learners.soft.sapling import RESPONSE_DECAY, Gates, Sapling, Slopes
from softwood.learners.soft.sprout import Sprout

STEEPER = 2.5  # the start of a gate that looks at one input, times a soft one's
ALONE = 8  # iterations on a new gate alone, on the rows its leaf sees
TOGETHER = 4  # iterations on the whole tree before candidates are compared
JOINT = 25  # iterations on the whole tree after a split
ROUGH = 1e-4  # part of the objective that an iteration must save, on the way
LEAST_GAIN = 1e-3  # part of the validation loss that a larger tree must save


@dataclass(frozen=True)
class Growing:
    """How to grow one tree: penalty, limits, and which leaves to try.

    worth : the loss that it should come down to; growth ends where it will not.
    """

    penalty: float
    max_leaves: int = 16
    patience: int = 3
    least_gain: float = LEAST_GAIN
    tries: int = 1
    max_gate_features: int | None = None
    worth: float = np.inf
    gates: Gates = "open"

    @property
    def steep(self) -> bool:
        """Whether gates may be as steep as they like."""
        return self.gates in ("steep", "either")

    @property
    def most_inputs(self) -> int | None:
        """How many inputs a gate looks at; None, as many as it likes."""
        return 1 if self.gates in ("axis", "steep") else self.max_gate_features


def enlarge(tree: Sapling, engine: Engine, axes: Axes, how: Growing) -> Sapling | None:
    """One split more; None where nothing can be split."""
    return in_one_go(tree, engine, axes, how) if engine.enlarges else step_by_step(tree, engine, axes, how)


def in_one_go(tree: Sapling, engine: Engine, axes: Axes, how: Growing) -> Sapling | None:
    """The engine does it."""
    branch = ~tree.leaf
    slopes, gates = get_args(Slopes).index(tree.slopes), get_args(Gates).index(how.gates)
    plant = Plant(
        tree.shape, tree.parameters, slopes, tree.closed[branch], tree.steep[branch], tree.origin, tree.origin_slope
    )
    rules = Enlarging(
        gates=gates,
        most=how.most_inputs or 0,
        penalty=how.penalty,
        decay=RESPONSE_DECAY,
        ease=tree.ease,
        tries=how.tries,
        start_slope=START_SLOPE,
        level_rows=LEVEL_ROWS,
        least_rows=LEAST_ROWS,
        steeper=STEEPER,
        alone=ALONE,
        together=TOGETHER,
        joint=JOINT,
        tol=ROUGH,
    )
    made = engine.enlarge(plant, axes.table, rules)
    if made is None:
        return None
    nothing = np.zeros(tree.outputs)
    larger = tree.split(made.node, np.zeros(tree.columns + 1), nothing, nothing, made.closed, made.steep)
    return larger.with_parameters(made.parameters, made.passes)


def step_by_step(tree: Sapling, engine: Engine, axes: Axes, how: Growing) -> Sapling | None:
    """Each sum over the rows is asked for by itself; the definition that native/enlarge.cpp is held to."""
    best: tuple[float, Sapling] | None = None
    for start in find_starts(tree, engine, axes, how.tries):
        for planted in _planted(tree, engine, start, axes, how):
            trial = planted.refine(engine, how.penalty, TOGETHER, ROUGH)
            if best is None or trial[0] < best[0]:
                best = trial
    return None if best is None else best[1].refine(engine, how.penalty, JOINT, ROUGH)[1]


def _planted(tree: Sapling, engine: Engine, start: Start, axes: Axes, how: Growing) -> Iterator[Sapling]:
    """The tree with the new gate, which was refined alone first: one that looks at one input, one that may at all."""
    under = engine.under(tree.shape, tree.parameters, start.node)
    alone = (under, tree, how.penalty, ALONE, ROUGH)
    whole = Sprout(start.gate, start.first, start.second, np.zeros(len(start.gate), np.bool_))
    if how.steep and start.by_one_column:
        sharp = replace(whole, gate=STEEPER * start.gate)
        yield (
            sharp.looking_at(np.append(start.gate[:-1] == 0.0, False), steep=True).refined(*alone).on(tree, start.node)
        )
        if how.gates == "steep":
            return
    sprout = whole.refined(*alone)
    if how.most_inputs is not None:
        closed = axes.all_but_heaviest(sprout.gate, how.most_inputs)
        steep = how.gates == "steep" and int(np.count_nonzero(~closed)) == 2  # a column and the bias
        sprout = sprout.looking_at(closed, steep).refined(*alone)
    yield sprout.on(tree, start.node)
