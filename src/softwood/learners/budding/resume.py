"""From a budding tree learned on all rows to a stream that continues from it with the same scaling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.kernels.contracts.online_state import OnlineState, Rule, init_state, pad_rows
from softwood.kernels.kinds import Loss
from softwood.learners.budding.joint import FitResult
from softwood.learners.budding.online import Online
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.scaling import FixedScale
from softwood.learners.budding.stream import RECENT_ROWS, Stream
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.target_scale import scale_targets
from softwood.tree.gain import Sample

MAX_GATE_WEIGHT = 1e9  # in scaled columns; larger numbers lose digits in single precision


def state_of(params: BuddingParams, how: Online) -> OnlineState:
    """The budding tree as a state with room to grow, in single precision."""
    linear = params.slopes != "none"
    room = max(how.max_nodes, params.n_nodes)
    state = init_state(
        params.columns, params.outputs, room=room, linear=linear, options=how.options(Loss.SQUARED), seed=how.seed
    )
    n = state.count[0] = params.n_nodes
    state.first_child[:n] = params.first_child
    state.leafness[:] = params.leafness
    size = np.abs(params.gate).max(axis=1, keepdims=True)
    unpenalized = params.gate * np.minimum(
        1.0, MAX_GATE_WEIGHT / np.maximum(size, 1.0)
    )  # still a step, at the same place
    state.gate[:] = np.roll(unpenalized, 1, axis=1)  # a state has the bias first
    response = state.response
    response[:, :, 0] = params.response
    if linear:
        response[:, :, 1:] = params.slope
    return state


def stream_of(learned: FitResult, dataset: Dataset, how: Online, total_weight: float | None = None) -> Stream:
    """A stream that has seen the rows of the problem; `total_weight` of all rows, if the dataset is a sample."""
    options = how.options(dataset.loss, learned.penalties.leafness or None)
    if (
        how.step is None and learned.params.slopes != "none"
    ):  # one row changes all weights of a response in the same direction
        options = replace(options, step=options.step / (1 + learned.params.columns))
    seen = np.flatnonzero(dataset.weight)[-RECENT_ROWS:]
    recent = Sample(dataset.X[seen], dataset.target[seen], dataset.weight[seen])
    stream = Stream(
        state_of(learned.params, how), options, FixedScale(learned.design), None, learned.centre, learned.scale,
        dataset.total_weight if total_weight is None else total_weight, recent,
    )  # fmt: skip
    _recall(stream)
    return stream


def _recall(stream: Stream) -> None:
    """Initialise the optimiser's memory with rows, by steps of length 0."""
    rows, options = stream.recent, stream.options
    target = scale_targets(options.loss, rows.target, stream.centre, stream.scale).astype(np.float32)
    stream.options = replace(options, step=0.0, batch=1)
    x = pad_rows(stream.inputs.take(rows.X, rows.weight))
    stream.train(x, target, rows.weight.astype(np.float32), np.arange(len(x)))
    stream.options = options
    if options.rule == Rule.ADAGRAD:  # a sum over all rows, of which these are a sample
        stream.state.memory *= np.float32(stream.weight / rows.weight.sum())
