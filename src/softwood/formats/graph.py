"""A program as a graph of operators on whole columns, in ONNX's vocabulary; `onnx.py` makes a model of it.

    table      (rows, inputs in use): numbers, and codes of levels; NaN where missing
    columns    (rows, columns)
    shares     (rows, nodes but the root): the share that the parent sends to a node
    reach      level by level, a product of shares
    output     reach of the nodes times their responses

Gates of one kind without surrogates are computed together; the others one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from softwood.arrays import Array
from softwood.formats.program import Column, LinearSum, Node, Program, Reader, SoftThreshold
from softwood.kernels.kinds import Link, Squash, Term


class Operator(NamedTuple):
    """One operator: its name in ONNX, inputs, outputs and attributes."""

    kind: str
    inputs: tuple[str, ...]
    output: str
    attributes: dict[str, Any]


class Graph:
    """Operators in order and their constants."""

    def __init__(self, dtype: type[np.floating[Any]]) -> None:
        self.dtype = dtype
        self.operators: list[Operator] = []
        self.constants: dict[str, Array] = {}
        self._names: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def op(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add an operator; returns the name of its output."""
        made = output or f"softwood/{kind.lower()}_{len(self.operators)}"
        self.operators.append(Operator(kind, inputs, made, attributes))
        return made

    def constant(self, values: Array) -> str:
        """The name of a constant; equal constants are shared."""
        key = (values.dtype.str, values.shape, values.tobytes() if values.dtype != object else repr(values).encode())
        if key not in self._names:
            self._names[key] = f"softwood/constant_{len(self._names)}"
            self.constants[self._names[key]] = values
        return self._names[key]

    def real(self, values: Any) -> str:
        """A constant of numbers."""
        return self.constant(np.asarray(values, self.dtype))

    def whole(self, values: Any) -> str:
        """A constant of integers: positions."""
        return self.constant(np.asarray(values, np.int64))

    def pick(self, table: str, places: Sequence[int]) -> str:
        """Some columns of a table."""
        return self.op("Gather", table, self.whole(places), axis=1)

    def join(self, tables: Sequence[str]) -> str:
        """Tables side by side."""
        return tables[0] if len(tables) == 1 else self.op("Concat", *tables, axis=1)

    def number(self, condition: str) -> str:
        """1 if the condition holds, else 0."""
        return self.op("Cast", condition, to=np.dtype(self.dtype))

    def other(self, share: str) -> str:
        """1 minus the value."""
        return self.op("Sub", self.real(1.0), share)

    def ones(self, of: str) -> str:
        """A column of ones for every row of a table."""
        rows = self.op("Gather", self.op("Shape", of), self.whole([0]))
        shape = self.op("Concat", rows, self.whole([1]), axis=0)
        return self.op("Expand", self.real([[1.0]]), shape)


def add_output(graph: Graph, program: Program, table: str, rows: str) -> str:
    """The output of the tree, (rows, outputs).

    Parameters
    ----------
    table : its inputs in the order of `program.used`; not read if there are none.
    rows : any table of the graph, for the number of rows.
    """
    place = {feature: at for at, feature in enumerate(program.used)}
    ones, n_columns = graph.ones(rows), max(1, len(program.columns))  # a linear gate may have no terms at all
    columns = _add_columns(graph, program.columns, place, table) if program.columns else ones
    gates = [(m, node) for m, node in enumerate(program.nodes) if node.children]
    shares, edge = _add_shares(graph, gates, n_columns, place, table, columns, ones) if gates else ("", {})
    kept, order = _add_reach(graph, program.nodes, shares, edge, ones)
    nodes = [program.nodes[m] for m in order]
    output = graph.op("MatMul", kept, graph.real([node.values for node in nodes]))
    linear = [at for at, node in enumerate(nodes) if node.slopes]
    if not linear:
        return output
    slope = np.zeros((len(program.columns), len(linear), program.n_outputs))
    for place_of, at in enumerate(linear):
        for column, factors in nodes[at].slopes:
            slope[column, place_of] = factors
    sums = graph.op("MatMul", columns, graph.real(slope.reshape(len(slope), -1)))
    sums = graph.op("Reshape", sums, graph.whole([-1, len(linear), program.n_outputs]))
    part = graph.op("Unsqueeze", graph.pick(kept, linear), graph.whole([2]))
    answered = graph.op("ReduceSum", graph.op("Mul", part, sums), graph.whole([1]), keepdims=0)
    return graph.op("Add", output, answered)


