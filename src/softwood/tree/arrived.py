"""What arrives at a node: the mean of the target, or the proportions of classes, of the rows there.

    arrived(m) = sum of w reach_m(x) y / sum of w reach_m(x)

It is observed and independent of the predictions: the prediction of a row mixes several leaves. Also the means of basis
columns, which centre the curves of a linear sum.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.arithmetic import matmul
from softwood.kernels.kinds import Score
from softwood.tree.arrays import TreeArrays


def arrived_targets(target: Floats, reach: Floats, parent: npt.NDArray[np.integer]) -> Floats:
    """Mean target of the rows at every node, (nodes, targets); a node where nothing arrives gets its parent's.

    Parameters
    ----------
    target : (rows, targets), or one column per class.
    reach : (rows, nodes), rows counted by weight.
    parent : of every node, -1 for the root.

    Examples
    --------
    >>> y, reach = np.array([[0.0], [1.0], [5.0]]), np.array([[1.0, 0.5], [1.0, 0.5], [1.0, 0.0]])
    >>> arrived_targets(y, reach, np.array([-1, 0]))
    array([[2. ],
           [0.5]])
    """
    middle = target.mean(axis=0)
    size = float(np.abs(target - middle).max(initial=0.0)) or 1.0  # sums of numbers of 1e307 do not overflow
    return mean_of_sums(matmul(reach.T, (target - middle) / size) * size, reach.sum(axis=0), middle, parent)


def mean_of_sums(total: Floats, weight: Floats, middle: Floats, parent: npt.NDArray[np.integer]) -> Floats:
    """The same from the sums of (target - middle) and the weights at every node."""
    mean = middle + total / np.where(weight > 0, weight, 1.0)[:, None]
    for m in np.flatnonzero(weight <= 0).tolist():  # parents come before their children
        mean[m] = mean[parent[m]] if m else middle
    return np.asarray(mean)


def column_means(tree: TreeArrays, phi: Floats, reach: Floats) -> Floats:
    """Mean of every basis column at every node with a linear gate or response, (nodes, columns); 0 at the others.

    Where nothing arrives, all rows count equally.
    """
    mean = np.zeros((tree.n_nodes, phi.shape[1]))
    nodes = np.flatnonzero((tree.score == Score.LINEAR) | (tree.slope_row >= 0))
    part = reach[:, nodes]
    part = part / np.where((total := part.sum(axis=0)) > 0, total, 1.0)
    part[:, total <= 0] = 1.0 / len(phi)
    mean[nodes] = matmul(np.ascontiguousarray(part.T), phi)
    return mean
