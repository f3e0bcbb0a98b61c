"""A tree, given its gates, as a linear function: a column for each response, and columns for each curve.

    output = sum over nodes of part * (response + linear),   part = reach * leafness

A response is a column of parts, a slope a column of parts times its term. A curve of hinges is a line, and a ramp from
0 to 1 for each segment between two knots, whose coefficient is the rise in this segment beside that of the line; a
category has a column for each level. Responses that share their slopes share these columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.formulas.equation import expand
from softwood.kernels.kinds import Term
from softwood.tree import Tree

MAX_COLUMNS = 1_000  # with more, shapes are taken as given: each curve is one column, or each linear sum


NOTHING: Index = np.zeros(0, np.intp)


@dataclass(frozen=True)
class Curve:
    """What one input (`feature`; -1: all) adds to the responses that share a row of slopes.

    term : all its terms in the tree's basis.  loose : those that are columns themselves.
    knot : the ends of the segments, if it has hinges.  middle : stands for a missing number.
    is_free : whether nothing is assumed about its coefficients: it has no hinges and no levels, or is_given.
    is_given : whether it is one column, its shape in the tree.  begin : its first column.
    """

    slope_row: int
    feature: int
    term: Index
    loose: Index
    knot: Floats
    middle: float = np.nan
    is_free: bool = False
    is_given: bool = False
    begin: int = 0

    @classmethod
    def of(cls, tree: Tree, slope_row: int, feature: int, x: Floats) -> Curve:
        """The curve; `x` are values of its input: they say where the outermost segments end."""
        basis = tree.basis
        term = np.flatnonzero((basis.feature == feature) & np.any(tree.slope[slope_row] != 0, axis=1))
        hinge, line = (term[basis.term[term] == kind] for kind in (Term.HINGE, Term.IDENTITY))
        if not len(hinge) or np.isnan(x).all():
            is_free = not np.isin(basis.term[term], (Term.HINGE, Term.CATEGORY)).any()
            return cls(slope_row, feature, term, term, np.zeros(0), is_free=is_free)
        ends = [np.nanmin(x), np.nanmax(x)] if len(line) else [np.nanmax(x)]
        knot = basis.parameter[hinge]
        middle = basis.when_missing[line[0]] if len(line) else np.max(knot + basis.when_missing[hinge])
        loose = np.setdiff1d(term, np.concatenate([hinge, line]))
        return cls(slope_row, feature, term, loose, np.union1d(knot, ends), float(middle))

    @classmethod
    def of_sum(cls, tree: Tree, slope_row: int) -> Curve:
        """All inputs together, their shapes as given."""
        return cls(slope_row, -1, np.arange(len(tree.basis)), NOTHING, np.zeros(0), is_free=True, is_given=True)

    def as_given(self) -> Curve:
        """The same with one column for its shape."""
        return replace(self, is_given=True, is_free=True)

    def __len__(self) -> int:
        return 1 if self.is_given else len(self.knot) + len(self.loose)

    @property
    def n_free(self) -> int:
        """Columns, the first ones, about whose coefficients nothing is assumed."""
        return len(self) if self.is_free else min(len(self.knot), 1)

    @property
    def end(self) -> int:
        """The column after its last one."""
        return self.begin + len(self)

    def value(self, tree: Tree, phi: Floats, output: int) -> Floats:
        """What it adds to an output of each row; `phi` are the columns of the tree's basis."""
        return np.asarray(phi[:, self.term] @ tree.slope[self.slope_row, self.term, output])

    def coefficients(self, tree: Tree, output: int) -> Floats:
        """Those of the tree, of the columns that are not free: rises in the segments, slopes of levels."""
        slope = tree.slope[self.slope_row, :, output]
        rows = np.full((len(self.knot), tree.n_features), np.nan)
        rows[:, self.feature] = self.knot
        bent = np.setdiff1d(self.term, self.loose)
        return np.concatenate([np.diff(expand(tree.basis, rows)[:, bent] @ slope[bent]), slope[self.loose]])

    def columns(self, tree: Tree, rows: Floats, phi: Floats, output: int) -> Floats:
        """Its columns without the parts."""
        if self.is_given:
            return self.value(tree, phi, output)[:, None]
        if not len(self.knot):
            return phi[:, self.loose]
        x = rows[:, self.feature]
        known = np.where(np.isnan(x), self.middle, x)[:, None]
        begin, end = np.append(self.knot[0], self.knot[:-1]), np.append(self.knot[-1], self.knot[1:])
        ramps = np.clip((known - begin) / (end - begin), 0.0, 1.0)  # the first one is the line
        return np.concatenate([ramps, phi[:, self.loose]], axis=1)


@dataclass(frozen=True)
class LinearForm:
    """The columns of a tree: one for each `node` with a response, then those of the curves."""

    tree: Tree
    node: Index
    curves: tuple[Curve, ...]

    @classmethod
    def of(cls, tree: Tree, rows: Floats, by_input: bool = False) -> LinearForm:
        """The columns; ranges of the inputs are those of the rows. `by_input` : whether each needs its own columns."""
        node = np.flatnonzero(tree.leafness > 0)
        slope_rows = np.unique(tree.slope_row[node][tree.slope_row[node] >= 0]).tolist()
        curves = []
        for slope_row in slope_rows:
            used = np.unique(tree.basis.feature[np.any(tree.slope[slope_row] != 0, axis=1)])
            curves += [Curve.of(tree, slope_row, f, rows[:, f]) for f in used.tolist()]
        if len(node) + sum(map(len, curves)) > MAX_COLUMNS:
            sums = [Curve.of_sum(tree, slope_row) for slope_row in slope_rows]
            curves = [one.as_given() for one in curves] if by_input else sums
        begin = len(node) + np.cumsum([0, *map(len, curves)])
        return cls(tree, node, tuple(replace(one, begin=at) for one, at in zip(curves, begin.tolist(), strict=False)))

    def __len__(self) -> int:
        return self.curves[-1].end if self.curves else len(self.node)

    def part(self, rows: Floats) -> Floats:
        """The parts of the nodes, (rows, nodes)."""
        return np.asarray(self.tree.reach(rows)[:, self.node] * self.tree.leafness[self.node])

    def columns(self, rows: Floats, output: int) -> Floats:
        """All columns of these rows."""
        part, phi = self.part(rows), expand(self.tree.basis, rows)
        found = [part]
        for curve in self.curves:
            where = part[:, self.tree.slope_row[self.node] == curve.slope_row].sum(axis=1, keepdims=True)
            found.append(where * curve.columns(self.tree, rows, phi, output))
        return np.concatenate(found, axis=1)
