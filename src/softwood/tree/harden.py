"""Hard gates in place of soft ones, the structure unchanged."""

from __future__ import annotations

import numpy as np

from softwood.kernels.kinds import Squash
from softwood.tree.tree import Tree


def harden(tree: Tree) -> Tree:
    """The tree whose gates are steps: score >= 0 (share >= 1/2) goes to the first child, and branches keep nothing.

    The soft tree's statistics of the rows that arrive (counts, means, gains) are not valid for it and are dropped,
    except for the count of all rows. `Arrivals` computes them from rows.

    Examples
    --------
    >>> from softwood.kernels.kinds import Score
    >>> from softwood.tree import Basis, Schema
    >>> soft = Tree(
    ...     response=[[0.5], [1.0], [0.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[Score.LINEAR, 0, 0], squash=[Squash.SIGMOID, 0, 0], basis=Basis.identity(1), bias=[-2.0, 0, 0],
    ...     weight_begin=[0, 1, 1, 1], weight_column=[0], weight=[1.0])
    >>> harden(soft).output([[1.9], [2.1]]).ravel()
    array([0., 1.])
    """
    branch = tree.n_children > 0
    return tree.replace(
        squash=np.where(branch, Squash.STEP, tree.squash),
        softness=np.zeros_like(tree.softness),
        leafness=np.where(branch, 0.0, 1.0),
        count=np.where(np.arange(tree.n_nodes) == 0, tree.count, np.nan),
        impurity=(),
        gain=(),
        mean=(),
        arrived=(),
        column_mean=(),
        weight_effect=(),
        slope_effect=(),
    )
