"""A budding tree while it grows: the contract of its kernels, native and reference (reference/budding.py).

Nodes fill the first places of the arrays, parents before children, the two children of a node side by side. Each node
has one row of numbers:

    [gate: bias, columns, 0 ...] [response: one block an output] [leafness, 0, 0, 0]

Blocks are padded with zeros to multiples of LANES, so that native code reads whole registers. A constant response is
one number an output; a linear one has a block like the gate's. Rows of data come padded the same way (`pad_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Loss

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[Any]  # float32 where speed counts, float64 where exactness does
Ints = npt.NDArray[np.int32]

LANES = 4
NODES, PENDING, DRAWS = range(3)  # places in `Plant.count`


class Rule(IntEnum):
    """How a gradient moves a number."""

    ADAGRAD = 0  # by step / sqrt(sum of squares so far) (Duchi, Hazan, Singer 2011)
    SGD = 1  # by the step
    ADAM = 2  # running means of gradient and square (Kingma, Ba 2015); each node counts its own updates


@dataclass(frozen=True)
class Tending:
    """How a plant is tended: what is made small, and how fast it moves.

    Attributes
    ----------
    loss : of a row.
    leafness_penalty, weight_penalty : price of a node's (1 - leafness), and of half a squared weight (not biases).
    rule, step : how numbers move.
    batch : rows whose gradients are added before anything moves.
    """

    loss: Loss
    leafness_penalty: float
    weight_penalty: float = 0.0
    rule: Rule = Rule.ADAGRAD
    step: float = 0.2
    batch: int = 1


@dataclass
class Plant:
    """A budding tree with room for `room` nodes; kernels change it in place.

    Attributes
    ----------
    first_child : (room,) -1 for a leaf.
    number : (room, size) gate, response and leafness of each node.
    memory, speed : (room, size) what the rule remembers: squares, and Adam's mean gradients (no rows for other rules).
    pending : (room, size) sum of the gradients of an unfinished batch (one row of zeros for batches of one).
    age : (room,) updates a node has seen.
    count : nodes, rows pending, random numbers drawn.
    seed : of the random numbers.
    columns, outputs : of the data; columns without the bias.
    started : columns whose weights start at random, the first ones; the others start at 0.
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
        """Of a gate's block."""
        return padded(self.columns + 1)

    @property
    def leafness(self) -> Numbers:
        """A view, one number a node."""
        return self.number[: self.n_nodes, -LANES]

    @property
    def gate(self) -> Numbers:
        """A view, (nodes, bias and columns)."""
        return self.number[: self.n_nodes, : self.columns + 1]

    @property
    def response(self) -> Numbers:
        """A view, (nodes, outputs, 1 or bias and columns)."""
        block = self.number[: self.n_nodes, self.width : -LANES]
        if not self.linear:
            return block[:, : self.outputs, None]
        return block.reshape(self.n_nodes, self.outputs, self.width)[:, :, : self.columns + 1]

    def copy(self) -> Plant:
        """A plant of its own."""
        names = ("first_child", "number", "memory", "speed", "pending", "age", "count")
        return replace(self, **{name: getattr(self, name).copy() for name in names})


def padded(n: int) -> int:
    """`n` rounded up to whole lanes."""
    return -(-n // LANES) * LANES


def row_size(columns: int, outputs: int, linear: bool) -> int:
    """Numbers of a node."""
    width = padded(columns + 1)
    return width + (outputs * width if linear else padded(outputs)) + LANES


def plant_seed(
    columns: int,
    outputs: int,
    *,
    room: int = 127,
    linear: bool = False,
    started: int | None = None,
    tending: Tending | None = None,
    seed: int = 0,
    dtype: Any = np.float32,
) -> Plant:
    """One leaf that answers 0."""
    size = row_size(columns, outputs, linear)
    adam, batch = (tending.rule == Rule.ADAM, tending.batch) if tending is not None else (False, 1)
    number = np.zeros((room, size), dtype)
    number[0, -LANES] = 1.0
    return Plant(
        first_child=np.full(room, -1, np.int32),
        number=number,
        memory=np.zeros((room, size), dtype),
        speed=np.zeros((room if adam else 0, size), dtype),
        pending=np.zeros((room if batch > 1 else 0, size), dtype),
        age=np.zeros(room, np.int64),
        count=np.array([1, 0, 0]),
        seed=seed,
        columns=columns,
        outputs=outputs,
        started=columns if started is None else started,
        linear=linear,
    )


def pad_rows(phi: Floats, dtype: Any = np.float32) -> Numbers:
    """Rows as kernels take them: 1 for the bias, the columns, zeros to whole lanes."""
    rows = np.zeros((len(phi), padded(phi.shape[1] + 1)), dtype)
    rows[:, 0] = 1.0
    rows[:, 1 : phi.shape[1] + 1] = phi
    return rows


def widen(plant: Plant, columns: int) -> Plant:
    """The plant with room for more columns, whose weights are 0: it answers as before."""
    size, width = row_size(columns, plant.outputs, plant.linear), padded(columns + 1)

    def wider(rows: Numbers) -> Numbers:
        wide = np.zeros((len(rows), size), rows.dtype)
        wide[:, : plant.width] = rows[:, : plant.width]
        wide[:, -LANES:] = rows[:, -LANES:]
        if not plant.linear:
            wide[:, width:-LANES] = rows[:, plant.width : -LANES]
            return wide
        for q in range(plant.outputs):
            old, new = (q + 1) * plant.width, (q + 1) * width
            wide[:, new : new + plant.width] = rows[:, old : old + plant.width]
        return wide

    return replace(
        plant,
        columns=columns,
        number=wider(plant.number),
        memory=wider(plant.memory),
        speed=wider(plant.speed),
        pending=wider(plant.pending),
    )
