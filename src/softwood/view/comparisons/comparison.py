"""`compare_models`: a comparison of two models as text, frames and a page."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softwood.explain.frames import as_frame
from softwood.formats.replace import replace_file, require_folder
from softwood.tree.spelling import spell_name
from softwood.view.comparisons.changes import largest_changes
from softwood.view.comparisons.part import Part
from softwood.view.comparisons.scores import compare_calibration, compare_classes, compare_errors, compare_scores
from softwood.view.comparisons.sides import Pair, read_pair
from softwood.view.comparisons.trees import compare_gates, compare_inputs, compare_proofs, compare_sizes
from softwood.view.page import Page
from softwood.view.reports.groups import read_groups

NAMES = ("old", "new")


@dataclass(frozen=True)
class Comparison:
    """A comparison of two models; `print` shows it.

    Attributes
    ----------
    names : names of the models.
    problems : sentences about inputs or classes that the models do not share.
    tables : the tables, in order.
    """

    names: tuple[str, str]
    problems: tuple[str, ...]
    tables: tuple[Part, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the tables, in order."""
        return tuple(part.name for part in self.tables)

    def to_text(self) -> str:
        """All tables but the long ones (curves, bins of calibration)."""
        told = [f"{self.names[0]} and {self.names[1]} compared"]
        told += ["\n".join(f"! {problem}" for problem in self.problems)] if self.problems else []
        return "\n\n".join([*told, *(part.to_text() for part in self.tables if part.printed)])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Comparison({self.names[0]} and {self.names[1]}: {', '.join(self.parts)})"

    def to_frame(self, part: str = "errors") -> Any:
        """One table as a pandas DataFrame (a dict of arrays if pandas is not installed).

        Parameters
        ----------
        part : one of `parts`.
        """
        found = {each.name: each for each in self.tables}
        if part not in found:
            raise ValueError(f"part must be one of {', '.join(map(repr, self.parts))}, got {part!r:.60}.")
        table = found[part]
        names = [name or "what" for name in table.columns]
        return as_frame({name: [row[i] for row in table.rows] for i, name in enumerate(names)})

    def to_html(self, path: str | os.PathLike[str] | None = None) -> Page:
        """Write the comparison as one HTML file; with pictures of curves and calibration if matplotlib is installed.

        Parameters
        ----------
        path : where to write; None: a new file in the folder for temporary files.
        """
        from softwood.view.comparisons.page import fill_page

        require_folder(path)
        text = fill_page(self)
        if path is None:
            handle, path = tempfile.mkstemp(prefix="softwood-comparison-", suffix=".html")
            os.close(handle)
        replace_file(path, (text.encode(errors="xmlcharrefreplace"),))
        return Page(Path(path), text)

    def to_dict(self) -> dict[str, Any]:
        """As JSON: names, problems and every table as a list of rows."""
        tables = {
            part.name: [
                {name or "what": _plain(cell) for name, cell in zip(part.columns, row, strict=True)}
                for row in part.rows
            ]
            for part in self.tables
        }
        return {"names": list(self.names), "problems": list(self.problems), **tables}


def _plain(cell: Any) -> Any:
    value = cell.item() if isinstance(cell, np.generic) else cell
    return None if isinstance(value, float) and not np.isfinite(value) else value


def compare_models(
    old: Any,
    new: Any,
    X: Any = None,
    y: Any = None,
    *,
    group: Any = None,
    n_rows: int = 10,
    names: Sequence[str] = NAMES,
    feature_names: Sequence[str] | None = None,
) -> Comparison:
    """Compare two models: trees, scores, classes, errors, calibration and monotone proofs.

    If the models have different inputs or classes, `problems` names them, and the rest is compared. Rows count equally.

    Parameters
    ----------
    old, new : each a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X : rows that neither model was trained on, with the columns of both models. None: only the trees are compared, also
        those of a classifier and a regressor.
    y : their actual values. None: errors and calibration are omitted.
    group : the name of a column of X, or one group per row: scores and errors are also compared by group.
    n_rows : number of rows with the largest changes to show, with reasons.
    names : names of the two models.
    feature_names : names to print instead of the models' own.

    Returns
    -------
    A `Comparison`: print it, or take `to_frame(part)`, `to_html(path)`, `to_dict()`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, compare_models
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> old = CARTClassifier(max_depth=1).fit(X[::2], y[::2])
    >>> new = CARTClassifier(max_depth=2).fit(X[::2], y[::2])
    >>> comparison = compare_models(old, new, X[1::2], y[1::2])
    >>> comparison.to_frame("errors")["test"].tolist()
    ['McNemar', 'paired t', 'paired t']
    """
    first, second = _names(names)
    if not isinstance(n_rows, int | np.integer) or n_rows < 0:
        raise ValueError(f"n_rows must be a whole number of at least 0, got {n_rows!r}.")
    pair = read_pair(old, new, X, y, (first, second), feature_names)
    if group is not None and not pair.has_scores:
        raise ValueError("group needs rows that both models predict: pass X.")
    return Comparison(pair.names, pair.problems, tuple(_tables(pair, X, group, int(n_rows))))


def _tables(pair: Pair, X: Any, group: Any, n_rows: int) -> list[Part]:
    tables = [compare_sizes(pair), compare_gates(pair)]
    if not pair.has_scores:
        return [*tables, compare_proofs(pair)]
    groups = None if group is None else read_groups(X, group, len(np.asarray(pair.old.rows)))
    inputs, curves = compare_inputs(pair)
    tables += [inputs, compare_proofs(pair), compare_scores(pair, groups)]
    tables += [compare_classes(pair)] if pair.is_classifier else []
    tables.append(largest_changes(pair, n_rows))
    if pair.y is None:
        return [*tables, curves]
    calibration, bins = compare_calibration(pair)
    return [*tables, compare_errors(pair, groups), calibration, curves, bins]


def _names(names: Sequence[str]) -> tuple[str, str]:
    told = [spell_name(name) for name in names] if not isinstance(names, str) else []
    if len(told) != 2 or told[0] == told[1]:
        raise ValueError(f"names must be two different names, got {names!r:.80}.")
    return told[0], told[1]
