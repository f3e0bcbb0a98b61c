"""A tree as one SELECT.

    cells      the used inputs, NULL if missing or an unknown level
    node       for a tree with one path: the leaf, as nested CASE
    columns, scores, firsts, shares, reach      otherwise: the equation, step by step
    outputs, answers      the outputs, then the link
    SELECT     the kept columns, the predictions, the class of least expected cost

Each step is a common table expression over the one before. Shares whose product would underflow count as 0 (PostgreSQL
raises an error otherwise); this is far below the last digit of a prediction.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from softwood.formats.dialects import DIALECTS, Dialect
from softwood.formats.program import (
    EXACT_IN_DOUBLE,
    EXACT_IN_INT64,
    LinearSum,
    Node,
    Program,
    Reader,
    SoftThreshold,
    is_step,
    make_program,
    refuse_wide,
)
from softwood.kernels.kinds import Link, Squash, Term

STEPS = 6  # nested CASE in one step: SQLite's parser allows about twenty
TERMS = 200  # terms of a sum in one pair of brackets: databases limit the nesting of expressions
OWN = re.compile(r"_([kcsnfgrolepx][0-9]+(_[0-9]+)?|top|total|none)", re.IGNORECASE)  # names of intermediate columns
NAMES = (
    "cells|columns|scores|nodes[0-9]+|firsts|shares|reach|outputs|links|tops|exponents|totals|answers|costs"  # of steps
)
SMALLEST = 250.0  # decimal exponent, without its sign, of the smallest product of shares


def to_sql(
    model: Any,
    *,
    dialect: str = "postgresql",
    table: str = "data",
    keep: Sequence[str] = (),
    names: Sequence[str] | None = None,
) -> str:
    """One SELECT that computes the predictions for every row of a table.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a search over one.
    dialect : "sqlite", "duckdb", "postgresql", "mysql", "bigquery" or "snowflake".
    table : the source, as SQL: a table with the inputs by their names, or a SELECT in brackets.
    keep : columns of the table to pass on, such as its key.
    names : of the columns with the predictions. Default: for classes `p_` and the label, followed by `prediction`, the
        label itself; for one target `prediction`; for several `prediction_` and the target.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> print(to_sql(CARTRegressor().fit(X, X[:, 0] > 7), table="measured", keep=["id"]))
    WITH cells AS (
      SELECT NULLIF(CAST("x0" AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION)) AS "x0", "id" AS _k0
      FROM measured OFFSET 0
    ), nodes0 AS (
      SELECT s.*, CASE WHEN "x0" <= 7.5e0 THEN 1 ELSE 2 END AS _n0
      FROM cells s OFFSET 0
    ), outputs AS (
      SELECT s.*, CASE _n0 WHEN 1 THEN 0e0 ELSE 1e0 END AS _o0
      FROM nodes0 s OFFSET 0
    )
    SELECT _k0 AS "id", _o0 AS "prediction"
    FROM outputs
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(map(repr, DIALECTS))}, got {dialect!r}.")
    program = make_program(model, "to_sql")
    if isinstance(keep, str):
        raise ValueError(f"keep must be a list of columns, got the text {keep!r}; write [{keep!r}].")
    told = _names(program, names)
    _refuse_clashes(program, keep, [*told, "prediction"] if program.is_classifier else told)
    _refuse_wide(program)
    return _Query(program, DIALECTS[dialect], table, keep, told).text()


def _names(program: Program, given: Sequence[str] | None) -> list[str]:
    if given is not None:
        if isinstance(given, str) or len(given) != len(program.answers) or len(set(given)) < len(given):
            raise ValueError(
                f"names must be {len(program.answers)} different names, one for each answer, got {given!r}."
            )
        return list(given)
    if program.is_classifier:
        return [f"p_{label}" for label in program.answers]
    return ["prediction"] if len(program.answers) == 1 else [f"prediction_{label}" for label in program.answers]


def _refuse_clashes(program: Program, keep: Sequence[str], told: Sequence[str]) -> None:
    """Refuse duplicate column names, and inputs named like intermediate columns."""
    twice = sorted(set(keep) & set(told))
    if twice or len(set(told)) < len(told):
        raise ValueError(f"columns {twice or told!r} would occur twice in the result; pass other names=.")
    taken = [cell.name for cell in program.cells if OWN.fullmatch(cell.name)]
    if taken:
        raise ValueError(f"inputs {taken!r:.200} have names of the query's own columns; fit with other names.")


