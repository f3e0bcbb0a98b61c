"""`curves`: the curve of every input, in gates, in leaves and in the whole tree.

gate    linear: what the input adds to the score; of one input: the share of the first child
leaf    linear: what the input adds to an output
whole   the output as the input varies and the others are fixed: the mean over rows (partial dependence, Friedman 2001),
and the range of the middle 90 % of the rows
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from softwood.arrays import Floats
from softwood.explain.frames import as_frame
from softwood.explain.ranges import InputRange, cuts_of, input_range, knots_of, used_inputs
from softwood.explain.rows import choose, make_background, open_model, read_rows, some_rows
from softwood.explain.words import find_input, spell_value
from softwood.kernels.formulas.equation import expand, shares
from softwood.tree import Kind, Tree
from softwood.tree.node_numbers import output_names
from softwood.tree.views import ConstantGate, LinearGate, LinearResponse

SCALES = ("output", "answer")
TAIL = 0.05  # proportion of rows on either side of the range


class Point(NamedTuple):
    """One line of the table."""

    input: str
    where: str
    node: int
    what: str
    x: float
    label: str
    value: float
    low: float
    high: float


def curves(
    model: Any,
    X: Any = None,
    *,
    sample_weight: Any = None,
    inputs: Sequence[str] | None = None,
    n_points: int = 40,
    n_rows: int = 1000,
    scale: str = "output",
    random_state: int = 0,
) -> Any:
    """Compute the curves of a tree as one table.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one.
    X : rows, as for `predict`, over which the curve of the whole tree is averaged. None: the curve of one typical row
        (medians and most common levels of the training rows), without a range.
    sample_weight : weights of the rows of X; a row of weight two counts as two rows.
    inputs : names; None: all that the tree uses.
    n_points : number of evenly spaced points over the range of a number; knots and thresholds are added.
    n_rows : maximum number of rows, drawn by weight.
    scale : unit of the whole tree: "output" (before the link: log odds, scores) or "answer" (probabilities).
    random_state : seed of the draw of rows, an integer.

    Returns
    -------
    A pandas DataFrame (a dict of arrays if pandas is not installed) with one row per point: `input`; `where` ("gate",
    "leaf" or "whole"); `node` (-1 for the whole tree); `what`, the quantity ("score", "share of node 1", an output);
    `x`, the value as a number (a category's code, NaN for missing) and `label`, the same as text; `value`; `low` and
    `high`, the range of the middle 90 % of the rows (NaN in gates and leaves, where all rows agree).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from softwood import SoftTreeRegressor
    >>> data = load_diabetes(as_frame=True)
    >>> model = SoftTreeRegressor(max_leaves=1, random_state=0).fit(data.data, data.target)
    >>> table = curves(model, data.data, inputs=["bmi"])
    >>> sorted(set(table["where"]))
    ['leaf', 'whole']
    """
    _check(n_points, n_rows, scale)
    tree = open_model(model, "curves")
    rows = None if X is None else some_rows(read_rows(model, X), "X")
    chosen = _chosen(tree, inputs)
    known = {f: input_range(tree, f, rows, "curves") for f in used_inputs(tree) if rows is None or f in chosen}
    weight = np.ones(1)
    if rows is None:
        asked = np.full(tree.n_features, np.nan)
        asked[list(known)] = [where.typical for where in known.values()]
        rows = asked[None]
    else:
        drawn = choose(make_background(rows, sample_weight), n_rows, random_state)
        rows, weight = drawn.rows, drawn.weight
    points: list[Point] = []
    for f in chosen:
        where = known[f] if f in known else input_range(tree, f, rows, "curves")
        grid = curve_grid(tree, f, where, n_points)
        points += [
            *_of_gates(tree, f, grid),
            *_of_leaves(tree, f, grid),
            *_of_whole(tree, f, grid, rows, weight, scale),
        ]
    return as_frame({name: [getattr(point, name) for point in points] for name in Point._fields})


def _check(n_points: int, n_rows: int, scale: str) -> None:
    if scale not in SCALES:
        raise ValueError(f"scale must be 'output' or 'answer', got {scale!r}.")
    for name, value, least in (("n_points", n_points, 2), ("n_rows", n_rows, 1)):
        if not isinstance(value, int | np.integer) or value < least:
            raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}.")


def _chosen(tree: Tree, inputs: Sequence[str] | None) -> list[int]:
    if inputs is None:
        return used_inputs(tree, surrogates=False)
    return [find_input(tree, name) for name in ([inputs] if isinstance(inputs, str) else inputs)]


def curve_grid(tree: Tree, feature: int, where: InputRange, n_points: int) -> Floats:
    """Values of an input to evaluate, ascending, missing last."""
    if where.n_levels:
        values = np.arange(where.n_levels, dtype=np.float64)
    elif tree.schema.kinds[feature] == Kind.BOOLEAN:
        values = np.array([0.0, 1.0])
    elif np.isnan(where.low):
        values = np.zeros(0)
    else:
        even = np.linspace(where.low, where.high, n_points)
        cuts = np.array(cuts_of(tree, feature))
        bends = [*knots_of(tree, feature), *cuts, *np.nextafter(cuts, np.inf)]  # both sides of a step
        inside = [value for value in bends if where.low < value < where.high]
        values = np.unique(np.concatenate([even, inside]))
    return np.append(values, np.nan) if where.has_missing or not len(values) else values


def _points(tree: Tree, feature: int, where: str, node: int, what: str, grid: Floats, value: Floats) -> Iterator[Point]:
    """Lines of one curve; `value` is (points,) or (points, 3) with low and high."""
    name = tree.schema.features[feature]
    ends = np.full((len(grid), 2), np.nan)
    table = np.column_stack([value, ends]) if value.ndim == 1 else value
    for x, (mean, low, high) in zip(grid.tolist(), table.tolist(), strict=True):
        yield Point(name, where, node, what, x, spell_value(tree.schema, feature, x), mean, low, high)


def _of_gates(tree: Tree, feature: int, grid: Floats) -> Iterator[Point]:
    rows = np.full((len(grid), tree.n_features), np.nan)
    rows[:, feature] = grid
    for m in np.flatnonzero(tree.n_children).tolist():
        gate = tree.gate(m)
        if isinstance(gate, LinearGate):
            if feature in gate.features:
                yield from _points(tree, feature, "gate", m, "score", grid, tree.curve(m, feature)(grid))
        elif gate is not None and not isinstance(gate, ConstantGate) and gate.feature == feature:
            share = shares(tree, m, rows, expand(tree.basis, rows))[:, 0]
            yield from _points(tree, feature, "gate", m, f"share of node {tree.first_child[m]}", grid, share)


def _of_leaves(tree: Tree, feature: int, grid: Floats) -> Iterator[Point]:
    names = output_names(tree)
    for p in np.flatnonzero(tree.leafness).tolist():
        response = tree.response_at(p)
        if isinstance(response, LinearResponse) and feature in response.features:
            for k, name in enumerate(names):
                yield from _points(tree, feature, "leaf", p, name, grid, tree.curve(p, feature, k)(grid))


def _of_whole(tree: Tree, feature: int, grid: Floats, rows: Floats, weight: Floats, scale: str) -> Iterator[Point]:
    """The mean over rows as the input varies, and the range."""
    said = []
    for x in grid:
        moved = rows.copy()
        moved[:, feature] = x
        said.append(tree.output(moved) if scale == "output" else tree.predict(moved))
    table = np.array(said)  # (points, rows, outputs)
    names = output_names(tree)
    if scale == "answer" and tree.schema.task == "classification":
        names = tuple(f"probability of {answer}" for answer in tree.schema.answers)
    for k, name in enumerate(names):
        mean = table[:, :, k] @ weight
        ends = _ends(table[:, :, k], weight) if len(weight) > 1 else np.full((len(grid), 2), np.nan)
        yield from _points(tree, feature, "whole", -1, name, grid, np.column_stack([mean, ends]))


def _ends(table: Floats, weight: Floats) -> Floats:
    """Weighted quantiles of every line of a table: 5% and 95%."""
    order = np.argsort(table, axis=1, kind="stable")
    below = np.cumsum(weight[order], axis=1)
    found = []
    for p in (TAIL, 1.0 - TAIL):
        at = np.argmax(below >= p * below[:, -1:], axis=1)
        found.append(np.take_along_axis(table, np.take_along_axis(order, at[:, None], 1), 1)[:, 0])
    return np.stack(found, axis=1)
