"""What a softened tree says of its rows: ramps send them other ways than steps did, so they are counted anew."""

from __future__ import annotations

import numpy as np

from softwood.learners.softening.gates import SoftRows
from softwood.parts.folds import hash_rows
from softwood.tree import Tree
from softwood.tree.effect import mean_answers

MOST_CELLS = 4_000_000  # of a table of rows and nodes
ENOUGH_ROWS = 5_000  # to tell mean answers by


def with_arrivals(tree: Tree, rows: SoftRows) -> Tree:
    """The tree with the count and the mean answer of the rows that arrive at every node.

    Impurities and gains stay those of the tree it was made from: they say what its thresholds were chosen by.
    """
    if tree.is_hard:
        return tree
    rows = _in_order(rows.living())
    step = max(1, MOST_CELLS // tree.n_nodes)
    count = np.zeros(tree.n_nodes)
    for start in range(0, len(rows.X), step):
        part = slice(start, start + step)
        count += (tree.reach(rows.X[part]) * rows.weight[part, None]).sum(axis=0)
    some = slice(min(ENOUGH_ROWS, step))
    reach = tree.reach(rows.X[some]) * rows.weight[some, None]
    return tree.replace(count=count, mean=mean_answers(tree, rows.X[some], reach))


def _in_order(rows: SoftRows) -> SoftRows:
    """Equal rows merged, in the order of their content, so that sums depend on neither order nor copies."""
    number = hash_rows(rows.X, rows.y.reshape(len(rows.y), -1).astype(np.float64), 0)
    order = np.argsort(number, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(number[order]) != 0))
    at = order[first]
    return SoftRows(rows.X[at], rows.y[at], np.add.reduceat(rows.weight[order], first))