def _refuse_wide(program: Program) -> None:
    """Refuse integers that the query would change: beyond 64 bits, or beyond doubles if mixed with other numbers."""
    for what, labels in (
        *((f"input {cell.name!r} has the level", cell.levels) for cell in program.cells),
        ("the answer has the label", program.answers),
    ):
        if not any(isinstance(label, str) for label in labels):
            whole = all(type(label) is int for label in labels)
            refuse_wide(labels, what, "SQL", EXACT_IN_INT64 if whole else EXACT_IN_DOUBLE)


class _Query:
    """A SELECT under construction: its steps, each over the previous one."""

    def __init__(self, program: Program, words: Dialect, table: str, keep: Sequence[str], names: list[str]) -> None:
        self.program, self.words, self.keep, self.names = program, words, keep, names
        self.steps: list[str] = []
        self.last = table
        self.prefix = ""  # prefix of the steps that does not occur in `table`
        while re.search(rf"\b{self.prefix}({NAMES})\b", table, re.IGNORECASE):
            self.prefix += "_"
        self.real = words.real

    def text(self) -> str:
        cells = [self.program.cells[at] for at in self.program.used]
        kept = [f"{self.words.name(name)} AS _k{at}" for at, name in enumerate(self.keep)]
        said = [f"{self.words.cell(cell)} AS {self.words.name(cell.name)}" for cell in cells]
        self.step("cells", [*said, *kept] or ["1 AS _none"], carry=False)
        self.step("columns", [f"{self.column(at)} AS _c{at}" for at in range(len(self.program.columns))])
        self.step("scores", [f"{self.score(first)} AS _s{m}" for m, first in self.firsts(LinearSum)])
        outputs = self.one_path() if self.program.takes_one_path else self.many_paths()
        self.step("outputs", [f"{output} AS _o{k}" for k, output in enumerate(outputs)])
        answers = self.answers()
        chosen = [f"{place} AS {self.words.name(name)}" for place, name in zip(answers, self.names, strict=True)]
        first = [f"_k{at} AS {self.words.name(name)}" for at, name in enumerate(self.keep)]
        if self.program.is_classifier:
            chosen.append(f"{self.decision(answers)} AS {self.words.name('prediction')}")
        steps = ", ".join(self.steps)
        return f"WITH {steps}\nSELECT {_list([*first, *chosen])}\nFROM {self.last}"

    def step(self, name: str, expressions: Sequence[str], carry: bool = True) -> None:
        """Add a step with all columns of the previous one and these; none if there are none."""
        if not expressions:
            return
        fence = f" {self.words.fence}" if self.words.fence else ""
        items, source = (["s.*", *expressions], f"{self.last} s") if carry else (expressions, self.last)
        self.steps.append(f"{self.prefix}{name} AS (\n  SELECT {_list(items)}\n  FROM {source}{fence}\n)")
        self.last = f"{self.prefix}{name}"

    def firsts(self, kind: type) -> list[tuple[int, Any]]:
        return [(m, node.first) for m, node in enumerate(self.program.nodes) if isinstance(node.first, kind)]

    def input(self, feature: int) -> str:
        return self.words.name(self.program.cells[feature].name)

    # -- columns and scores ----------------------------------------------------------------------------------------

    def column(self, at: int) -> str:
        kind, feature, parameter, when_missing, low, high = self.program.columns[at]
        x, cell = self.input(feature), self.program.cells[feature]
        gone = f"CASE WHEN {x} IS NULL THEN {self.real(1.0 if kind == Term.MISSING else when_missing)}"
        if kind == Term.MISSING:
            return f"{gone} ELSE 0e0 END"
        if kind == Term.CATEGORY:
            level = self.words.level(cell, cell.levels[int(parameter)])
            return f"{gone} WHEN {x} = {level} THEN 1e0 ELSE 0e0 END"
        if cell.kind.has_levels:  # for a category the number is its code
            codes = (f"WHEN {self.words.level(cell, level)} THEN {code}e0" for code, level in enumerate(cell.levels))
            x = f"CASE {x} {' '.join(codes)} END"
        if kind == Term.HINGE:
            knot, most = self.real(parameter), self.real(max(0.0, high - parameter))
            return f"{gone} WHEN {x} >= {self.real(high)} THEN {most} WHEN {x} > {knot} THEN {x} - {knot} ELSE 0e0 END"
        made = f"{x} * {x}" if kind == Term.SQUARE else x
        ends = [end * end if kind == Term.SQUARE else end for end in (low, high)]
        far = (f"WHEN {x} {than} {self.real(at)} THEN {self.real(end)}" for than, at, end in
               zip("<>", (low, high), ends, strict=True))  # fmt: skip
        return f"{gone} {' '.join(far)} ELSE {made} END"

    def score(self, first: LinearSum) -> str:
        terms = [f"{self.real(weight)} * _c{column}" for column, weight in first.terms]
        return _sum([self.real(first.bias), *terms])

    # -- readers ---------------------------------------------------------------------------------------------------

    def reads(self, reader: Reader, slot: int) -> str:
        """A condition for the reader to choose the slot."""
        x, cell = self.input(reader.feature), self.program.cells[reader.feature]
        if reader.is_category:
            levels = [level for level, each in zip(cell.levels, reader.slots, strict=True) if each == slot]
            return f"{x} IN ({', '.join(self.words.level(cell, level) for level in levels)})" if levels else "FALSE"
        at = reader.slots.index(slot)
        lower, upper = (-math.inf, *reader.cuts)[at], (*reader.cuts, math.inf)[at]
        if lower == math.inf:
            return "FALSE"
        parts = [f"{x} > {self.real(lower)}"] * (lower > -math.inf) + [f"{x} <= {self.real(upper)}"] * (
            upper < math.inf
        )
        return " AND ".join(parts) or f"{x} IS NOT NULL"

    def lost(self, reader: Reader) -> str:
        """A condition for the reader not to decide."""
        gone = f"{self.input(reader.feature)} IS NULL"
        return f"({gone} OR {self.reads(reader, -1)})" if -1 in reader.slots else gone

    def says(self, readers: Sequence[Reader], slot: int) -> str:
        """A condition for the first reader that decides to choose the slot."""
        told = self.reads(readers[0], slot)
        if len(readers) == 1:
            return told
        return f"({told}) OR {self.lost(readers[0])} AND ({self.says(readers[1:], slot)})"

    # -- trees with one path ---------------------------------------------------------------------------------------

    def one_path(self) -> list[str]:
        nodes, start, at = self.program.nodes, {0}, 0
        while any(nodes[m].children for m in start):
            ends: set[int] = set()
            cases = {m: self.descend(m, STEPS, ends) for m in sorted(start) if nodes[m].children}
            whens = " ".join(f"WHEN {m} THEN {case}" for m, case in cases.items())
            self.step(f"nodes{at}", [f"{f'CASE _n{at - 1} {whens} ELSE _n{at - 1} END' if at else cases[0]} AS _n{at}"])
            start, at = ends, at + 1
        if not at:
            return [self.response(nodes[0], k) for k in range(self.program.n_outputs)]
        leaves = [m for m, node in enumerate(nodes) if not node.children]
        return [self.pick(f"_n{at - 1}", leaves, k) for k in range(self.program.n_outputs)]

    def descend(self, m: int, steps: int, ends: set[int]) -> str:
        """The node that a row at m reaches in this number of steps."""
        node = self.program.nodes[m]
        if not node.children or not steps:
            ends.add(m)
            return str(m)
        if isinstance(node.first, LinearSum):
            last, asked = 1, {0: f"_s{m} >= 0e0"}
        else:
            last = node.rest.index(1.0)
            asked = {slot: self.says(node.readers, slot) for slot in range(len(node.children)) if slot != last}
        whens = [
            f"WHEN {asks} THEN {self.descend(node.children[slot], steps - 1, ends)}" for slot, asks in asked.items()
        ]
        return f"CASE {' '.join(whens)} ELSE {self.descend(node.children[last], steps - 1, ends)} END"

    def pick(self, node: str, leaves: Sequence[int], k: int) -> str:
        nodes = self.program.nodes
        whens = " ".join(f"WHEN {m} THEN {self.response(nodes[m], k)}" for m in leaves[:-1])
        return f"CASE {node} {whens} ELSE {self.response(nodes[leaves[-1]], k)} END"

    def response(self, node: Node, k: int) -> str:
        terms = [f"_c{column} * {self.real(factors[k])}" for column, factors in node.slopes if factors[k]]
        return _sum([self.real(node.values[k]), *terms])

    # -- trees with many paths -------------------------------------------------------------------------------------

    def many_paths(self) -> list[str]:
        nodes = self.program.nodes
        gates = [(m, node) for m, node in enumerate(nodes) if node.children]
        limit = SMALLEST * math.log(10.0) / max(1, self.soft_depth())
        self.step("firsts", [f"{self.first(m, node.first, limit)} AS _f{m}" for m, node in gates if node.first])
        shares = [(m, slot) for m, node in gates for slot in range(len(node.children)) if node.readers or node.rest]
        self.step("shares", [f"{self.share(m, nodes[m], slot)} AS _g{m}_{slot}" for m, slot in shares])
        kept = [(m, way) for m, way in enumerate(self.ways()) if nodes[m].leafness > 0]
        self.step("reach", [f"{way} AS _r{m}" for m, way in kept])
        return [
            _sum(
                [
                    f"_r{m} * ({self.response(nodes[m], k)})"
                    if nodes[m].slopes
                    else f"_r{m} * {self.real(nodes[m].values[k])}"
                    for m, _ in kept
                ]
            )
            for k in range(self.program.n_outputs)
        ]

    def soft_depth(self) -> int:
        """The most soft gates on one path."""
        depth = [0] * len(self.program.nodes)
        for m, node in enumerate(self.program.nodes):
            for child in node.children:
                depth[child] = depth[m] + (not is_step(node.first))
        return max(depth)

    def first(self, m: int, first: SoftThreshold | LinearSum, limit: float) -> str:
        """Share of slot 0 if the gate decides, else NULL."""
        if isinstance(first, LinearSum):
            if first.squash == Squash.STEP:
                return f"CASE WHEN _s{m} >= 0e0 THEN 1e0 ELSE 0e0 END"
            return self.sigmoid(f"_s{m}", limit)
        x, threshold = self.input(first.feature), self.real(first.threshold)
        if first.squash == Squash.SIGMOID:
            score = f"(-({x} - {threshold}) / {self.real(first.below)})"
            return self.sigmoid(score, limit, x, (first.threshold, -first.below))
        away, below, above = f"({x} - {threshold})", self.real(first.below), self.real(first.above)
        left = (
            f"WHEN {away} <= {self.real(-first.below)} THEN 1e0 WHEN {away} < 0e0 THEN 0.5e0 - 0.5e0 * {away} / {below}"
        )
        right = f"WHEN {away} >= {above} THEN 0e0 ELSE 0.5e0 - 0.5e0 * {away} / {above}"
        left = left if first.below else f"WHEN {away} < 0e0 THEN 1e0"
        right = right if first.above else "ELSE 0e0"
        return f"CASE WHEN {x} IS NULL THEN NULL WHEN {away} = 0e0 THEN 0.5e0 {left} {right} END"

    def sigmoid(self, score: str, limit: float, x: str = "", unit: tuple[float, float] = (0.0, 1.0)) -> str:
        """1 / (1 + exp(-score)); 0 or 1 beyond the limit, where many databases refuse the exponential; NULL for NULL.
        x, unit : the score is (x - unit[0]) / unit[1], if the division could overflow.
        """
        share = f"1e0 / (1e0 + EXP(-{score}))"
        if self.words.exp_is_total:
            return share
        zero, one = (self.real(_within_doubles(unit[0] + end * unit[1])) for end in (-limit, limit))
        below, above = "<>" if unit[1] > 0 else "><"
        ends = f"WHEN {x or score} {below} {zero} THEN 0e0 WHEN {x or score} {above} {one} THEN 1e0"
        return f"CASE {ends} ELSE {share} END"

    def exponential(self, output: str, limit: float) -> str:
        """exp(output); 1e250 beyond the limit, where many databases refuse it."""
        if self.words.exp_is_total:
            return f"EXP({output})"
        ends = f"WHEN {output} < {self.real(-limit)} THEN 0e0 WHEN {output} > {self.real(limit)} THEN 1e250"
        return f"CASE {ends} ELSE EXP({output}) END"

    def share(self, m: int, node: Node, slot: int) -> str:
        """The share of a slot of node m."""
        whens = [f"WHEN _f{m} IS NOT NULL THEN {(f'_f{m}', f'1e0 - _f{m}')[slot]}"] if node.first else []
        if node.readers:
            whens.append(f"WHEN {self.says(node.readers, slot)} THEN 1e0")
            lost = " AND ".join(map(self.lost, node.readers))
            whens.append(f"WHEN NOT ({lost}) THEN 0e0")
        rest = self.real(node.rest[slot])
        return f"CASE {' '.join(whens)} ELSE {rest} END" if whens else rest

    def ways(self) -> list[str]:
        """Reach of every node times its leafness, as a product of the shares on the path."""
        nodes = self.program.nodes
        passed: list[list[str]] = [[] for _ in nodes]
        for m, node in enumerate(nodes):
            onward = passed[m] + [self.real(1.0 - node.leafness)] * (0.0 < node.leafness < 1.0)
            for slot, child in enumerate(node.children):
                share = f"_g{m}_{slot}" if node.readers or node.rest else (f"_f{m}", f"(1e0 - _f{m})")[slot]
                passed[child] = [*onward, share]
        own = ([self.real(node.leafness)] if node.leafness < 1.0 else [] for node in nodes)
        return [" * ".join([*way, *kept]) or "1e0" for way, kept in zip(passed, own, strict=True)]

    # -- answers ---------------------------------------------------------------------------------------------------

    def answers(self) -> list[str]:
        """The columns of the predictions, after the link."""
        outputs, limit = [f"_o{k}" for k in range(self.program.n_outputs)], SMALLEST * math.log(10.0)
        if self.program.link == Link.SIGMOID:
            self.step("links", [f"{self.sigmoid(each, limit)} AS _l{k}" for k, each in enumerate(outputs)])
            outputs = ["(1e0 - _l0)", "_l0"] if len(outputs) == 1 else [f"_l{k}" for k in range(len(outputs))]
        elif self.program.link == Link.SOFTMAX:
            self.step("tops", [f"{_extreme(outputs, '>=')} AS _top"])
            small = self.real(-limit)
            shown = (f"CASE WHEN {each} - _top < {small} THEN 0e0 ELSE EXP({each} - _top) END" for each in outputs)
            self.step("exponents", [f"{each} AS _e{k}" for k, each in enumerate(shown)])
            self.step("totals", [f"{_sum([f'_e{k}' for k in range(len(outputs))])} AS _total"])
            outputs = [f"_e{k} / _total" for k in range(len(outputs))]
        elif self.program.link == Link.LOG:
            self.step("links", [f"{self.exponential(each, limit)} AS _l{k}" for k, each in enumerate(outputs)])
            outputs = [f"_l{k}" for k in range(len(outputs))]
        if not self.program.is_classifier:
            return outputs
        self.step(
            "answers", [f"CASE WHEN {each} > 1e0 THEN 1e0 ELSE {each} END AS _p{k}" for k, each in enumerate(outputs)]
        )
        return [f"_p{k}" for k in range(len(outputs))]

    def decision(self, probabilities: Sequence[str]) -> str:
        """The first label of least expected cost."""
        labels = self.program.answers
        texts = any(isinstance(label, str) for label in labels)
        told = [self.words.literal(str(label) if texts else label) for label in labels]
        if self.program.costs is None:
            return _extreme(probabilities, ">=", told)
        costs = self.program.costs
        expected = (
            _sum([f"{p} * {self.real(costs[real][given])}" for real, p in enumerate(probabilities)])
            for given in range(len(labels))
        )
        self.step("costs", [f"{each} AS _x{k}" for k, each in enumerate(expected)])
        return _extreme([f"_x{k}" for k in range(len(labels))], "<=", told)


def _extreme(places: Sequence[str], better: str, told: Sequence[str] | None = None) -> str:
    """The first position that is at least as good as all others, or its value in `said`."""
    said = told or places
    if len(places) == 1:
        return said[0]
    whens: Iterable[str] = (
        f"WHEN {' AND '.join(f'{place} {better} {other}' for other in places[k + 1 :])} THEN {said[k]}"
        for k, place in enumerate(places[:-1])
    )
    return f"CASE {' '.join(whens)} ELSE {said[-1]} END"


def _within_doubles(value: float) -> float:
    return min(max(value, -sys.float_info.max), sys.float_info.max)


def _sum(terms: Sequence[str]) -> str:
    """A sum from left to right; a long one is bracketed."""
    if not terms:
        return "0e0"
    if len(terms) <= TERMS:
        return " + ".join(terms)
    parts = (terms[at : at + TERMS] for at in range(0, len(terms), TERMS))
    return _sum([f"({' + '.join(part)})" for part in parts])


def _list(items: Sequence[str]) -> str:
    return ", ".join(items) if sum(map(len, items)) < 100 else ",\n    ".join(items)
