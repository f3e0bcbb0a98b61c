"""Growing a hard tree with any kind of gate: a finder looks at the rows of a node and says how to split them.

Nodes are numbered level by level. Pre-pruning: a depth, rows to split, rows in a child, and the part of the whole
tree's impurity that a split must take away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.growth import EPSILON, TIE
from softwood.kernels.kinds import Missing, Score
from softwood.learners.hard.problem import Floats
from softwood.learners.oblique.gate import Gate, InputGate, LinearGate, Split, gain_of
from softwood.learners.oblique.rows import Rows
from softwood.tree import Schema, Tree

Finder = Callable[[Rows], Split | None]


@dataclass(frozen=True)
class Limits:
    """Where growth ends."""

    max_depth: int = 2**31 - 1
    min_samples_split: float = 2.0
    min_samples_leaf: float = 1.0
    min_impurity_decrease: float = 0.0


@dataclass
class Growing:
    """Nodes so far: what each answers, and the gates of the branches."""

    first_child: list[int] = field(default_factory=list)
    value: list[Floats] = field(default_factory=list)
    count: list[float] = field(default_factory=list)
    impurity: list[float] = field(default_factory=list)
    split: dict[int, Split] = field(default_factory=dict)

    def add(self, rows: Rows) -> None:
        """One node more, a leaf so far."""
        problem, sums = rows.problem, rows.tally.sum(axis=0, keepdims=True)
        size = float(sums.sum() if problem.is_classes else sums[0, 0])
        if problem.is_classes:
            value = np.bincount(problem.y, problem.weight, problem.n_classes).astype(np.float64)
        else:
            value = np.average(problem.y.astype(np.float64), axis=0, weights=problem.weight)
        self.first_child.append(-1)
        self.value.append(value)
        self.count.append(float(problem.weight.sum()))
        self.impurity.append(float(rows.loss(sums)[0]) / size if size > 0 else 0.0)


def grow_oblique(rows: Rows, find: Finder, limits: Limits, schema: Schema) -> Tree:
    """The tree that the finder's splits make."""
    grown = Growing()
    grown.add(rows)
    whole = float(rows.heft.sum())
    queue: list[tuple[int, int, Rows, Gate | None]] = [(0, 0, rows, None)]
    while queue:
        below: list[tuple[int, int, Rows, Gate | None]] = []
        for node, depth, here, gate in queue:
            finder = find if gate is None else _as_found(gate)
            pure = grown.impurity[node] <= EPSILON * grown.impurity[0]
            found = None if pure else _split(here, finder, limits, depth, whole)
            if found is None:
                continue
            split, side = found
            # Gates found together gained together; each is remembered by what it gains itself.
            grown.split[node] = split if split.below is None else replace(split, gain=gain_of(split.gate, here))
            grown.first_child[node] = len(grown.value)
            for mask, next_gate in zip((side, ~side), split.below or (None, None), strict=True):
                part = here.some(np.flatnonzero(mask))
                below.append((len(grown.value), depth + 1, part, next_gate))
                grown.add(part)
        queue = below
    return assemble(grown, rows, schema)


def _split(
    rows: Rows, find: Finder, limits: Limits, depth: int, whole: float
) -> tuple[Split, npt.NDArray[np.bool_]] | None:
    """The finder's split and whom it sends to the first child, if the node may be split and both children have rows."""
    count = float(rows.problem.weight.sum())
    least = max(limits.min_samples_split, 2.0 * limits.min_samples_leaf)
    if depth >= limits.max_depth or count < least or len(rows.phi) < 2:
        return None
    split = find(rows)
    if split is None or split.gain < limits.min_impurity_decrease * whole or not split.gain > 0.0:
        return None
    side = split.gate.first(rows)
    first = float(rows.problem.weight[side].sum())
    enough = limits.min_samples_leaf * (1.0 - TIE)
    fits = side.any() and not side.all() and min(first, count - first) >= enough
    return (split, side) if fits else None


def _as_found(gate: Gate) -> Finder:
    """A gate that was found together with the one above it."""
    return lambda rows: Split(gate, gain_of(gate, rows), "with the gate above")


def assemble(grown: Growing, rows: Rows, schema: Schema) -> Tree:
    """The grown nodes as a Tree in the user's units."""
    problem, n = rows.problem, len(grown.value)
    response = np.array(grown.value).reshape(n, -1)
    if problem.is_classes:
        response = response * problem.factor
        response = response / response.sum(axis=1, keepdims=True)
    linear = {m: s.gate for m, s in grown.split.items() if isinstance(s.gate, LinearGate)}
    ask = {m: s.gate for m, s in grown.split.items() if isinstance(s.gate, InputGate)}
    return Tree(
        response=response,
        schema=schema,
        first_child=np.array(grown.first_child, np.int32),
        n_children=np.where(np.array(grown.first_child) >= 0, 2, 0),
        score=_by_node(n, {**dict.fromkeys(linear, Score.LINEAR), **{m: _score(g) for m, g in ask.items()}}, 0),
        feature=_by_node(n, {m: gate.feature for m, gate in ask.items()}, -1),
        threshold=_by_node(n, {m: gate.threshold for m, gate in ask.items()}, np.nan),
        missing=np.full(n, Missing.DIRECTION),
        default=_by_node(n, {m: gate.default for m, gate in ask.items()}, 0),
        group_begin=_begin(n, {m: len(gate.group) for m, gate in ask.items()}),
        group=np.concatenate([np.zeros(0), *(ask[m].group for m in sorted(ask))]),
        count=np.array(grown.count),
        impurity=np.array(grown.impurity),
        gain=_by_node(n, {m: split.gain for m, split in grown.split.items()}, 0.0),
        **_weights(n, linear, rows),
        **_notes(n, grown),
    )


def _score(gate: InputGate) -> int:
    return int(Score.CATEGORY if len(gate.group) else Score.THRESHOLD)


def _weights(n: int, linear: dict[int, LinearGate], rows: Rows) -> dict[str, Any]:
    """Linear gates over the basis terms that any of them uses."""
    if not linear:
        return {}
    nodes = sorted(linear)
    table, shift = rows.columns.in_user_units(
        np.array([linear[m].weight for m in nodes]), np.array([linear[m].bias for m in nodes])
    )
    used = np.flatnonzero(np.any(table != 0.0, axis=0))
    table = table[:, used]
    at = [np.flatnonzero(row) for row in table]
    return {
        "basis": rows.columns.basis.pick(used),
        "bias": _by_node(n, dict(zip(nodes, shift, strict=True)), 0.0),
        "weight_begin": _begin(n, {m: len(column) for m, column in zip(nodes, at, strict=True)}),
        "weight_column": np.concatenate(at),
        "weight": np.concatenate([row[column] for row, column in zip(table, at, strict=True)]),
    }


def _notes(n: int, grown: Growing) -> dict[str, Any]:
    if not any(split.note for split in grown.split.values()):
        return {}
    return {"note": tuple(grown.split[m].note if m in grown.split else "" for m in range(n))}


def _by_node(n: int, values: Mapping[int, float], otherwise: float) -> Any:
    table = np.full(n, float(otherwise))
    for node, value in values.items():
        table[node] = value
    return table


def _begin(n: int, sizes: Mapping[int, int]) -> Any:
    return np.concatenate([[0], np.cumsum(_by_node(n, sizes, 0))])
