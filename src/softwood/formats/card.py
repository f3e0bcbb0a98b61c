"""A scorecard as a list of its lines. It computes the points of rows and can be written as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.dialects import DIALECTS, Dialect
from softwood.formats.program import Cell
from softwood.tree import Tree

BASE, MISSING = "(base)", "missing"
Line = dict[str, Any]


class Scorecard(list[Line]):
    """The lines of a scorecard; `pandas.DataFrame(card)` makes a table of them.

    Attributes
    ----------
    tree : the tree of the card.

    Examples
    --------
    >>> from softwood import CARTClassifier, scorecard
    >>> X = np.arange(20.0)[:, None]
    >>> scorecard(CARTClassifier().fit(X, X[:, 0] > 7), whole=True).apply([[3.0], [9.0]])
    array([405., 580.])
    """

    def __init__(self, lines: Sequence[Line], tree: Tree) -> None:
        super().__init__(lines)
        self.tree = tree

    def apply(self, X: Any) -> Floats:
        """Points of every row.

        Parameters
        ----------
        X : a data frame with the model's inputs, rows of cells in their order, or dicts by their names.
        """
        rows = self.tree.schema.encode(records_of(X))
        if "node" in self[0]:
            points = {line["node"]: line["points"] for line in self}
            return np.array([points[node] for node in self.tree.apply(rows).tolist()], np.float64)
        places = {name: at for at, name in enumerate(self.tree.schema.features)}
        total = np.zeros(len(rows))
        for name, lines in groupby(self, key=lambda line: str(line["input"])):
            if name == BASE:
                total += next(lines)["points"]
            else:
                feature = places[name]
                total += _points(list(lines), rows[:, feature], self.tree.schema.categories[feature])
        return total

    def to_sql(self, table: str, dialect: str = "postgresql") -> str:
        """A SELECT of all columns of a table and of `points`, for the card of an additive model.

        Parameters
        ----------
        table : the name of the table.
        dialect : as in `export(model, to="sql")`.
        """
        if dialect not in DIALECTS:
            raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}, got {dialect!r}.")
        if "node" in self[0]:
            raise ValueError("the card of a hard tree has one line per leaf: use export(model, to='sql').")
        words, terms = DIALECTS[dialect], list[str]()
        inputs = {one.name: one for one in self.tree.schema.inputs}
        for name, lines in groupby(self, key=lambda line: str(line["input"])):
            if name == BASE:
                terms.append(words.real(next(lines)["points"]))
                continue
            one = inputs[name]
            cell = Cell(one.name, one.kind, tuple(one.levels or ()))
            terms.append(_case(list(lines), cell, words))
        sums = "\n  + ".join(terms)
        return f"SELECT *,\n  {sums} AS points\nFROM {words.name(table)}\n"


def records_of(X: Any) -> Any:
    """Rows of cells, or dicts, of a data frame or an array."""
    if hasattr(X, "to_dicts"):  # polars
        return X.to_dicts()
    if hasattr(X, "to_pylist"):  # Arrow
        return X.to_pylist()
    if hasattr(X, "to_dict"):
        return X.to_dict("records")
    return X.tolist() if isinstance(X, np.ndarray) else X


def _points(lines: list[Line], x: Floats, levels: tuple[Any, ...] | None) -> Floats:
    missing = next(line["points"] for line in lines if line["bin"] == MISSING and line["level"] is None)
    known = [line for line in lines if not (line["bin"] == MISSING and line["level"] is None)]
    found = np.full(len(x), missing, np.float64)
    there = ~np.isnan(x)
    if levels is not None:
        by_code = np.array([line["points"] for line in known])
        found[there] = by_code[x[there].astype(np.int64)]
        return found
    uppers = np.array([line["upper"] for line in known[:-1]], np.float64)
    names = ("points", "per_unit", "per_square", "at")
    points, per_unit, per_square, at = np.array([[line[name] for line in known] for name in names], np.float64)
    place = np.searchsorted(uppers, x[there], side="left")
    away = x[there] - at[place]
    found[there] = points[place] + away * (per_unit[place] + per_square[place] * away)
    return found


def _case(lines: list[Line], cell: Cell, words: Dialect) -> str:
    column = words.cell(cell)
    missing = next(line for line in lines if line["bin"] == MISSING and line["level"] is None)
    known = [line for line in lines if line is not missing]
    whens = [f"WHEN ({column}) IS NULL THEN {words.real(missing['points'])}"]
    for at, line in enumerate(known):
        text = words.real(line["points"])
        if line["level"] is not None or cell.kind.has_levels:
            whens.append(f"WHEN ({column}) = {words.level(cell, line['level'])} THEN {text}")
            continue
        away = f"(({column}) - {words.real(line['at'])})"
        text += f" + {words.real(line['per_unit'])} * {away}" if line["per_unit"] else ""
        text += f" + {words.real(line['per_square'])} * {away} * {away}" if line["per_square"] else ""
        last = at == len(known) - 1
        whens.append(f"ELSE {text}" if last else f"WHEN ({column}) <= {words.real(line['upper'])} THEN {text}")
    return f"CASE {' '.join(whens)} END"
