"""A budding tree while it grows: the contract of its kernels, native and reference (reference/budding.py).

Nodes fill the first entries of the arrays, parents before children, the two children of a node adjacent. Parameters
are grouped by kind, so that native code processes many nodes at once:

    [gates: one row per node; bias, columns, 0 ...] [responses: one block per output, node after node] [leafness of
    nodes]

Rows of gates are padded with zeros to multiples of LANES, and so is each of the three parts. A constant response is one
number per output; a linear one has a block like a gate's row. Rows of data are padded the same way (`pad_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.kinds import Loss

Numbers = npt.NDArray[Any]  # float32 for speed, float64 for precision

LANES = 4
NODES, PENDING, DRAWS = range(3)  # indices in `Plant.count`


class Rule(IntEnum):
    """How a gradient changes a parameter."""

    ADAGRAD = 0  # by step / sqrt(sum of squares so far) (Duchi, Hazan, Singer 2011)
    SGD = 1  # by the step
    ADAM = 2  # running means of gradient and square (Kingma, Ba 2015); each node counts its own updates


@dataclass(frozen=True)
class OnlineOptions:
    """How a state is updated: the objective and the update rule.

    Attributes
    ----------
    loss : of a row.
    leafness_penalty, weight_penalty : factor on a node's (1 - leafness), and on half of each squared weight (not
    biases). rule, step : how parameters change.
    batch : rows whose gradients are added before each update.
    """

    loss: Loss
    leafness_penalty: float
    weight_penalty: float = 0.0
    rule: Rule = Rule.ADAGRAD
    step: float = 0.2
    batch: int = 1


@dataclass
class OnlineState:
    """A budding tree with room for `room` nodes; kernels change it in place.

    Attributes
    ----------
    first_child : (room,) -1 for a leaf.
    number : gates, responses and leafness (`parts`).
    memory, speed : same layout, the state of the rule: squares, and Adam's mean gradients (empty for other rules).
    pending : same layout, sum of the gradients of an unfinished batch (empty for batches of one).
    age : (room,) number of updates of a node, if the rule is Adam.
    count : nodes, rows pending, random numbers drawn.
    seed : of the random numbers.
    columns, outputs : of the data; columns without the bias.
    started : number of leading columns whose weights start at random; the others start at 0.
    linear : whether responses are linear.
    """

    first_child: Ints
    number: Numbers
    memory: Numbers
    speed: Numbers
    pending: Numbers
    age: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    seed: int
    columns: int
    outputs: int
    started: int
    linear: bool

    @property
    def n_nodes(self) -> int:
        return int(self.count[NODES])

    @property
    def room(self) -> int:
        return len(self.first_child)

    @property
    def width(self) -> int:
        """Width of a gate's block."""
        return padded(self.columns + 1)

    @property
    def block(self) -> int:
        """Number of parameters of one output's response."""
        return self.width if self.linear else 1

    def parts(self, numbers: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Views of gates (room, width), responses (room, outputs, block) and leafness (room,); no rows if empty."""
        if not numbers.size:
            return numbers.reshape(0, 1), numbers.reshape(0, 1, 1), numbers
        gates, responses = self.room * self.width, self.room * self.outputs * self.block
        return (
            numbers[:gates].reshape(self.room, self.width),
            numbers[gates : gates + responses].reshape(self.room, self.outputs, self.block),
            numbers[gates + padded(responses) :][: self.room],
        )

    @property
    def leafness(self) -> Numbers:
        """A view, one number per node."""
        return self.parts(self.number)[2][: self.n_nodes]

    @property
    def gate(self) -> Numbers:
        """A view, (nodes, bias and columns)."""
        return self.parts(self.number)[0][: self.n_nodes, : self.columns + 1]

    @property
    def response(self) -> Numbers:
        """A view, (nodes, outputs, 1 or bias and columns)."""
        return self.parts(self.number)[1][: self.n_nodes, :, : self.columns + 1]

    def copy(self) -> OnlineState:
        """A copy."""
        other = object.__new__(OnlineState)
        other.__dict__ = {
            name: value.copy() if isinstance(value, np.ndarray) else value for name, value in vars(self).items()
        }
        return other


def padded(n: int) -> int:
    """`n` rounded up to whole lanes."""
    return -(-n // LANES) * LANES


def size_of(room: int, columns: int, outputs: int, linear: bool) -> int:
    """Number of parameters of a state."""
    width = padded(columns + 1)
    return room * width + padded(room * outputs * (width if linear else 1)) + padded(room)


def init_state(
    columns: int,
    outputs: int,
    *,
    room: int = 127,
    linear: bool = False,
    started: int | None = None,
    options: OnlineOptions | None = None,
    seed: int = 0,
    dtype: Any = np.float32,
) -> OnlineState:
    """One leaf that predicts 0."""
    size = size_of(room, columns, outputs, linear)
    adam, batch = (options.rule == Rule.ADAM, options.batch) if options is not None else (False, 1)
    state = OnlineState(
        first_child=np.full(room, -1, np.int32),
        number=np.zeros(size, dtype),
        memory=np.zeros(size, dtype),
        speed=np.zeros(size if adam else 0, dtype),
        pending=np.zeros(size if batch > 1 else 0, dtype),
        age=np.zeros(room, np.int64),
        count=np.array([1, 0, 0]),
        seed=seed,
        columns=columns,
        outputs=outputs,
        started=columns if started is None else started,
        linear=linear,
    )
    state.leafness[0] = 1.0
    return state


def pad_rows(phi: Floats, dtype: Any = np.float32) -> Numbers:
    """Rows for the kernels: 1 for the bias, the columns, zeros up to whole lanes."""
    rows = np.zeros((len(phi), padded(phi.shape[1] + 1)), dtype)
    rows[:, 0] = 1.0
    rows[:, 1 : phi.shape[1] + 1] = phi
    return rows


def widen(state: OnlineState, columns: int) -> OnlineState:
    """The state with room for more columns, whose weights are 0: predictions do not change."""
    names = ("number", "memory", "speed", "pending")
    size = size_of(state.room, columns, state.outputs, state.linear)
    wide = replace(state, columns=columns)
    for name in names:
        setattr(wide, name, np.zeros(size if getattr(state, name).size else 0, state.number.dtype))
    for name in names:
        for new, old in zip(wide.parts(getattr(wide, name)), state.parts(getattr(state, name)), strict=True):
            new[..., : old.shape[-1]] = old
    return wide
