"""From a tree and its rows to the annealer's problem: units of the widths, and shares independent of the widths.

The unit of a width is the distance from the threshold to the edge of the node's box: the box of the root spans the
training values of every feature, and a threshold cuts it in two.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.contracts.anneal import AnnealProblem
from softwood.learners.softening.gates import SofteningRows, can_soften, gate_shares
from softwood.tree import Tree

ALPHA = 4.0  # of the exponential error, as in the paper


def make_problem(tree: Tree, rows: SofteningRows, alpha: float = ALPHA) -> AnnealProblem:
    """The problem of softening a tree on rows."""
    softens = can_soften(tree)
    fixed_begin, fixed, size = np.full(tree.n_nodes, -1, np.int64), [np.zeros(0)], 0
    missing_row: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    missing_share, missing_begin = [np.zeros(0)], np.zeros(tree.n_nodes + 1, np.int64)
    for node in range(tree.n_nodes):
        missing_row.append(np.zeros(0, np.int64))
        if softens[node]:
            missing_row[-1] = np.flatnonzero(np.isnan(rows.X[:, tree.feature[node]]))
            missing_share.append(gate_shares(tree, node, rows.X[missing_row[-1]])[:, 0])
        elif tree.n_children[node]:
            fixed_begin[node] = size
            fixed.append(gate_shares(tree, node, rows.X).ravel())
            size += len(fixed[-1])
        missing_begin[node + 1] = missing_begin[node] + len(missing_row[-1])
    classes = rows.is_classes
    return AnnealProblem(
        first_child=tree.first_child,
        n_children=tree.n_children,
        feature=tree.feature,
        threshold=tree.threshold,
        response=tree.response,
        softens=softens.astype(np.uint8),
        scale=box_units(tree, rows.X, softens),
        fixed_begin=fixed_begin,
        fixed=np.concatenate(fixed),
        missing_begin=missing_begin,
        missing_row=np.concatenate(missing_row).astype(np.int32),
        missing_share=np.concatenate(missing_share),
        X=np.asfortranarray(rows.X),  # gates read single columns
        code=np.ascontiguousarray(rows.y, np.int32) if classes else np.zeros(0, np.int32),
        y=np.zeros((0, 1)) if classes else np.ascontiguousarray(rows.y, np.float64),
        weight=np.ascontiguousarray(rows.weight, np.float64),
        alpha=alpha,
    )


def within_range(problem: AnnealProblem, threshold: Floats, theta: Floats) -> Floats:
    """Widths (nodes, 2) in the problem's units, so that no ramp ends beyond the training values of its input.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.0]] * 3, schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[1, 0, 0], feature=[0, -1, -1], threshold=[2.0, np.nan, np.nan])
    >>> rows = SofteningRows(np.array([[0.0], [10.0]]), np.zeros((2, 1)), np.ones(2))
    >>> within_range(make_problem(stump, rows), stump.threshold, np.full((3, 2), 1.5))[0]
    array([1., 1.])
    """
    known = ~np.isnan(problem.X)
    low, high = (np.where(known, problem.X, end) for end in (np.inf, -np.inf))
    low, high = low.min(axis=0, initial=np.inf), high.max(axis=0, initial=-np.inf)
    room = np.stack([threshold - low[problem.feature], high[problem.feature] - threshold], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        most = np.where(problem.scale > 0, room / problem.scale, 0.0)
    inside = np.minimum(theta, np.maximum(np.where(np.isfinite(most), most, 0.0), 0.0))
    return np.where(problem.softens[:, None] > 0, inside, theta)


def box_units(tree: Tree, X: Floats, softens: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
    """Per gate the distances from its threshold down and up to the edges of its box, (nodes, 2).

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> nan = np.nan
    >>> chain = Tree(
    ...     response=[[0.0]] * 5, schema=Schema.plain(1, 1), first_child=[1, -1, 3, -1, -1], n_children=[2, 0, 2, 0, 0],
    ...     score=[1, 0, 1, 0, 0], feature=[0, -1, 0, -1, -1], threshold=[2.0, nan, 6.0, nan, nan])
    >>> box_units(chain, np.array([[0.0], [10.0]]), can_soften(chain))[[0, 2]]
    array([[2., 8.],
           [4., 4.]])
    """
    known = ~np.isnan(X)
    low, high = np.where(known, X, np.inf).min(axis=0), np.where(known, X, -np.inf).max(axis=0)
    boxes, unit = {0: (low, high)}, np.zeros((tree.n_nodes, 2))
    for node in map(int, np.flatnonzero(tree.n_children)):
        low, high = boxes.pop(node)
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        boxes.update(dict.fromkeys(tree.children(node), (low, high)))
        if not softens[node]:
            continue
        unit[node] = np.maximum([threshold - low[feature], high[feature] - threshold], 0.0)
        first, second = tree.children(node)
        boxes[first] = low, np.where(np.arange(len(high)) == feature, threshold, high)
        boxes[second] = np.where(np.arange(len(low)) == feature, threshold, low), high
    return np.where(np.isfinite(unit), unit, 0.0)
