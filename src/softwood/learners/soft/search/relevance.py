"""Automatic relevance determination (MacKay 1994, Neal 1996): a penalty for each input, by the weights of a tree.

    factor[input] proportional to sqrt(mean of the squared weights of its columns), at least MIN_FACTOR_SHARE of the
                  largest

One penalty for all inputs is too heavy for the strong ones or too light for the weak ones. So the columns of an input
are multiplied by its factor and a tree is grown anew: the same penalty is lighter where the first tree had large
weights. In the papers the variance of the prior of an input's weights is the mean of their squares, as here.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.params.params import SoftTreeParams

MIN_FACTOR_SHARE = 0.03  # of the largest factor; an input of small weights may matter to the next tree


def relevance_factors(tree: SoftTreeParams, design: DesignMatrix) -> Floats:
    """A factor for each column, the same for all of an input; 1 where all inputs have the same weights, or none.

    All together are such that the tree as it is would cost what it does, so that a penalty keeps its meaning.
    """
    inputs, place = np.unique(design.feature, return_inverse=True)
    energy = np.bincount(place, tree.column_energy, len(inputs))
    if len(inputs) < 2 or not energy.any():
        return np.ones(len(design))
    size = np.sqrt(energy / np.bincount(place))
    factor = np.maximum(size / size.max(), MIN_FACTOR_SHARE)
    factor *= np.sqrt(np.sum(energy / factor**2) / energy.sum())
    return np.asarray(factor[place])
