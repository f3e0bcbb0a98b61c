"""The nested sequence of cost-complexity pruned trees, and the cost of each.

    R_alpha(T) = R(T) + alpha * leaves(T)

`collapse[t]` is the alpha from which branch t is a leaf (or gone). So node t is a leaf of the tree for alpha as long as

    collapse[t] <= alpha < collapse[parent of t]

and any sum over leaves, for all trees of the sequence at once, is one pass over the nodes: each adds its number at the
start of its range of alphas and subtracts it at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from softwood import kernels
from softwood.arrays import Floats, Longs
from softwood.kernels.kinds import Missing
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.hard.problem import Problem
from softwood.parts.held_out import HeldOutRows
from softwood.tree import Tree
from softwood.tree.frozen import freeze, restore
from softwood.tree.once import computed_once

SAME_ALPHA = 1e-9  # alphas closer than this (relative) are one: rounding, not order
MAX_REACH_NUMBERS = 10_000_000  # of reach that are held at once
MAX_ANSWERS_AT_ONCE = 1_000_000  # numbers
SPARSE_FROM = 16  # classes from which most answers are 0


@dataclass(frozen=True)
class PruningSequence:
    """Trees from the largest (alpha 0) to the root alone; computed on first access.

    tree : the unpruned one.
    risk : per node, R(t).
    error : per node, its contribution to the training error if it were a leaf.
    """

    tree: Tree
    risk: Floats
    error: Floats

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Tree):
            raise TypeError(f"tree must be a Tree, got {type(self.tree).__name__}.")
        freeze(self, "risk", np.float64)
        freeze(self, "error", np.float64)
        for name in ("risk", "error"):
            shape, want = getattr(self, name).shape, (self.tree.n_nodes,)
            if shape != want:
                raise ValueError(f"{name} must have an entry for each of {want[0]} nodes, got shape {shape}.")

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields: the rest is recomputed when needed."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    def with_tree(self, tree: Tree) -> PruningSequence:
        """The same sequence for a tree that differs only in its surrogates or responses."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), tree=tree)  # with all cached values
        return other

    @classmethod
    def of(cls, tree: Tree, problem: Problem) -> PruningSequence:
        """Prune the tree by its training risk."""
        weight = node_weight(tree, problem)
        return cls(tree, node_risk(tree, problem, weight), weight / weight[0] * node_error(tree, problem))

    @computed_once
    def collapse(self) -> Floats:
        """Per node of the unpruned tree, the alpha from which it is not a branch; -inf for its leaves."""
        return kernels.collapse_alphas(self.tree.parent, self.risk)

    @computed_once
    def alpha(self) -> Floats:
        """Increasing; step k is the smallest tree that is best for alpha[k]."""
        found = np.unique(np.maximum(self.collapse[self.tree.n_children > 0], 0.0))
        apart = np.ones(len(found), np.bool_)
        apart[1:] = np.diff(found) > SAME_ALPHA * found[1:]
        alpha = found[np.append(apart[1:], True)] if len(found) else found  # on ties the largest
        return alpha if len(alpha) and alpha[0] == 0.0 else np.append(0.0, alpha)

    def sum_leaves(self, number: Floats, alpha: Floats | None = None) -> Floats:
        """Sum of a number per node over the leaves of the tree for each alpha."""
        begin = self._begin if alpha is None else np.searchsorted(alpha, self.collapse)
        alpha = self.alpha if alpha is None else alpha
        end = np.append(len(alpha), begin[self.tree.parent[1:]])  # the root is never cut away
        change = np.zeros(len(alpha) + 1)
        lasts = begin < end
        np.add.at(change, begin[lasts], number[lasts])
        np.subtract.at(change, end[lasts], number[lasts])
        return np.cumsum(change[:-1])

    @computed_once
    def _begin(self) -> Longs:
        """The step from which each node is a leaf or gone."""
        return np.searchsorted(self.alpha, self.collapse)

    def n_leaves(self) -> Floats:
        """Leaves of every tree of the sequence."""
        return self.sum_leaves(np.ones(self.tree.n_nodes))

    def between(self) -> Floats:
        """Geometric means of neighbouring alphas, which represent each step in another tree's sequence."""
        return np.append(np.sqrt(self.alpha[:-1] * self.alpha[1:]), np.inf)

    def is_leaf(self, alpha: float) -> npt.NDArray[np.bool_]:
        """The nodes of the unpruned tree that are collapsed at this alpha."""
        return self.collapse <= alpha


