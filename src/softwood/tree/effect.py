"""Statistics of a tree from the rows that arrive: the mean prediction at every node, and the effect of each term on its
sum. The mean prediction of a node is that of its subtree, after the link, over the rows that arrive, weighted by their
reach.

A term w * phi of a linear sum has the effect cov(w phi, s) / sd(s), where s is all that its input adds to the sum: for
an input with one term |w| times the standard deviation of phi; the terms of a curve or of a category add up to sd(s).
The unit of an input does not change it, so terms can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels import apply_link
from softwood.kernels.arithmetic import matmul
from softwood.kernels.kinds import Score
from softwood.tree.tree import Tree

MANY_SUMS = 100  # linear responses times outputs; above this, the effects of slopes are computed from fewer rows:
FEWER_ROWS = 1_000


def mean_answers(tree: Tree, phi: Floats, reach: Floats) -> Floats:
    """Mean answer of every node, (nodes, answers); `phi` has the columns of the basis, `reach` is (rows, nodes), rows
    counted by weight.

    Where nothing arrives, a branch gets the mean of its children, and a leaf the mean over all rows.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[9.0], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> X = np.array([[1.0], [2.0], [3.0], [2.0]])
    >>> mean_answers(stump, np.zeros((4, 0)), stump.reach(X)).ravel()
    array([0.25, 0.  , 1.  ])
    """
    mean = tree.answers.copy()
    below: dict[int, Floats] = {}  # per node: reach times output of its subtree, (rows, outputs)
    along: dict[int, Floats] = {}  # per row of slopes, which leaves may share: what they add, (rows, outputs)
    for m in reversed(range(tree.n_nodes)):
        constant = tree.slope_row[m] < 0
        if tree.n_children[m] == 0 and constant:
            below[m] = reach[:, [m]] * tree.response[m]
            continue
        row = int(tree.slope_row[m])
        if not constant and row not in along:
            along[row] = _along(tree, row, phi)
        own = tree.response[m] if constant else tree.response[m] + along[row]
        below[m] = reach[:, [m]] * (tree.leafness[m] * own)
        for child in tree.children(m):
            below[m] += below.pop(child)
        here = reach[:, m] > 0
        if here.any():
            answer = apply_link(int(tree.link), below[m][here] / reach[here][:, [m]])
            mean[m] = _mean(answer, reach[here, m])
        elif tree.n_children[m]:
            mean[m] = mean[tree.children(m)].mean(axis=0)
        else:
            mean[m] = apply_link(int(tree.link), own).mean(axis=0)
    return mean


def _along(tree: Tree, row: int, phi: Floats) -> Floats:
    """What one row of slopes adds to the outputs, (rows, outputs); column by column, as in the equation.

    If there are many such sums, by a matrix product, which is five times as fast.
    """
    if has_many_sums(tree):
        return np.asarray(matmul(phi, tree.slope[row]))
    added = np.zeros((len(phi), tree.n_outputs))
    for column, slope in enumerate(tree.slope[row]):
        added += phi[:, column, None] * slope
    return added


def weight_effects(tree: Tree, phi: Floats, reach: Floats) -> Floats:
    """Effect of every weight of the linear gates, in the order of `tree.weight`; `phi` has the columns of the basis."""
    gates = np.flatnonzero(tree.score == Score.LINEAR)
    return _gate_effects(tree, phi, gates, _arrived(reach, gates))


def weight_effects_whole(tree: Tree, X: Floats, phi: Floats, weight: Floats) -> Floats:
    """The same for a tree that sends every row along one path, from the weights of the rows, without a table of rows
    and nodes, which is large for thousands of nodes.
    """
    gates = np.flatnonzero(tree.score == Score.LINEAR)
    return _gate_effects(tree, phi, gates, _passed(tree, X, weight, gates))


def _gate_effects(
    tree: Tree, phi: Floats, gates: npt.NDArray[np.intp], arrived: Iterator[tuple[npt.NDArray[np.intp], Floats]]
) -> Floats:
    effect = np.zeros(len(tree.weight))
    for m, (rows, part) in zip(gates, arrived, strict=True):
        at = slice(int(tree.weight_begin[m]), int(tree.weight_begin[m + 1]))
        column = tree.weight_column[at]
        effect[at] = _effects(phi, column, tree.weight[at], tree.basis.feature[column], rows, part)
    return effect


def _arrived(reach: Floats, nodes: npt.NDArray[np.intp]) -> Iterator[tuple[npt.NDArray[np.intp], Floats]]:
    """For every node, the rows that arrive and their proportions; all rows equally if none does.

    In a hard tree, which sends a row to few nodes, they are found for all nodes at once.
    """
    every = np.arange(len(reach)), np.ones(len(reach))
    node, row = np.nonzero((reach > 0).T[nodes])
    ends = np.searchsorted(node, np.arange(len(nodes) + 1))
    for place, m in enumerate(nodes):
        rows = row[ends[place] : ends[place + 1]]
        yield (rows, reach[rows, m]) if len(rows) else every


def _passed(
    tree: Tree, X: Floats, weight: Floats, nodes: npt.NDArray[np.intp]
) -> Iterator[tuple[npt.NDArray[np.intp], Floats]]:
    """The same as `_arrived` for rows that follow one path: for each node, the rows of positive weight that pass it."""
    every = np.arange(len(X)), np.ones(len(X))
    row, node = np.flatnonzero(weight > 0), tree.apply(X)[weight > 0].astype(np.int64)
    visits = []
    while len(row):
        visits.append((row, node))
        row, node = row[node > 0], tree.parent[node[node > 0]].astype(np.int64)
    rows, passed = (np.concatenate(part) for part in zip(*visits, strict=True)) if visits else (every[0], every[0])
    order = np.lexsort((rows, passed))
    rows, ends = rows[order], np.searchsorted(passed[order], np.arange(tree.n_nodes + 1))
    for m in nodes:
        mine = rows[ends[m] : ends[m + 1]]
        yield (mine, weight[mine]) if len(mine) else every


def slope_effects(tree: Tree, phi: Floats, reach: Floats) -> Floats:
    """Effect of every slope of the linear responses, shape of `tree.slope`, over the rows that their nodes keep.

    If there are many responses and outputs (26 classes, one response per leaf), a sample of evenly spaced rows is used.
    """
    effect = np.zeros(tree.slope.shape)
    if has_many_sums(tree):
        step = max(len(phi) // FEWER_ROWS, 1)
        phi, reach = phi[::step], reach[::step]
    every = np.arange(len(tree.basis))
    for row in range(len(tree.slope)):
        nodes = np.flatnonzero(tree.slope_row == row)
        kept = (reach[:, nodes] * tree.leafness[nodes]).sum(axis=1)
        ((rows, part),) = _arrived(kept[:, None], np.zeros(1, np.intp))
        if has_many_sums(tree):
            effect[row] = _effects_by_moments(phi[rows], part, tree.slope[row], tree.basis.feature)
            continue
        for k in range(tree.n_outputs):
            effect[row, :, k] = _effects(phi, every, tree.slope[row, :, k], tree.basis.feature, rows, part)
    return effect


def has_many_sums(tree: Tree) -> bool:
    """Whether there are too many linear responses and outputs to sum each over all rows."""
    return len(tree.slope) * tree.n_outputs > MANY_SUMS


def covariance(columns: Floats, part: Floats) -> Floats:
    """Covariance of columns, rows weighted by `part`, from which the variance of any weighted sum follows.

    Examples
    --------
    >>> covariance(np.array([[1.0, 0.0], [3.0, 1.0], [3.0, 1.0]]), np.array([2.0, 1.0, 1.0]))
    array([[1.  , 0.5 ],
           [0.5 , 0.25]])
    """
    away = columns - _mean(columns, part)
    return np.asarray(matmul((away * part[:, None]).T, away) / part.sum())


def _effects_by_moments(phi: Floats, part: Floats, slope: Floats, feature: npt.NDArray[np.integer]) -> Floats:
    """Effects of the terms slope[:, k] * phi of every output k: cov(w phi, s) = w (C w), sd(s) = sqrt(w C w), C the
    covariance of the columns of an input, which all outputs share.
    """
    effect = np.zeros(slope.shape)
    if not len(phi):
        return effect
    column_size = np.abs(phi).max(axis=0)
    column_size[column_size == 0.0] = 1.0
    weight = slope * column_size[:, None]
    size = np.abs(weight).max(axis=0)  # squares neither overflow nor vanish
    size[size == 0.0] = 1.0
    weight = weight / size
    for f in np.unique(feature):
        mine = np.flatnonzero(feature == f)
        along = matmul(covariance(phi[:, mine] / column_size[mine], part), weight[mine])
        spread = np.sqrt(np.maximum((weight[mine] * along).sum(axis=0), 0.0))
        effect[mine] = weight[mine] * along * np.where(spread > 0, size / np.where(spread > 0, spread, 1.0), 0.0)
    return effect


def _effects(phi: Floats, column: npt.NDArray[np.integer], weight: Floats, feature: npt.NDArray[np.integer],
             rows: npt.NDArray[np.intp], part: Floats) -> Floats:  # fmt: skip
    """Effects of the terms weight * phi[rows, column], rows weighted by `part`."""
    effect, used = np.zeros(len(weight)), np.flatnonzero(weight)
    if not len(used) or not len(phi):
        return effect
    here = phi if len(rows) == len(phi) else phi[rows]
    term = here[:, column[used]]  # columns are contiguous, and are summed in this order
    term *= weight[used]
    size = float(np.abs(term).max()) or 1.0  # squares neither overflow nor vanish
    term /= size
    term -= _mean(term, part)
    terms = np.unique(feature[used], return_inverse=True)[1]
    count = np.bincount(terms)
    alone = count[terms] == 1
    if alone.any():  # one term per input: all at once, summed in the same order
        square = np.square(np.ascontiguousarray(term.T[alone]))
        mean = (square * part).sum(axis=1) / part.sum()
        spread = np.sqrt(mean)
        effect[used[alone]] = np.where(spread > 0, size / np.where(spread > 0, spread, 1.0) * mean, 0.0)
    for f in np.flatnonzero(count > 1):
        mine = terms == f
        whole = term[:, mine].sum(axis=1, keepdims=True)
        spread = np.sqrt(_mean(whole * whole, part)[0])
        if spread > 0:
            effect[used[mine]] = size / spread * _mean(term[:, mine] * whole, part)
    return effect


def _mean(values: Floats, part: Floats) -> Floats:
    return np.asarray((values * part[:, None]).sum(axis=0) / part.sum())
