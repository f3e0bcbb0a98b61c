"""Nodes during growth, and the grown tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import Grown
from softwood.kernels.contracts.level_slots import EVERY_LEVEL, flatten_slots
from softwood.kernels.reference.bins import Column
from softwood.kernels.reference.impurity import Measure, account_all
from softwood.kernels.reference.monotone import Bounds
from softwood.kernels.reference.rows import Rows
from softwood.kernels.reference.split import Split
from softwood.kernels.reference.surrogate import Surrogate, tabulate


@dataclass
class Node:
    """A node: its rows and their statistics, and, once it is split, the split and its first child."""

    rows: Rows
    depth: int
    fraction: float
    bounds: Bounds
    count: float
    size: float  # W: weight * class_factor
    impurity: float
    center: Floats
    value: Floats
    split: Split | None = None  # the best one; it is applied only if there is a first_child
    first_child: int = -1
    surrogates: list[Surrogate] = field(default_factory=list)

    @property
    def loss(self) -> float:
        return self.size * self.impurity


def make_node(measure: Measure, rows: Rows, depth: int, fraction: float, bounds: Bounds) -> Node:
    """A node before it is split."""
    all_rows = account_all(measure, rows)
    size = float(all_rows.size[0])
    impurity = max(float(all_rows.loss[0]), 0.0) / size if size > 0 else 0.0
    return Node(rows, depth, fraction, bounds, rows.count, size, impurity, all_rows.center, measure.value(rows))


def send(columns: list[Column], rows: Rows, split: Split, surrogates: Sequence[Surrogate]) -> Index:
    """Child slot of each row: the gate, then the surrogates in order, then `default`."""
    slot = split.read(columns[split.feature], rows.id)
    for surrogate in surrogates:
        slot = np.where(slot < 0, surrogate.read(columns[surrogate.feature], rows.id), slot)
    return np.where(slot < 0, split.default, slot)


def to_tree(nodes: list[Node], every_level: int = EVERY_LEVEL) -> Grown:
    """The grown tree as arrays, nodes in the order of creation."""
    nothing = Split(-1, np.nan, np.zeros(0, np.intp), 0, 0.0)
    splits = [node.split if node.first_child >= 0 and node.split else nothing for node in nodes]
    group_begin, group, group_level = flatten_slots([split.slot for split in splits], every_level)
    return Grown(
        first_child=np.array([node.first_child for node in nodes], np.int32),
        feature=np.array([split.feature for split in splits], np.int32),
        threshold=np.array([split.threshold for split in splits], np.float64),
        group_begin=group_begin,
        group=group,
        group_level=group_level,
        default=np.array([split.default for split in splits], np.int32),
        fraction=np.array([node.fraction for node in nodes], np.float64),
        count=np.array([node.count for node in nodes], np.float64),
        value=np.stack([node.value for node in nodes]),
        impurity=np.array([node.impurity for node in nodes], np.float64),
        gain=np.array([split.gain for split in splits], np.float64),
        lower=np.stack([node.bounds.lower for node in nodes]),
        upper=np.stack([node.bounds.upper for node in nodes]),
        surrogates=tabulate([node.surrogates for node in nodes], every_level),
    )
