"""Blends of rows: some inputs of a row x and the other inputs of a background row z.

A state holds, for pairs of rows, the partial sums of the inputs (scores of linear gates, linear responses) and the set
of inputs taken from x. `Blends` computes the reach of the nodes with responses from it.

    v(S) = sum_p reach_p(S) * (constant_p + parts of inputs of gates + parts of other inputs)

Inputs that no gate uses (`others`) only add to a response, so they are not part of S: their values, and those of the
inputs of gates, follow from reach_p(S) (`coalitions.py`, `permutations.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.explain.factors import Answer, Apart, Factors, ProductGate, SumGate
from softwood.explain.score_tree import ScoreTree
from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.kinds import Squash


@dataclass(frozen=True)
class Rows:
    """The rows to blend: `x` and `z` are slices of, or positions in, the rows of the decomposition."""

    x: slice
    z: slice


@dataclass(frozen=True)
class State:
    """Partial sums, by gate and by node with a response, and the inputs taken from x."""

    score: dict[int, Floats]
    response: dict[int, Floats]
    from_x: frozenset[int]


@dataclass(frozen=True)
class Values:
    """One coalition, for every pair of rows: reach of each node with a response, (pairs...) each; the value without the
    parts of other inputs (pairs..., outputs); and what the other inputs of z and x add.
    """

    reach: list[Floats]
    value: Floats
    z_parts: Floats
    x_parts: Floats


class Blends:
    """Blends of some rows with some background rows, for some nodes with responses and any gates."""

    def __init__(self, apart: Apart, answers: list[Answer], inputs: frozenset[int], rows: Rows) -> None:
        self.apart, self.answers, self.inputs, self.rows = apart, answers, inputs, rows
        asked = sorted({gate for answer in answers for gate, _ in answer.path})
        self.gates = {m: apart.gates[m] for m in asked}
        self.sums = {m: gate for m, gate in self.gates.items() if isinstance(gate, SumGate)}
        self.linear = {a.node: a for a in answers if a.parts}
        self.others = sorted({f for a in answers for f in a.parts} - inputs)
        self.outputs = apart.tree.n_outputs
        self.other_x = {p: self._others(a, rows.x) for p, a in self.linear.items()}
        self.other_z = {p: self._others(a, rows.z) for p, a in self.linear.items()}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and background rows."""
        n = len(self.apart.rows)
        return len(range(*self.rows.x.indices(n))), len(range(*self.rows.z.indices(n)))

    def part_x(self, part: Floats) -> Floats:
        """A number per row x, to be combined with all z."""
        return part[self.rows.x, None]

    def part_z(self, part: Floats) -> Floats:
        """A number per background row, to be combined with all x."""
        return part[None, self.rows.z]

    def start(self) -> State:
        """The initial state: constants only."""
        score = {m: np.full((1, 1), gate.bias) for m, gate in self.sums.items()}
        response = {p: answer.constant[None, None] for p, answer in self.linear.items()}
        return State(score, response, frozenset())

    def put(self, state: State, feature: int, from_x: bool) -> State:
        """One more input is set, from x or z."""
        pick = self.part_x if from_x else self.part_z
        return self._plus(state, feature, pick, from_x)

    def turn(self, state: State, feature: int) -> State:
        """An input is switched from z to x."""
        return self._plus(state, feature, lambda part: self.part_x(part) - self.part_z(part), True)

    def _plus(self, state: State, feature: int, pick: Callable[[Floats], Floats], from_x: bool) -> State:
        def grown(sums: dict[int, Floats], of: dict[int, Factors]) -> dict[int, Floats]:
            return {at: s + pick(of[at][feature]) if feature in of[at] else s for at, s in sums.items()}

        score = grown(state.score, {m: gate.parts for m, gate in self.sums.items()})
        response = grown(state.response, {p: answer.parts for p, answer in self.linear.items()})
        return State(score, response, state.from_x | {feature} if from_x else state.from_x)

    def values(self, state: State, reach: Floats | None = None) -> Values:
        """The value of a coalition. `reach` (pairs..., nodes): if already known."""
        reached = self._reach(state) if reach is None else [reach[..., a.node] * self._kept(a) for a in self.answers]
        return self._worth(reached, state.response)

    def _worth(self, reached: list[Floats], responses: dict[int, Floats]) -> Values:
        shape = (*self.shape, self.outputs)
        value, z_parts, x_parts = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for answer, r in zip(self.answers, reached, strict=True):
            value += r[..., None] * responses.get(answer.node, answer.constant)
            if answer.node in self.linear and self.others:
                z_parts += r[..., None] * self.other_z[answer.node][None]
                x_parts += r[..., None] * self.other_x[answer.node][:, None]
        return Values(reached, value, z_parts, x_parts)

    def _kept(self, answer: Answer) -> float:
        return float(self.apart.tree.leafness[answer.node])

    def _others(self, answer: Answer, rows: slice) -> Floats:
        """Sum of the parts of inputs that no gate uses: (rows, outputs)."""
        parts = [part[rows] for f, part in answer.parts.items() if f in self.others]
        return np.sum(parts, axis=0) if parts else np.zeros((1, self.outputs))

    def _reach(self, state: State) -> list[Floats]:
        """Reach of every node with a response, times its leafness."""
        first = {m: _squash(state.score[m], gate.squash) for m, gate in self.sums.items()}
        known: dict[tuple[int, int], Floats] = {}
        found = []
        for answer in self.answers:
            reach = np.full(self.shape, answer.weight)
            for edge in answer.path:
                m, slot = edge
                gate = self.gates[m]
                if isinstance(gate, SumGate):
                    reach *= 1.0 - first[m] if slot else first[m]
                else:
                    if edge not in known:
                        known[edge] = self._share(gate, slot, state.from_x)
                    reach *= known[edge]
            found.append(reach)
        return found

    def _share(self, gate: ProductGate, slot: int, from_x: frozenset[int]) -> Floats:
        share = np.zeros((1, 1))
        for factors in gate.slots[slot]:
            product = np.ones((1, 1))
            for feature, factor in factors.items():
                product = product * (self.part_x(factor) if feature in from_x else self.part_z(factor))
            share = share + product
        return share


