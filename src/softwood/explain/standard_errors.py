"""Standard errors of the responses of leaves and of the curves of a tree, given its gates.

    output = sum over nodes of part * (response + linear),   part = reach * leafness

Given the gates, that is linear in the responses and in the scale of the linear terms: a regression on the parts and on
parts times linear terms, Z. With slope e (target minus prediction) and curvature c of every row's loss,

    covariance = A⁻¹ B A⁻¹ n / (n - p),   A = Zᵀ c Z,   B = Zᵀ e² Z

the sandwich estimator of Huber (1967) and White (1980), which does not assume equal variances. In a hard tree with
constant leaves it is the standard error of a mean. The uncertainty of the gates and of the shapes of curves is not
included, so errors are underestimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.explain.frames import as_frame
from softwood.explain.rows import open_model, read_rows, some_rows
from softwood.kernels.formulas.equation import apply_link, expand
from softwood.kernels.kinds import Link, Term
from softwood.tree import Tree
from softwood.tree.node_numbers import node_numbers, output_names

SIDE = 1.959963984540054  # normal quantile of a 95 % interval
LEAST_ROWS = 2.0  # minimum number of rows in a leaf for its error
SMALLEST = 1e-10  # relative to the largest singular value; smaller ones are not identified by the rows


@dataclass(frozen=True)
class LeafErrors:
    """Covariances (outputs, columns, columns) of the coefficients in which the output is linear.

    node : of every column: of its response, or (is_linear) of the scale of its linear terms.
    """

    tree: Tree
    node: npt.NDArray[np.intp]
    is_linear: npt.NDArray[np.bool_]
    covariance: Floats

    def of_outputs(self, rows: Floats, output: int) -> Floats:
        """Standard error of the output of every row, before the link."""
        return self.of_sums(columns_of(self.tree, rows, output), output)

    def of_sums(self, columns: Floats, output: int) -> Floats:
        """Standard errors of outputs from their columns, or means of columns."""
        variance = np.einsum("ri,ij,rj->r", columns, self.covariance[output], columns)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def fit_errors(tree: Tree, rows: Floats, target: Floats, weight: Floats) -> LeafErrors:
    """The covariances of a tree, from encoded rows and targets (rows, outputs): numbers, or 1 for the class of an
    output.
    """
    node = np.flatnonzero(tree.leafness > 0)
    linear = np.flatnonzero((tree.leafness > 0) & (tree.slope_row >= 0))
    output = tree.output(rows)
    slope, curvature = _derivatives(tree, output, target)
    covariance = []
    for k in range(tree.n_outputs):
        covariance.append(_sandwich(columns_of(tree, rows, k), weight, slope[:, k], curvature[:, k]))
    kinds = np.repeat([False, True], [len(node), len(linear)])
    return LeafErrors(tree, np.concatenate([node, linear]), kinds, np.array(covariance))


def _sandwich(Z: Floats, weight: Floats, slope: Floats, curvature: Floats) -> Floats:
    """Covariance of the coefficients of columns Z."""
    inverse = np.linalg.pinv(Z.T @ (Z * (weight * curvature)[:, None]), rcond=SMALLEST, hermitian=True)
    score = Z * (np.sqrt(weight) * slope)[:, None]
    free = max(weight.sum() - Z.shape[1], 1.0)
    return np.asarray(inverse @ (score.T @ score) @ inverse * weight.sum() / free)


def columns_of(tree: Tree, rows: Floats, output: int) -> Floats:
    """Parts of the nodes with responses, then parts times linear terms."""
    part = tree.reach(rows) * tree.leafness
    linear = np.flatnonzero((tree.leafness > 0) & (tree.slope_row >= 0))
    found = [part[:, tree.leafness > 0]]
    if len(linear):
        sums = expand(tree.basis, rows) @ tree.slope[tree.slope_row[linear], :, output].T
        found.append(part[:, linear] * sums)
    return np.concatenate(found, axis=1)


def _derivatives(tree: Tree, output: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Target minus prediction, and the derivative of the prediction with respect to the output, (rows, outputs)."""
    if tree.link == Link.IDENTITY:
        return target - output, np.ones_like(output)
    answer = apply_link(int(tree.link), output)[:, -tree.n_outputs :]  # for two classes and one output, the second
    return target - answer, answer if tree.link == Link.LOG else answer * (1.0 - answer)