def add_link(graph: Graph, program: Program, output: str) -> str:
    """The predictions, (rows, answers)."""
    if program.link == Link.SIGMOID:
        share = graph.op("Sigmoid", output)
        output = graph.join([graph.other(share), share]) if program.n_outputs == 1 else share
    elif program.link == Link.SOFTMAX:
        output = graph.op("Softmax", output, axis=1)
    elif program.link == Link.LOG:
        output = graph.op("Exp", output)
    return graph.op("Min", output, graph.real(1.0)) if program.is_classifier else output


# -- columns -------------------------------------------------------------------------------------------------------


def _add_columns(graph: Graph, columns: Sequence[Column], place: dict[int, int], table: str) -> str:
    """All columns in their order: computed by kind, then reordered."""
    order = sorted(range(len(columns)), key=lambda at: columns[at].kind)
    tables = []
    for kind, group in groupby(order, key=lambda at: columns[at].kind):
        mine = [columns[at] for at in group]
        x = graph.pick(table, [place[column.feature] for column in mine])
        gone = graph.op("IsNaN", x)
        if kind == Term.MISSING:
            tables.append(graph.number(gone))
            continue
        if kind != Term.CATEGORY:
            low, high = (graph.real([getattr(column, name) for column in mine]) for name in ("low", "high"))
            x = graph.op("Min", graph.op("Max", x, low), high)
        if kind == Term.SQUARE:
            x = graph.op("Mul", x, x)
        elif kind == Term.HINGE:
            knots = graph.real([column.parameter for column in mine])
            x = graph.op("Max", graph.op("Sub", x, knots), graph.real(0.0))
        elif kind == Term.CATEGORY:
            x = graph.number(graph.op("Equal", x, graph.real([column.parameter for column in mine])))
        tables.append(graph.op("Where", gone, graph.real([column.when_missing for column in mine]), x))
    return graph.pick(graph.join(tables), np.argsort(order).tolist())


# -- gates ---------------------------------------------------------------------------------------------------------

Gates = list[tuple[int, Node]]


def _add_shares(
    graph: Graph, gates: Gates, n_columns: int, place: dict[int, int], table: str, columns: str, ones: str
) -> tuple[str, dict[int, int]]:
    """Shares of all children side by side, and the position of each child among them."""
    tables: list[str] = []
    children: list[int] = []
    plain = [(m, node) for m, node in gates if _kind(node) is not None]
    for kind, group in groupby(sorted(plain, key=lambda gate: str(_kind(gate[1]))), key=lambda gate: _kind(gate[1])):
        mine = list(group)
        linear = kind is not None and kind.startswith("linear")
        pair = _add_linear(graph, mine, n_columns, columns) if linear else _add_thresholds(graph, mine, place, table)
        tables += pair
        children += [node.children[slot] for slot in (0, 1) for _, node in mine]
    for _, node in gates:
        if _kind(node) is None:
            asks = node.readers or node.first is not None  # the shares of a mean are the same for every row
            rest = graph.op("Mul", ones, graph.real([node.rest]))
            tables.append(_add_gate(graph, node, place, table) if asks else rest)
            children += node.children
    return graph.join(tables), {child: at for at, child in enumerate(children)}


def _kind(node: Node) -> str | None:
    """The kind of gates it can be computed together with; None: alone."""
    if isinstance(node.first, LinearSum):
        return f"linear {node.first.squash.name}"
    if isinstance(node.first, SoftThreshold):
        return None if node.readers else node.first.squash.name
    lone = len(node.readers) == 1 and len(node.children) == 2 and not node.readers[0].is_category
    return "STEP" if lone else None


def _add_linear(graph: Graph, gates: Gates, n_columns: int, columns: str) -> list[str]:
    firsts = [node.first for _, node in gates if isinstance(node.first, LinearSum)]
    weight, bias = np.zeros((n_columns, len(firsts))), graph.real([first.bias for first in firsts])
    for at, first in enumerate(firsts):
        for column, factor in first.terms:
            weight[column, at] = factor
    score = graph.op("Add", graph.op("MatMul", columns, graph.real(weight)), bias)
    if firsts[0].squash == Squash.STEP:
        share = graph.number(graph.op("GreaterOrEqual", score, graph.real(0.0)))
    else:
        share = graph.op("Sigmoid", score)
    return [share, graph.other(share)]


def _add_thresholds(graph: Graph, gates: Gates, place: dict[int, int], table: str) -> list[str]:
    nodes = [node for _, node in gates]
    asked = [node.first or node.readers[0] for node in nodes]
    x = graph.pick(table, [place[each.feature] for each in asked if not isinstance(each, LinearSum)])
    gone = graph.op("IsNaN", x)
    softs = [each for each in asked if isinstance(each, SoftThreshold)]
    if softs:
        share = _add_soft(graph, softs, x)
    else:
        cuts = [each.cuts[0] for each in asked if isinstance(each, Reader)]
        share = graph.number(graph.op("LessOrEqual", x, graph.real(cuts)))
    pair = [share, graph.other(share)]
    return [graph.op("Where", gone, graph.real([node.rest[slot] for node in nodes]), pair[slot]) for slot in (0, 1)]