@dataclass(frozen=True)
class ByScores:
    """A tree over scores, and the number of threads."""

    scores: ScoreTree
    n_threads: int


class ScoreBlends(Blends):
    """The same by a tree over scores, which the kernels evaluate. The sums of a state are one table, (columns, rows,
    background rows), under the name 0.
    """

    def __init__(self, apart: Apart, answers: list[Answer], inputs: frozenset[int], rows: Rows, by: ByScores) -> None:
        super().__init__(apart, answers, inputs, rows)
        self.scores, self.n_threads = by.scores, by.n_threads

    def part_x(self, part: Floats) -> Floats:
        """Per row x, to be combined with all z."""
        return part[..., self.rows.x, None]

    def part_z(self, part: Floats) -> Floats:
        """Per background row, to be combined with all x."""
        return part[..., None, self.rows.z]

    def start(self) -> State:
        """The initial state: constants only."""
        return State({0: self.scores.start[:, None, None]}, {}, frozenset())

    def _plus(self, state: State, feature: int, pick: Callable[[Floats], Floats], from_x: bool) -> State:
        table = state.score[0] + pick(self.scores.parts[feature])
        return State({0: table}, {}, state.from_x | {feature} if from_x else state.from_x)

    def values(self, state: State, reach: Floats | None = None) -> Values:
        """The value of a coalition, by the kernels unless reach is known."""
        table = np.broadcast_to(state.score[0], (len(self.scores.start), *self.shape))
        flat = table.reshape(len(table), -1).T
        if reach is None and not self.others:
            value = self.scores.tree.output(flat, self.n_threads).reshape(*self.shape, self.outputs)
            return Values([], value, np.zeros(1), np.zeros(1))
        responses = {p: np.moveaxis(table[at], 0, -1) for p, at in self.scores.responses.items()}
        if reach is None:
            found = self.scores.tree.reach(flat, self.n_threads).reshape(*self.shape, -1)
            reached = [found[..., self.scores.place[a.node]] * self._kept(a) for a in self.answers]
        else:
            reached = [reach[..., a.node] * self._kept(a) for a in self.answers]
        return self._worth(reached, responses)


def _squash(score: Floats, squash: Squash) -> Floats:
    return (score >= 0).astype(np.float64) if squash == Squash.STEP else sigmoid(score)
