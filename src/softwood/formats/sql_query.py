"""The steps of a SELECT that computes a tree; sql.py says what they are."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from softwood.formats.dialects import Dialect
from softwood.formats.program import LinearSum, Node, Program, Reader, SoftThreshold, is_step
from softwood.formats.sql_expressions import exponential, extreme, list_of, sigmoid, sum_of
from softwood.kernels.kinds import Link, Squash, Term

STEPS = 6  # nested CASE in one step: SQLite's parser allows about twenty
NAMES = (
    "cells|columns|scores|nodes[0-9]+|firsts|shares|reach|outputs|links|tops|exponents|totals|answers|costs"  # of steps
)
SMALLEST = 250.0  # decimal exponent, without its sign, of the smallest product of shares


class Query:
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
        return f"WITH {steps}\nSELECT {list_of([*first, *chosen])}\nFROM {self.last}"

    def step(self, name: str, expressions: Sequence[str], carry: bool = True) -> None:
        """Add a step with all columns of the previous one and these; none if there are none."""
        if not expressions:
            return
        fence = f" {self.words.fence}" if self.words.fence else ""
        items, source = (["s.*", *expressions], f"{self.last} s") if carry else (expressions, self.last)
        self.steps.append(f"{self.prefix}{name} AS (\n  SELECT {list_of(items)}\n  FROM {source}{fence}\n)")
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
        return sum_of([self.real(first.bias), *terms])

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
        return sum_of([self.real(node.values[k]), *terms])

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
            sum_of(
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
            return sigmoid(self.words, f"_s{m}", limit)
        x, threshold = self.input(first.feature), self.real(first.threshold)
        if first.squash == Squash.SIGMOID:
            score = f"(-({x} - {threshold}) / {self.real(first.below)})"
            return sigmoid(self.words, score, limit, x, (first.threshold, -first.below))
        away, below, above = f"({x} - {threshold})", self.real(first.below), self.real(first.above)
        left = (
            f"WHEN {away} <= {self.real(-first.below)} THEN 1e0 WHEN {away} < 0e0 THEN 0.5e0 - 0.5e0 * {away} / {below}"
        )
        right = f"WHEN {away} >= {above} THEN 0e0 ELSE 0.5e0 - 0.5e0 * {away} / {above}"
        left = left if first.below else f"WHEN {away} < 0e0 THEN 1e0"
        right = right if first.above else "ELSE 0e0"
        return f"CASE WHEN {x} IS NULL THEN NULL WHEN {away} = 0e0 THEN 0.5e0 {left} {right} END"

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
            self.step("links", [f"{sigmoid(self.words, each, limit)} AS _l{k}" for k, each in enumerate(outputs)])
            outputs = ["(1e0 - _l0)", "_l0"] if len(outputs) == 1 else [f"_l{k}" for k in range(len(outputs))]
        elif self.program.link == Link.SOFTMAX:
            self.step("tops", [f"{extreme(outputs, '>=')} AS _top"])
            small = self.real(-limit)
            shown = (f"CASE WHEN {each} - _top < {small} THEN 0e0 ELSE EXP({each} - _top) END" for each in outputs)
            self.step("exponents", [f"{each} AS _e{k}" for k, each in enumerate(shown)])
            self.step("totals", [f"{sum_of([f'_e{k}' for k in range(len(outputs))])} AS _total"])
            outputs = [f"_e{k} / _total" for k in range(len(outputs))]
        elif self.program.link == Link.LOG:
            self.step("links", [f"{exponential(self.words, each, limit)} AS _l{k}" for k, each in enumerate(outputs)])
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
            return extreme(probabilities, ">=", told)
        costs = self.program.costs
        expected = (
            sum_of([f"{p} * {self.real(costs[real][given])}" for real, p in enumerate(probabilities)])
            for given in range(len(labels))
        )
        self.step("costs", [f"{each} AS _x{k}" for k, each in enumerate(expected)])
        return extreme([f"_x{k}" for k in range(len(labels))], "<=", told)
