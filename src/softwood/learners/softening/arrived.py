"""What a softened tree says of its rows: ramps send them other ways than steps did, so they are counted anew."""

from __future__ import annotations

import numpy as np

from softwood.learners.softening.gates import SofteningRows
from softwood.parts.folds import merge_equal_rows
from softwood.tree import Tree
from softwood.tree.effect import mean_answers

MAX_CELLS = 4_000_000  # of a table of rows and nodes
MEAN_ANSWER_ROWS = 5_000  # to tell mean answers by


def with_arrivals(tree: Tree, rows: SofteningRows) -> Tree:
    """The tree with the count and the mean answer of the rows that arrive at every node.

    Impurities and gains stay those of the tree it was made from: they say what its thresholds were chosen by.
    """
    if tree.is_hard:
        return tree
    at, weight = merge_equal_rows(rows.X, rows.y, rows.weight)
    X = rows.X[at]
    step = max(1, MAX_CELLS // tree.n_nodes)
    count = np.zeros(tree.n_nodes)
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        count += (tree.reach(X[part]) * weight[part, None]).sum(axis=0)
    some = slice(min(MEAN_ANSWER_ROWS, step))
    reach = tree.reach(X[some]) * weight[some, None]
    return tree.replace(count=count, mean=mean_answers(tree, X[some], reach))
