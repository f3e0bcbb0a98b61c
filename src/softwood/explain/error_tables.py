"""The tables of standard errors: of nodes, of inputs in linear responses, of points of their curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.curves import curve_grid
from softwood.explain.linear_form import Curve, LinearForm
from softwood.explain.ranges import input_range
from softwood.explain.tree_errors import OutputErrors, fit_errors
from softwood.explain.words import spell_value
from softwood.kernels.formulas.equation import expand
from softwood.kernels.kinds import Term
from softwood.tree import Tree
from softwood.tree.node_numbers import node_numbers, output_names
from softwood.tree.once import computed_once

SIDE = 1.959963984540054  # normal quantile of a 95 % interval
LEAST_ROWS = 2.0  # minimum number of rows in a leaf for its error
N_POINTS = 40  # of a curve, evenly spaced; its knots are added
ENDS = ("value", "error", "low", "high")
TABLES = {
    "node": ("node", "what", "rows", *ENDS),
    "input": ("node", "what", "input", "kind", "rows", "degrees", *ENDS),
    "curve": ("node", "what", "input", "x", "label", *ENDS),
}


def error_table(tree: Tree, rows: Floats, target: Floats, weight: Floats, by: str) -> dict[str, list[Any]]:
    """One of the tables, as columns."""
    tables = _Tables(LinearForm.of(tree, rows, by_input=by != "node"), rows, target, weight)
    lines = {"node": tables.nodes, "input": tables.inputs, "curve": tables.points}[by]()
    names = TABLES[by]
    return dict(zip(names, map(list, zip(*lines, strict=True)), strict=False)) or {name: [] for name in names}


@dataclass(frozen=True)
class _InNode:
    """A curve in a response, over the rows that arrive there.

    number : its place in the form.  rows : their weight.  columns : the means of its columns.  mean : of the curve.
    size : standard deviation of the curve.  direction : derivatives of the size by the coefficients.
    """

    node: int
    number: int
    curve: Curve
    rows: float
    columns: Floats
    mean: float
    size: float
    direction: Floats


@dataclass(frozen=True)
class _Tables:
    """Makes the lines. `weight` are the weights of the rows."""

    form: LinearForm
    rows: Floats
    target: Floats
    weight: Floats

    @property
    def tree(self) -> Tree:
        return self.form.tree

    @property
    def outputs(self) -> Iterator[tuple[int, str, OutputErrors]]:
        """Numbers, names and errors of the outputs."""
        for k, what in enumerate(output_names(self.tree)[: self.tree.n_outputs]):
            yield k, what, fit_errors(self.form, self.rows, self.target, self.weight, k)

    def nodes(self) -> Iterator[tuple[Any, ...]]:
        """What every node adds; for a linear response, as printed, its mean over the training rows that arrive."""
        node, arrives = self.form.node, self.weight @ self.tree.reach(self.rows)
        adds = node_numbers(self.tree).adds
        adds = np.where(np.isfinite(adds), adds, self.tree.response)
        for k, what, errors in self.outputs:
            means = np.eye(len(node), len(self.form))
            for one in self._curves(k):
                means[np.flatnonzero(node == one.node), one.curve.begin : one.curve.end] = one.columns
            for m, error in zip(node.tolist(), errors.of_sums(means).tolist(), strict=True):
                yield m, what, float(arrives[m]), *_with_ends(float(adds[m, k]), error, float(arrives[m]))

    def inputs(self) -> Iterator[tuple[Any, ...]]:
        """Slopes, and sizes of curves."""
        basis, slope = self.tree.basis, self.tree.slope
        for k, what, errors in self.outputs:
            for one in self._curves(k):
                term, name = one.curve.term, self.tree.schema.features[one.curve.feature]
                is_slope = len(term) == 1 and basis.term[term[0]] == Term.IDENTITY
                value = float(slope[one.curve.slope_row, term[0], k]) if is_slope else one.size
                error = float(_of_curve(errors, one, one.direction[None])[0])
                error = abs(value) * error / one.size if is_slope and one.size else error
                kind, degrees = "slope" if is_slope else "curve", float(errors.degrees[one.number])
                yield one.node, what, name, kind, one.rows, degrees, *_with_ends(value, error, one.rows)

    def points(self) -> Iterator[tuple[Any, ...]]:
        """Heights of curves above their means."""
        tree = self.tree
        for k, what, errors in self.outputs:
            for one in self._curves(k):
                f = one.curve.feature
                grid = curve_grid(tree, f, input_range(tree, f, self.rows, "standard_errors"), N_POINTS)
                rows = np.full((len(grid), tree.n_features), np.nan)
                rows[:, f] = grid
                phi = expand(tree.basis, rows)
                values = one.curve.value(tree, phi, k) - one.mean
                found = _of_curve(errors, one, one.curve.columns(tree, rows, phi, k) - one.columns)
                for x, value, error in zip(grid.tolist(), values.tolist(), found.tolist(), strict=True):
                    where = tree.schema.features[f], x, spell_value(tree.schema, f, x)
                    yield one.node, what, *where, *_with_ends(value, error, one.rows)

    @computed_once
    def arrives(self) -> Floats:
        """Weight of each row in each response."""
        return np.asarray(self.weight[:, None] * self.form.part(self.rows))

    @computed_once
    def phi(self) -> Floats:
        """The columns of the tree's basis."""
        return expand(self.tree.basis, self.rows)

    def _curves(self, output: int) -> Iterator[_InNode]:
        """The curves of every linear response, in the order of the nodes."""
        tree, form = self.tree, self.form
        for place, m in enumerate(form.node.tolist()):
            here = self.arrives[:, place]
            rows = float(here.sum())
            share = here / rows if rows > 0 else here
            for i, curve in enumerate(form.curves):
                if curve.slope_row == tree.slope_row[m]:
                    columns = curve.columns(tree, self.rows, self.phi, output)
                    value, means = curve.value(tree, self.phi, output), share @ columns
                    mean = float(share @ value)
                    size = float(np.sqrt(share @ np.square(value - mean)))
                    direction = (share * (value - mean)) @ (columns - means) / (size or 1.0)
                    yield _InNode(m, i, curve, rows, means, mean, size, direction)


def _of_curve(errors: OutputErrors, one: _InNode, columns: Floats) -> Floats:
    """Standard errors of sums of the columns of one curve."""
    whole = np.zeros((len(columns), len(errors.form)))
    whole[:, one.curve.begin : one.curve.end] = columns
    return errors.of_sums(whole)


def _with_ends(value: float, error: float, rows: float) -> tuple[float, float, float, float]:
    """Value, error and the ends of a 95 % interval; NaN if too few rows arrive."""
    error = error if rows >= LEAST_ROWS else np.nan
    return value, error, value - SIDE * error, value + SIDE * error
