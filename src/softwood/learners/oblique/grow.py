"""Growing a hard tree with any kind of gate: a finder splits the rows of a node.

Nodes are numbered level by level. Pre-pruning: a depth, rows to split, rows in a child, and the proportion of the
tree's impurity that a split must remove.

`grow_nodes` works with every finder and is the reference. A discriminant tree grows natively if that is built:
native/oblique/grower.cpp does the same for the finder `Discriminant`, all nodes in one call without the GIL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats
from softwood.kernels.contracts.growth import EPSILON, TIE
from softwood.learners.oblique.discriminant import Discriminant
from softwood.learners.oblique.gate import Gate, InputGate, LinearGate, Split, gain_of
from softwood.learners.oblique.grown import Grown
from softwood.learners.oblique.rows import Rows
from softwood.tree import Schema, Tree

Finder = Callable[[Rows], Split | None]


@dataclass(frozen=True)
class Limits:
    """Limits of growth."""

    max_depth: int = 2**31 - 1
    min_samples_split: float = 2.0
    min_samples_leaf: float = 1.0
    min_impurity_decrease: float = 0.0


def grow_oblique(rows: Rows, find: Finder, limits: Limits, schema: Schema) -> Tree:
    """The tree from the finder's splits."""
    if isinstance(find, Discriminant) and kernels.grow_discriminant is not None:
        how = replace(find, least=max(find.least, limits.min_samples_leaf))
        return how.grow(rows, limits.max_depth, limits.min_samples_split, limits.min_impurity_decrease).assemble(
            rows, schema
        )
    return grow_nodes(rows, find, limits).assemble(rows, schema)


@dataclass
class Growing:
    """Nodes so far: their responses, and the gates of the branches."""

    n_columns: int
    first_child: list[int] = field(default_factory=list)
    value: list[Floats] = field(default_factory=list)
    count: list[float] = field(default_factory=list)
    impurity: list[float] = field(default_factory=list)
    split: dict[int, Split] = field(default_factory=dict)

    def add(self, rows: Rows) -> None:
        """Add a node, initially a leaf."""
        problem, sums = rows.problem, rows.tally.sum(axis=0, keepdims=True)
        size = float(sums.sum() if problem.is_classes else sums[0, 0])
        if problem.is_classes:
            value = np.bincount(problem.y, problem.weight, problem.n_classes).astype(np.float64)
        else:
            value = np.average(problem.y.astype(np.float64), axis=0, weights=problem.weight)
        self.first_child.append(-1)
        self.value.append(value)
        self.count.append(float(problem.weight.sum()))
        constant = not problem.is_classes and bool((problem.y == problem.y[:1]).all())  # sums of squares would round
        self.impurity.append(float(rows.loss(sums)[0]) / size if size > 0 and not constant else 0.0)

    def finish(self) -> Grown:
        """The nodes as arrays."""
        n, nodes = len(self.value), sorted(self.split)
        linear = {m: gate for m in nodes if isinstance(gate := self.split[m].gate, LinearGate)}
        ask = {m: gate for m in nodes if isinstance(gate := self.split[m].gate, InputGate)}

        def column(values: dict[int, float], otherwise: float, dtype: type = np.float64) -> Any:
            return np.array([values.get(m, otherwise) for m in range(n)], dtype)

        said = any(split.note for split in self.split.values())
        size = column({m: len(gate.group) for m, gate in ask.items()}, 0, np.int32)
        return Grown(
            first_child=np.array(self.first_child, np.int32),
            gate=column(dict(zip(linear, range(len(linear)), strict=True)), -1, np.int32),
            bias=column({m: gate.bias for m, gate in linear.items()}, 0.0),
            weight=np.array([gate.weight for gate in linear.values()]).reshape(len(linear), self.n_columns),
            feature=column({m: gate.feature for m, gate in ask.items()}, -1, np.int32),
            threshold=column({m: gate.threshold for m, gate in ask.items()}, np.nan),
            default=column({m: gate.default for m, gate in ask.items()}, 0, np.int32),
            group_begin=np.append(0, np.cumsum(size)).astype(np.int32),
            group=np.concatenate([np.zeros(0, np.int32), *(gate.group for gate in ask.values())]),
            count=np.array(self.count),
            impurity=np.array(self.impurity),
            gain=column({m: split.gain for m, split in self.split.items()}, 0.0),
            value=np.array(self.value).reshape(n, -1),
            note=tuple(self.split[m].note if m in self.split else "" for m in range(n)) if said else (),
        )


def grow_nodes(rows: Rows, find: Finder, limits: Limits) -> Grown:
    """The nodes from the finder's splits."""
    grown = Growing(rows.phi.shape[1])
    grown.add(rows)
    whole = float(rows.split_weight.sum())
    queue: list[tuple[int, int, Rows, Gate | None]] = [(0, 0, rows, None)]
    while queue:
        below: list[tuple[int, int, Rows, Gate | None]] = []
        for node, depth, here, gate in queue:
            finder = find if gate is None else _as_found(gate)
            pure = grown.impurity[node] <= EPSILON * grown.impurity[0]
            least = TIE * grown.impurity[node] * float(here.split_weight.sum())  # a smaller gain is rounding
            found = (
                None if pure else _split(here, finder, limits, depth, max(limits.min_impurity_decrease * whole, least))
            )
            if found is None:
                continue
            split, side = found
            # Gates found together share a gain; each is recorded with its own.
            grown.split[node] = split if split.below is None else replace(split, gain=gain_of(split.gate, here))
            grown.first_child[node] = len(grown.value)
            for mask, next_gate in zip((side, ~side), split.below or (None, None), strict=True):
                part = here.some(np.flatnonzero(mask))
                below.append((len(grown.value), depth + 1, part, next_gate))
                grown.add(part)
        queue = below
    return grown.finish()


def _split(
    rows: Rows, find: Finder, limits: Limits, depth: int, least_gain: float
) -> tuple[Split, npt.NDArray[np.bool_]] | None:
    """The finder's split and the rows of the first child, if the node may be split and both children have rows."""
    count = float(rows.problem.weight.sum())
    least = max(limits.min_samples_split, 2.0 * limits.min_samples_leaf)
    if depth >= limits.max_depth or count < least or len(rows.phi) < 2:
        return None
    split = find(rows)
    if split is None or split.gain < least_gain or not split.gain > 0.0:
        return None
    side = split.gate.first(rows)
    first = float(rows.problem.weight[side].sum())
    enough = limits.min_samples_leaf * (1.0 - TIE)
    fits = side.any() and not side.all() and min(first, count - first) >= enough
    return (split, side) if fits else None


def _as_found(gate: Gate) -> Finder:
    """A gate found together with the one above it."""
    return lambda rows: Split(gate, gain_of(gate, rows), "with the gate above")