def node_weight(tree: Tree, problem: Problem) -> Floats:
    """Training weight of every node, class weights and priors included."""
    if not problem.is_classes:
        return tree.count
    return np.asarray(tree.count / _each_node(tree, lambda answer: (answer / problem.factor).sum(axis=1)))


def node_error(tree: Tree, problem: Problem) -> Floats:
    """Mean training error of every node as a leaf: cost of its class, or impurity."""
    if not problem.is_classes:
        return tree.impurity
    wrong = 1.0 - np.eye(problem.n_classes) if problem.costs is None else problem.costs
    return _each_node(tree, lambda answer: (answer * wrong[:, problem.decide(answer)].T).sum(axis=1))


def node_risk(tree: Tree, problem: Problem, weight: Floats) -> Floats:
    """R(t): the node's contribution to the total impurity if it were a leaf, as in scikit-learn.

    The book and rpart prune classes by error instead. On the papers' classification sets the two were level (the choice
    among the trees is by error either way), and impurity gives every tree one scale of alpha.
    """
    if problem.is_classes:
        factor, split_factor = problem.factor, problem.split_factor
        weight = weight * _each_node(tree, lambda answer: (answer / factor * split_factor).sum(axis=1))
    return np.asarray(weight / weight[0] * tree.impurity)


