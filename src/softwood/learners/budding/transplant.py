"""From a bush that was learned on all rows to a stream that goes on from it, its scaling as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.kernels.kinds import Loss
from softwood.kernels.plant import Plant, Rule, pad_rows, plant_seed
from softwood.learners.budding.bush import Bush
from softwood.learners.budding.joint import Learned
from softwood.learners.budding.online import Online
from softwood.learners.budding.scaling import FixedScale
from softwood.learners.budding.stream import RECENT, Stream
from softwood.learners.soft.problem import SoftProblem
from softwood.tree.gain import Sample

STEEPEST = 1e9  # weight of a gate, in scaled columns: more would not fit in single precision with what it is added to


def plant_of(bush: Bush, how: Online) -> Plant:
    """The bush as a plant with room to grow, in single precision."""
    linear = bush.slopes != "none"
    room = max(how.max_nodes, bush.n_nodes)
    plant = plant_seed(
        bush.columns, bush.outputs, room=room, linear=linear, tending=how.tending(Loss.SQUARED), seed=how.seed
    )
    n = plant.count[0] = bush.n_nodes
    plant.first_child[:n] = bush.first_child
    plant.leafness[:] = bush.leafness
    size = np.abs(bush.gate).max(axis=1, keepdims=True)
    steep = bush.gate * np.minimum(1.0, STEEPEST / np.maximum(size, 1.0))  # a step all the same, at the same place
    plant.gate[:] = np.roll(steep, 1, axis=1)  # a plant has the bias first
    response = plant.response
    response[:, :, 0] = bush.response
    if linear:
        response[:, :, 1:] = bush.slope
    return plant


def stream_of(learned: Learned, problem: SoftProblem, how: Online) -> Stream:
    """A stream that has seen the rows of the problem."""
    tending = how.tending(problem.loss, learned.prices.leafness or None)
    if how.step is None and learned.bush.slopes != "none":  # one row moves all weights of a response the same way
        tending = replace(tending, step=tending.step / (1 + learned.bush.columns))
    seen = np.flatnonzero(problem.weight)[-RECENT:]
    recent = Sample(problem.X[seen], problem.target[seen], problem.weight[seen])
    stream = Stream(
        plant_of(learned.bush, how), tending, FixedScale(learned.columns), None, learned.centre, learned.scale,
        problem.total_weight, recent,
    )  # fmt: skip
    _recall(stream)
    return stream


def _recall(stream: Stream) -> None:
    """Let the rule remember rows as if it had learned from them: steps of length 0, so that nothing moves."""
    rows, tending = stream.recent, stream.tending
    target = ((rows.target - stream.centre) / stream.scale).astype(np.float32)
    stream.tending = replace(tending, step=0.0, batch=1)
    x = pad_rows(stream.inputs.take(rows.X, rows.weight))
    stream.train(x, target, rows.weight.astype(np.float32), np.arange(len(x)))
    stream.tending = tending
    if tending.rule == Rule.ADAGRAD:  # a sum over all rows, of which these are a part
        stream.plant.memory *= np.float32(stream.weight / rows.weight.sum())
