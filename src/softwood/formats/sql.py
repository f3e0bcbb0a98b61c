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

import re
from collections.abc import Sequence
from typing import Any

from softwood.formats.dialects import DIALECTS
from softwood.formats.program import EXACT_IN_DOUBLE, EXACT_IN_INT64, Program, make_program, refuse_wide
from softwood.formats.sql_query import Query

OWN = re.compile(r"_([kcsnfgrolepx][0-9]+(_[0-9]+)?|top|total|none)", re.IGNORECASE)  # names of intermediate columns


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
    return Query(program, DIALECTS[dialect], table, keep, told).text()


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
