"""A program as flat tables of numbers, for languages that evaluate a tree in a loop, and the surrounding text.

    node m       n_children, first_child, leafness, gate (`GATES`), gate_at (its position among the soft or linear ones)
    readers      of m: reader_begin[m] : reader_begin[m + 1]; cuts and slots of a reader likewise
    rest[c]      share of child c if no reader decides; for a tree with one path `default_slot[m]` instead
    value        n_outputs numbers per node; slopes of m: slope_begin[m] : slope_begin[m + 1], n_outputs factors each

A printer has the evaluator of its language as one template: `@if linear` ... `@end` keeps lines if the program needs
them (`@if !linear`: if not; `@if a|b`: if it needs one of them), and `@NAME@` is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from softwood.formats.program import Column, LinearSum, Node, Program, Reader, SoftThreshold
from softwood.kernels.kinds import Link, Squash, Term

Numbers = list[int] | list[float]
GATES = {"leaf": 0, "readers": 1, "ramp": 2, "sigmoid": 3, "linear_step": 4, "linear_sigmoid": 5}
LARGEST_SINGLE = 1e30  # largest input in single precision for which sums of products do not overflow
SPOT = re.compile(r"@([A-Z_]+)@")


def make_tables(program: Program) -> dict[str, Numbers]:
    """Every table that the program needs, by name; a list of integers or of floats."""
    nodes, has = program.nodes, needs(program)
    tables: dict[str, Numbers] = {
        "n_children": [len(node.children) for node in nodes],
        "first_child": [node.children.start for node in nodes],
        "value": [value for node in nodes for value in node.values],
    }
    if has["gates"]:
        tables |= _gates(nodes)
    if has["gates"] and has["many_paths"]:
        tables |= {"leafness": [node.leafness for node in nodes], "rest": _rest(nodes)}
    if has["one_path"] and has["readers"]:
        tables["default_slot"] = [node.rest.index(1.0) if node.rest else 0 for node in nodes]
    if has["columns"]:
        tables |= _columns(program.columns)
    if has["slopes"]:
        tables["slope_begin"] = begins(len(node.slopes) for node in nodes)
        tables["slope_column"] = [column for node in nodes for column, _ in node.slopes]
        tables["slope"] = [factor for node in nodes for _, factors in node.slopes for factor in factors]
    if program.costs is not None:
        tables["cost"] = [cost for row in program.costs for cost in row]
    return tables


def needs(program: Program) -> dict[str, bool]:
    """The parts of an evaluator that the program uses, by the names of `@if`."""
    firsts = [node.first for node in program.nodes if node.children]
    linear = [first for first in firsts if isinstance(first, LinearSum)]
    soft = [first for first in firsts if isinstance(first, SoftThreshold)]
    readers = [reader for node in program.nodes for reader in node.readers]
    one_path = program.takes_one_path
    return {
        "gates": bool(firsts),
        "one_path": one_path,
        "many_paths": not one_path,
        "linear": bool(linear),
        "soft": bool(soft),
        "ramp": any(first.squash == Squash.RAMP for first in soft),
        "threshold_sigmoid": any(first.squash == Squash.SIGMOID for first in soft),
        "linear_step": any(first.squash == Squash.STEP for first in linear),
        "linear_sigmoid": any(first.squash == Squash.SIGMOID for first in linear),
        "sigmoid": program.link == Link.SIGMOID
        or any(first is not None and first.squash == Squash.SIGMOID for first in firsts),
        "readers": any(map(_may_share, program.nodes)),
        "number_readers": any(not reader.is_category for reader in readers),
        "category_readers": any(reader.is_category for reader in readers),
        "columns": bool(program.columns),
        "slopes": any(node.slopes for node in program.nodes),
        "levels": any(cell.kind.has_levels for cell in program.cells),
        "identity_link": program.link == Link.IDENTITY,
        "sigmoid_link": program.link == Link.SIGMOID,
        "two_of_one": program.link == Link.SIGMOID and program.n_outputs == 1,
        "softmax_link": program.link == Link.SOFTMAX,
        "log_link": program.link == Link.LOG,
        "classes": program.is_classifier,
        "numbers": not program.is_classifier,
        "one_target": len(program.answers) == 1,
        "costs": program.costs is not None,
    }


def fill(text: str, has: Mapping[str, bool], spots: Mapping[str, str]) -> str:
    """The template with the needed parts, filled in."""
    lines: list[str] = []
    kept = [True]
    for line in text.splitlines():
        word = line.strip()
        if word.startswith("@if "):
            kept.append(kept[-1] and any(_holds(name, has) for name in word[4:].split("|")))
        elif word == "@end":
            kept.pop()
        elif kept[-1]:
            lines.append(SPOT.sub(lambda spot: spots[spot[1]], line))
    return "\n".join(lines).strip("\n") + "\n"


def _holds(name: str, has: Mapping[str, bool]) -> bool:
    return not has[name[1:]] if name.startswith("!") else has[name]


def wrap(items: Sequence[str], indent: str = "    ", width: int = 110) -> str:
    """Items with commas between, on as many lines as they need."""
    lines, line = [], indent
    for item in items:
        if len(line) + len(item) > width and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += f"{item}, "
    return "\n".join([*lines, line.rstrip()])


def begins(sizes: Iterable[int]) -> list[int]:
    """The start of each of several consecutive pieces, and the end of the last."""
    return list(accumulate(sizes, initial=0))


def to_single(program: Program) -> Program:
    """The program in numbers of single precision.

    A cut becomes the highest float that is not above it. A float x is above one exactly if it is above the other, so
    hard trees send every row of floats the same way.
    """
    return replace(
        program,
        columns=tuple(_single_column(column) for column in program.columns),
        nodes=tuple(_single_node(node) for node in program.nodes),
    )


def _single_column(column: Column) -> Column:
    low, high = (float(np.clip(limit, -LARGEST_SINGLE, LARGEST_SINGLE)) for limit in (column.low, column.high))
    return Column(column.kind, column.feature, *map(_near, (column.parameter, column.when_missing, low, high)))


def _single_node(node: Node) -> Node:
    first = node.first
    if isinstance(first, SoftThreshold):
        threshold, below, above = map(_near, first[1:4])
        if first.squash == Squash.SIGMOID and below == 0.0:
            raise ValueError(f"a softness of {first.below!r} is 0 as a float; export in double precision.")
        first = SoftThreshold(first.feature, threshold, below, above, first.squash)
    elif isinstance(first, LinearSum):
        first = LinearSum(_near(first.bias), tuple((c, _near(w)) for c, w in first.terms), first.squash)
    return Node(
        _near(node.leafness),
        node.children,
        first,
        tuple(Reader(at, tuple(map(round_down, cuts)), slots) for at, cuts, slots in node.readers),
        tuple(map(_near, node.rest)),
        tuple(map(_near, node.values)),
        tuple((column, tuple(map(_near, factors))) for column, factors in node.slopes),
    )


def _near(value: float) -> float:
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    if np.isinf(single) and not np.isinf(value):
        raise ValueError(f"{value!r} does not fit in a float; export in double precision.")
    return single


def round_down(cut: float) -> float:
    """The highest float that is not above a number.

    Examples
    --------
    >>> round_down(0.1) < 0.1 < round_down(0.1) + 1e-8
    True
    """
    with np.errstate(over="ignore"):
        single = np.float32(cut)
        return float(np.nextafter(single, np.float32(-np.inf)) if float(single) > cut else single)


def _gates(nodes: Sequence[Node]) -> dict[str, Numbers]:
    soft = [node.first for node in nodes if isinstance(node.first, SoftThreshold)]
    linear = [node.first for node in nodes if isinstance(node.first, LinearSum)]
    readers = [reader for node in nodes for reader in node.readers]
    kinds = [_gate(node) for node in nodes]
    places: dict[type, int] = {}
    at = []
    for node in nodes:
        at.append(places.get(type(node.first), 0))
        places[type(node.first)] = at[-1] + 1
    tables: dict[str, Numbers] = {"gate": kinds}
    if soft or linear:
        tables["gate_at"] = [place if node.first else 0 for place, node in zip(at, nodes, strict=True)]
    if any(map(_may_share, nodes)):
        tables |= _readers(nodes, readers)
    if soft:
        tables["soft_input"] = [first.feature for first in soft]
        tables["soft_threshold"] = [first.threshold for first in soft]
        tables["soft_below"] = [first.below for first in soft]
        tables["soft_above"] = [first.above for first in soft]
    if linear:
        tables["bias"] = [first.bias for first in linear]
        tables["weight_begin"] = begins(len(first.terms) for first in linear)
        tables["weight_column"] = [column for first in linear for column, _ in first.terms]
        tables["weight"] = [weight for first in linear for _, weight in first.terms]
    return tables


def _may_share(node: Node) -> bool:
    """Whether the code of readers computes shares: by a reader, or if none decides, by `rest`."""
    return bool(node.children) and not isinstance(node.first, LinearSum)


def _gate(node: Node) -> int:
    if not node.children:
        return GATES["leaf"]
    if node.first is None:
        return GATES["readers"]
    name = node.first.squash.name.lower()
    return GATES[f"linear_{name}" if isinstance(node.first, LinearSum) else name]


def _readers(nodes: Sequence[Node], readers: Sequence[Reader]) -> dict[str, Numbers]:
    return {
        "reader_begin": begins(len(node.readers) for node in nodes),
        "reader_input": [reader.feature for reader in readers],
        "cut_begin": begins(len(reader.cuts) for reader in readers),
        "cut": [cut for reader in readers for cut in reader.cuts],
        "slot_begin": begins(len(reader.slots) for reader in readers),
        "slot": [slot for reader in readers for slot in reader.slots],
    }


def _rest(nodes: Sequence[Node]) -> list[float]:
    rest = [0.0] * len(nodes)
    for node in nodes:
        for child, share in zip(node.children, node.rest, strict=False):
            rest[child] = share
    return rest


def _columns(columns: Sequence[Column]) -> dict[str, Numbers]:
    return {
        "column_kind": [int(column.kind) for column in columns],
        "column_input": [column.feature for column in columns],
        "column_parameter": [column.parameter for column in columns],
        "column_low": [column.low for column in columns],
        "column_high": [column.high for column in columns],
        "column_missing": [1.0 if column.kind == Term.MISSING else column.when_missing for column in columns],
    }
