"""Statistics of a softened tree: ramps send rows differently than steps, so they are recomputed."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import matmul
from softwood.kernels.formulas.equation import expand
from softwood.learners.softening.gates import SofteningRows
from softwood.parts.folds import merge_equal_rows
from softwood.tree import Tree
from softwood.tree.arrived import mean_of_sums
from softwood.tree.effect import mean_answers

MAX_CELLS = 4_000_000  # of a table of rows and nodes
MEAN_ANSWER_ROWS = 5_000  # for mean predictions


def with_arrivals(tree: Tree, rows: SofteningRows) -> Tree:
    """The tree with the count, the mean target and the mean prediction of the rows that arrive at every node.

    Impurities and gains are still those of the hard tree, by which its thresholds were chosen.
    """
    if tree.is_hard:
        return tree
    at, weight = merge_equal_rows(rows.X, rows.y, rows.weight)
    X = rows.X[at]
    step = max(1, MAX_CELLS // tree.n_nodes)
    target = _targets(tree, rows)[at]
    count, middle = np.zeros(tree.n_nodes), target.mean(axis=0)
    total, size = np.zeros((tree.n_nodes, target.shape[1])), float(np.abs(target - middle).max(initial=0.0)) or 1.0
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        reach = tree.reach(X[part]) * weight[part, None]
        count += reach.sum(axis=0)
        total += matmul(reach.T, (target[part] - middle) / size)
    some = slice(min(MEAN_ANSWER_ROWS, step))
    reach = tree.reach(X[some]) * weight[some, None]
    arrived = mean_of_sums(total * size, count, middle, tree.parent)
    return tree.replace(count=count, mean=mean_answers(tree, expand(tree.basis, X[some]), reach), arrived=arrived)


def _targets(tree: Tree, rows: SofteningRows) -> Floats:
    """Numbers, or one column per class."""
    if not rows.is_classes:
        return rows.y.astype(np.float64)
    return np.asarray(rows.y[:, None] == np.arange(tree.n_answers), np.float64)
