"""A smaller case with the same finding: fewer rows, columns and parameters, plainer containers and weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.fuzz.cases import Case
from tests.fuzz.lanes import Lane


def shrink(case: Case, lane: Lane) -> Case:
    """The smallest case found by greedy cuts."""
    wanted = {finding.signature for finding in lane.run(case)}
    if not wanted:
        return case
    going = True
    while going:
        going = False
        for smaller in _cuts(case):
            if wanted & {finding.signature for finding in lane.run(smaller)}:
                case, going = smaller, True
                break
    return case


def _cuts(case: Case) -> Iterator[Case]:
    table, n = case.table, len(case.table)
    part = n // 2
    while part:
        for start in range(0, n, part):
            kept = [i for i in range(n) if not start <= i < start + part]
            if kept:
                yield case.with_table(table.rows(kept))
        part //= 2
    for name in table.columns:
        if len(table.columns) > 1:
            yield case.with_table(replace(table, columns={k: v for k, v in table.columns.items() if k != name}))
    for name in case.parameters:
        yield replace(case, parameters={k: v for k, v in case.parameters.items() if k != name})
    if table.weight is not None:
        yield case.with_table(replace(table, weight=None))
    if table.group is not None:
        yield case.with_table(replace(table, group=None))
    if table.container != "float64" and not table.words:
        yield case.with_table(replace(table, container="float64"))
    if case.held:
        yield replace(case, held=False)
    for digits in (0, 2):
        rounded = {name: [_round(cell, digits) for cell in cells] for name, cells in table.columns.items()}
        if rounded != table.columns:
            yield case.with_table(replace(table, columns=rounded))


def _round(cell: object, digits: int) -> object:
    return round(cell, digits) if isinstance(cell, float) and abs(cell) < 1e15 else cell
