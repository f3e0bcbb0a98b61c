"""Automatic relevance determination (MacKay 1994, Neal 1996): one penalty per input, from the weights of a tree.

    factor[input] proportional to sqrt(mean of the squared weights of its columns), at least MIN_FACTOR_SHARE of the
                  largest

One penalty for all inputs is too heavy for the strong ones or too light for the weak ones. So the columns of an input
are multiplied by its factor and a new tree is grown: the same penalty is lighter for inputs with large weights in the
first tree. As in the papers, the prior variance of an input's weights is the mean of their squares.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.params.params import SoftTreeParams

MIN_FACTOR_SHARE = 0.03  # of the largest factor; an input with small weights may matter to the next tree


def relevance_factors(tree: SoftTreeParams, design: DesignMatrix) -> Floats:
    """A factor per column, equal for all columns of an input; 1 if all inputs have the same weights, or none.

    Factors are scaled so that the penalty of the tree as it is does not change.
    """
    inputs, place = np.unique(design.feature, return_inverse=True)
    energy = np.bincount(place, tree.column_energy, len(inputs))
    if len(inputs) < 2 or not energy.any():
        return np.ones(len(design))
    size = np.sqrt(energy / np.bincount(place))
    factor = np.maximum(size / size.max(), MIN_FACTOR_SHARE)
    factor *= np.sqrt(np.sum(energy / factor**2) / energy.sum())
    return np.asarray(factor[place])