def _add_soft(graph: Graph, firsts: Sequence[SoftThreshold], x: str) -> str:
    """Share of slot 0 of ramps or sigmoids on one input."""
    away = graph.op("Sub", x, graph.real([first.threshold for first in firsts]))
    if firsts[0].squash == Squash.SIGMOID:
        scaled = graph.op("Div", away, graph.real([first.below for first in firsts]))
        return graph.op("Sigmoid", graph.op("Neg", scaled))
    below, above = (np.array([getattr(first, name) for first in firsts]) for name in ("below", "above"))
    half = graph.op("Mul", away, graph.real(0.5))
    ends = {"LessOrEqual": (-below, 1.0, below), "GreaterOrEqual": (above, 0.0, above)}
    left, right = (
        graph.op(
            "Where",
            graph.op(compare, away, graph.real(end)),
            graph.real(value),
            graph.op("Sub", graph.real(0.5), graph.op("Div", half, graph.real(np.where(width > 0, width, 1.0)))),
        )
        for compare, (end, value, width) in ends.items()
    )
    sides = graph.op("Where", graph.op("Less", away, graph.real(0.0)), left, right)
    return graph.op("Where", graph.op("Equal", away, graph.real(0.0)), graph.real(0.5), sides)


def _add_gate(graph: Graph, node: Node, place: dict[int, int], table: str) -> str:
    """Shares of the children of one gate: its first test, then its readers, then the rest."""
    share = graph.real([node.rest])
    for reader in reversed(node.readers):
        known, read = _add_reader(graph, reader, len(node.children), graph.pick(table, [place[reader.feature]]))
        share = graph.op("Where", known, read, share)
    if isinstance(node.first, SoftThreshold):
        x = graph.pick(table, [place[node.first.feature]])
        first = _add_soft(graph, [node.first], x)
        share = graph.op("Where", graph.op("IsNaN", x), share, graph.join([first, graph.other(first)]))
    return share


def _add_reader(graph: Graph, reader: Reader, n_slots: int, x: str) -> tuple[str, str]:
    """Whether it decides, (rows, 1), and 1 for its slot, (rows, slots)."""
    gone = graph.op("IsNaN", x)
    if not reader.is_category:
        at = [reader.slots.index(slot) for slot in range(n_slots)]
        lower, upper = np.array((-np.inf, *reader.cuts))[at], np.array((*reader.cuts, np.inf))[at]
        over, under = graph.op("Greater", x, graph.real(lower)), graph.op("LessOrEqual", x, graph.real(upper))
        return graph.op("Not", gone), graph.number(graph.op("And", over, under))
    slots = np.array((*reader.slots, -1))
    code = graph.op("Where", gone, graph.real(float(len(reader.slots))), x)
    flat = graph.op("Reshape", graph.op("Cast", code, to=np.dtype(np.int64)), graph.whole([-1]))
    known = graph.op("Gather", graph.constant((slots >= 0)[:, None]), flat, axis=0)
    said = graph.op("Gather", graph.real(slots[:, None] == np.arange(n_slots)), flat, axis=0)
    return known, said


# -- reach ---------------------------------------------------------------------------------------------------------


def _add_reach(
    graph: Graph, nodes: Sequence[Node], shares: str, edge: dict[int, int], ones: str
) -> tuple[str, list[int]]:
    """The proportion that every node with a response keeps, side by side, and these nodes."""
    level, reach = [0], ones
    tables: list[str] = []
    order: list[int] = []
    while True:
        own = [at for at, m in enumerate(level) if nodes[m].leafness > 0]
        if own:
            kept = reach if len(own) == len(level) else graph.pick(reach, own)
            tables.append(_times(graph, kept, [nodes[level[at]].leafness for at in own]))
            order += [level[at] for at in own]
        below = [(at, child) for at, m in enumerate(level) for child in nodes[m].children]
        if not below:
            return graph.join(tables), order
        passed = _times(graph, graph.pick(reach, [at for at, _ in below]), _passed(nodes, level, below))
        level = [child for _, child in below]
        reach = graph.op("Mul", passed, graph.pick(shares, [edge[child] for child in level]))


def _passed(nodes: Sequence[Node], level: Sequence[int], below: Iterable[tuple[int, int]]) -> list[float]:
    return [1.0 - nodes[level[at]].leafness for at, _ in below]


def _times(graph: Graph, table: str, factors: Sequence[float]) -> str:
    return table if all(factor == 1.0 for factor in factors) else graph.op("Mul", table, graph.real(factors))