def _each_node(tree: Tree, work: Callable[[Floats], Floats]) -> Floats:
    """A number from every node's responses, some nodes at a time: with many classes these are a large table."""
    step = max(2, MAX_ANSWERS_AT_ONCE // tree.n_outputs)
    return np.concatenate([work(tree.response[at : at + step]) for at in range(0, tree.n_nodes, step)])


def path_losses(tree: Tree, rows: Problem, less: Floats | None = None) -> tuple[Floats, Floats]:
    """Per node: sum of weighted losses, and of their squares, of the rows that pass it, if it were a leaf.

    Rows split by a missing value count at each node by their reach. `less` is subtracted from each row's loss.
    """
    weight, n = rows.row_weight(), tree.n_nodes
    total, squares = np.zeros(n), np.zeros(n)
    for row, node, reach, step in _joined_visits(tree, rows.X):
        loss = rows.loss(tree.response[node], row)
        loss = loss if less is None else loss - less[row]
        part, at, size = weight[row] * reach * loss, step * n + node, n * (int(step[-1]) + 1)
        for sums, added in ((total, part), (squares, part * loss)):
            for once in np.bincount(at, added, size).reshape(-1, n):
                sums += once
    return total, squares


def _goes_in_parts(tree: Tree) -> bool:
    """Whether a missing value splits a row."""
    return bool(np.any(tree.missing == Missing.FRACTION))


def _visits(tree: Tree, X: Floats | SparseTable) -> Iterator[tuple[Longs, Longs, Floats]]:
    """Batches of (row, node, reach) with every node on the path of every row; the first has the last nodes, unless rows
    are split.
    """
    if _goes_in_parts(tree):
        step = max(1, MAX_REACH_NUMBERS // tree.n_nodes)
        for start in range(0, len(X), step):
            reach = tree.reach(X[start : start + step])
            row, node = np.nonzero(reach)
            yield row + start, node, reach[row, node]
        return
    row, node = np.arange(len(X)), tree.apply(X).astype(np.int64)
    while len(row):
        yield row, node, np.ones(len(row))
        inner = node > 0
        row, node = row[inner], tree.parent[node[inner]].astype(np.int64)


def _joined_visits(tree: Tree, X: Floats | SparseTable) -> Iterator[tuple[Longs, Longs, Floats, Longs]]:
    """Batches of `_visits`, joined while they have few distinct responses, with the index of each response."""
    held: list[tuple[Longs, Longs, Floats]] = []
    visits = 0
    for batch in _visits(tree, X):
        visits += len(batch[0])
        held.append(batch)
        if visits * tree.n_outputs > MAX_ANSWERS_AT_ONCE or len(held) * tree.n_nodes > MAX_ANSWERS_AT_ONCE:
            yield _join(held)
            held, visits = [], 0
    if visits:
        yield _join(held)


def _join(batches: list[tuple[Longs, Longs, Floats]]) -> tuple[Longs, Longs, Floats, Longs]:
    row, node, reach = (np.concatenate(part) for part in zip(*batches, strict=True))
    return row, node, reach, np.repeat(np.arange(len(batches)), [len(one) for one, _, _ in batches])


@dataclass(frozen=True)
class PathAnswers:
    """Rows with the responses of all nodes on their paths, for the predictions of each tree of the sequence.

    answers : of the visited nodes; with many classes a sparse matrix, since deep nodes have few of them.
    parent : of each of these nodes, as an index among them; the root is its own parent.
    collapse : of each, the alpha from which it is not a branch.
    row, place, reach : for every visit of a row to a node, the row, the index of the node in `answers`, and the share
        of the row that arrives. If no row is split, only the last node of each: a tree may be thousands of levels deep.
    in_parts : whether some row may be split.
    """

    rows: Problem
    answers: Any
    parent: Longs
    collapse: Floats
    row: Longs
    place: Longs
    reach: Floats
    in_parts: bool

    @classmethod
    def of(cls, sequence: PruningSequence, rows: Problem, answers: Floats) -> PathAnswers:
        """For rows that the tree of the sequence has not seen; `answers` are those of its nodes."""
        tree, in_parts = sequence.tree, _goes_in_parts(sequence.tree)
        visits = _visits(tree, rows.X)
        ends = list(visits) if in_parts else [next(visits)]
        row, node, reach = (np.concatenate(part) for part in zip(*ends, strict=True))
        visited = _with_ancestors(node, tree.parent)
        place = np.searchsorted(visited, node)
        parent = np.searchsorted(visited, np.maximum(tree.parent[visited], 0))
        known = answers[visited] if answers.shape[1] < SPARSE_FROM else csr_array(answers[visited])
        return cls(rows, known, parent, sequence.collapse[visited], row, place, reach, in_parts)

    def at(self, alpha: float) -> HeldOutRows:
        """The predictions of the tree for this alpha."""
        end = self.collapse[self.parent]
        end[0] = np.nan  # the root is never cut away
        leaf = (self.collapse <= alpha) & ~(end <= alpha)
        row, place, reach = self.row, self.place, self.reach
        if self.in_parts:
            keep = leaf[place]
            row, place, reach = row[keep], place[keep], reach[keep]
        while not leaf[place].all():
            place = np.where(leaf[place], place, self.parent[place])
        answer, known = np.zeros((len(self.rows.X), self.answers.shape[1])), self.answers[place]
        np.add.at(answer, row, reach[:, None] * (known if isinstance(known, np.ndarray) else known.toarray()))
        return HeldOutRows(self.rows.X, self.rows.y, answer, self.rows.weight, self.rows.group)


def _with_ancestors(node: Longs, parent: npt.NDArray[np.int32]) -> Longs:
    """The nodes and all above them, in increasing order."""
    seen = np.zeros(len(parent), np.bool_)
    while len(node):
        seen[node] = True
        node = parent[node[node > 0]].astype(np.int64)
        node = node[~seen[node]]
    return np.flatnonzero(seen)