def read_target(tree: Tree, y: Any) -> Floats:
    """Actual values as targets of the outputs, (rows, outputs)."""
    given = np.asarray(y)
    if tree.schema.task != "classification":
        numbers = given.astype(np.float64).reshape(len(given), -1)
        if numbers.shape[1] != tree.n_outputs:
            raise ValueError(f"y must have {tree.n_outputs} targets, as the tree has, got {numbers.shape[1]}.")
        return numbers
    place: dict[Any, int] = {label: at for at, label in enumerate(tree.schema.answers)}
    unknown = [label for label in given.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y has the label {unknown[0]!r:.60}, which is not one of the tree's classes.")
    return target_of(tree, np.array([place[label] for label in given.tolist()]))


def target_of(tree: Tree, code: npt.NDArray[Any]) -> Floats:
    """Class codes as targets of the outputs, (rows, outputs)."""
    if tree.n_outputs == 1:
        return np.asarray((code == 1).astype(np.float64)[:, None])
    return np.asarray(np.eye(tree.n_outputs)[code])


def standard_errors(model: Any, X: Any, y: Any, *, sample_weight: Any = None, by: str = "node") -> Any:
    """Compute standard errors of every leaf and bud, or of every input in its linear response, given the gates.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one.
    X, y : rows and their actual values: those of `fit`, or preferably new ones.
    sample_weight : weights of the rows; a row of weight two counts as two rows.
    by : "node", or "input": slopes and curves of linear responses.

    Returns
    -------
    A pandas DataFrame (a dict of arrays if pandas is not installed) with one row per node with a response and
    output: `node`, `what` (the output: log odds, score, probability, a number), `rows` (weight that arrives),
    `value` (what the node adds, before the link; for a linear response its mean over the training rows that
    arrive), `error`, and `low` and `high`, the ends of a 95 % interval; NaN if fewer than two rows arrive. Errors
    are robust (Huber, White); they ignore that gates were chosen on the rows. With by="input" one row per input of
    a linear response, with `input` and `kind`: the `value` of a "slope" is the slope; of a "curve" the standard
    deviation of its contribution, given its shape; its band at x is the centred curve × `low` / `value` and ×
    `high` / `value`.

    Examples
    --------
    >>> from softwood import CARTRegressor
    >>> x, y = np.arange(20.0)[:, None], np.repeat([1.0, 5.0], 10) + np.tile([-1.0, 1.0], 10)
    >>> table = standard_errors(CARTRegressor(max_depth=1, prune=None).fit(x, y), x, y)
    >>> table["error"].round(3).tolist()
    [0.333, 0.333]
    """
    tree = open_model(model, "standard_errors")
    rows = some_rows(read_rows(model, X), "X")
    target = read_target(tree, y)
    weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if len(target) != len(rows) or weight.shape != (len(rows),):
        raise ValueError(f"X has {len(rows)} rows, y {len(target)}, sample_weight {weight.size}: they must agree.")
    if by not in ("node", "input"):
        raise ValueError(f"by must be 'node' or 'input', got {by!r}.")
    if by == "input":
        return as_frame(_by_input(tree, rows, target, weight))
    return as_frame(_by_node(tree, rows, fit_errors(tree, rows, target, weight), weight))


def _by_node(tree: Tree, rows: Floats, found: LeafErrors, weight: Floats) -> dict[str, list[Any]]:
    """What every node adds; for a linear response, its mean over the training rows that arrive, as in printed trees."""
    node, linear = found.node[~found.is_linear], found.node[found.is_linear].tolist()
    arrives = weight @ tree.reach(rows)
    adds = node_numbers(tree).adds
    adds = np.where(np.isfinite(adds), adds, tree.response)
    columns: dict[str, list[Any]] = {name: [] for name in ("node", "what", "rows", "value", "error", "low", "high")}
    for k, what in enumerate(output_names(tree)[: tree.n_outputs]):
        means = np.eye(len(node), len(found.node))
        for at, m in enumerate(linear, len(node)):
            means[np.flatnonzero(node == m), at] = _mean_of_sum(tree, m, k)
        error = np.where(arrives[node] < LEAST_ROWS, np.nan, found.of_sums(means, k))
        for m, one in zip(node.tolist(), error.tolist(), strict=True):
            value = float(adds[m, k])
            line = (m, what, float(arrives[m]), value, one, value - SIDE * one, value + SIDE * one)
            for name, cell in zip(columns, line, strict=True):
                columns[name].append(cell)
    return columns


def _mean_of_sum(tree: Tree, node: int, output: int) -> float:
    """Mean of the linear terms of a node over the training rows that arrive; 0 if unknown."""
    return sum(tree.curve(node, feature, output).mean or 0.0 for feature in range(tree.n_features))


def _by_input(tree: Tree, rows: Floats, target: Floats, weight: Floats) -> dict[str, list[Any]]:
    """Slopes and curves of every linear response: each input's terms as one column, whose scale is fitted."""
    phi, part = expand(tree.basis, rows), tree.reach(rows) * tree.leafness
    slope, curvature = _derivatives(tree, tree.output(rows), target)
    keep, linear = np.flatnonzero(tree.leafness > 0), np.flatnonzero((tree.leafness > 0) & (tree.slope_row >= 0))
    names = ("node", "what", "input", "kind", "rows", "value", "error", "low", "high")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for k, what in enumerate(output_names(tree)[: tree.n_outputs]):
        told, Z = [], [part[:, keep]]
        for m in linear.tolist():
            here, factors = weight * part[:, m], tree.slope[tree.slope_row[m], :, k]
            for f in np.unique(tree.basis.feature[factors != 0]).tolist():
                mine = np.flatnonzero((tree.basis.feature == f) & (factors != 0))
                added = phi[:, mine] @ factors[mine]
                added = added - np.average(added, weights=here) if here.sum() > 0 else added
                line = len(mine) == 1 and tree.basis.term[mine[0]] == Term.IDENTITY
                spread = float(np.sqrt(np.average(np.square(added), weights=here))) if here.sum() > 0 else 0.0
                value = float(factors[mine[0]]) if line else spread
                told.append((m, tree.schema.features[f], "slope" if line else "curve", float(here.sum()), value))
                Z.append((part[:, m] * added)[:, None])
        covariance = _sandwich(np.concatenate(Z, axis=1), weight, slope[:, k], curvature[:, k])
        errors = np.sqrt(np.maximum(np.diag(covariance)[len(keep) :], 0.0))
        for (m, name, kind, n, value), relative in zip(told, errors.tolist(), strict=True):
            error = abs(value) * relative if n >= LEAST_ROWS else np.nan
            cells = (m, what, name, kind, n, value, error, value - SIDE * error, value + SIDE * error)
            for column, cell in zip(names, cells, strict=True):
                columns[column].append(cell)
    return columns
