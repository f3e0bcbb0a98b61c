"""A learned tree with monotone inputs, in the user's units, in which rounding breaks no constraint.

Weights of columns are >= 0, but a column is a sum of hinges, which may cancel up to rounding: a flat curve may decrease
in the last digit. The rounding error is therefore added to a hinge.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Signs
from softwood.kernels.kinds import Term
from softwood.tree import Basis, Tree
from softwood.tree.monotone import certify


def hold_to_signs(tree: Tree, signs: Signs) -> Tree:
    """The tree, proved monotone. Gates send more of an increasing input to their first child, which has the larger
    output.
    """
    weight, slope = tree.weight.copy(), tree.slope.copy()
    for f in np.flatnonzero(signs).tolist():
        sign = float(signs[f])
        for m in np.flatnonzero(np.diff(tree.weight_begin)).tolist():
            at = slice(tree.weight_begin[m], tree.weight_begin[m + 1])
            weight[at] = _monotone(weight[at], tree.basis, tree.weight_column[at], f, sign)
        for row in range(len(slope)):
            for k in range(tree.n_outputs):
                slope[row, :, k] = _monotone(slope[row, :, k], tree.basis, np.arange(len(tree.basis)), f, sign)
    held = tree.replace(weight=weight, slope=slope)
    proof = certify(held, signs.tolist())
    if not proof.holds:
        raise RuntimeError(f"the tree is not monotone. This is a bug: please report it.\n{proof}")
    return held


def _monotone(weight: Floats, basis: Basis, column: npt.NDArray[np.integer], f: int, sign: float) -> Floats:
    """Weights of columns, corrected for input `f` so that no slope of their sum has the wrong sign."""
    mine = np.flatnonzero((basis.feature[column] == f) & np.isin(basis.term[column], (Term.IDENTITY, Term.HINGE)))
    hinge = basis.term[column[mine]] == Term.HINGE
    knot = np.where(hinge, basis.parameter[column[mine]], -np.inf)
    held, before = weight.copy(), list[float]()
    level = np.flatnonzero((basis.feature[column] == f) & (basis.term[column] == Term.CATEGORY))
    level = level[np.argsort(basis.parameter[column[level]], kind="stable")]
    for one, after in pairwise(level):
        held[after] = sign * max(sign * held[one], sign * held[after])
    for place in mine[np.argsort(knot, kind="stable")]:
        while sign * (slope := math.fsum([*before, held[place]])) < 0:
            held[place] = np.nextafter(held[place] - slope, sign * np.inf)
        before.append(float(held[place]))
    return held
