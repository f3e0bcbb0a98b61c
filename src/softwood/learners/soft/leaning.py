"""How freely a tree may lean on each input, as its own weights tell.

A penalty holds all inputs back alike, and few of them matter alike: what lets a tree lean on the strong ones lets it
overfit the weak ones. So columns are scaled, input by input, by the typical size of the weights that a tree gave them:
the same penalty then is light where the tree leans and heavy where it does not, and a tree is grown anew. In automatic
relevance determination (MacKay 1994, Neal 1996) priors are told by the data in this way: the variance of an input's
weights is the mean of their squares. (Their sum instead of their mean was measured: categories of many levels are let
loose, and small tables with such are worse off. With the posterior's variance added, as in the EM algorithm, trees
hardly lean at all.)
"""

from __future__ import annotations

import numpy as np

from softwood.engines import Floats
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.sapling import Sapling

LEAST = 0.03  # of the input that is leaned on most; no other is held back more, for it may matter to the next tree


def leanings(tree: Sapling, columns: Columns) -> Floats:
    """A factor for each column, the same for all of an input; 1 where the tree does not tell inputs apart.

    All together are such that the tree as it is would cost what it does, so that a penalty keeps its meaning.
    """
    inputs, place = np.unique(columns.feature, return_inverse=True)
    energy = np.bincount(place, tree.energies, len(inputs))
    if len(inputs) < 2 or not energy.any():
        return np.ones(len(columns))
    size = np.sqrt(energy / np.bincount(place))
    factor = np.maximum(size / size.max(), LEAST)
    factor *= np.sqrt(np.sum(energy / factor**2) / energy.sum())
    return np.asarray(factor[place])
