"""A sum of curves as a tree of one node: shared slopes over the hats as columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.formulas.special import interpolate
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.evidence.fit import Curves
from softwood.learners.soft.evidence.hats import Hats
from softwood.learners.soft.params.params import SoftTreeParams

MIN_DEGREES = 0.05  # of an input in some output; with fewer it makes no difference, and is dropped


def to_root(curves: Curves, design: DesignMatrix) -> SoftTreeParams:
    """The tree of one leaf over `curves.basis.design()`; the constant of a curve is part of the response."""
    begin = curves.basis.begin.tolist()
    degrees = np.max([one.degrees for one in curves.outputs], axis=0)
    response = np.array([one.constant for one in curves.outputs])
    slope = []
    for hats, used, first, last in zip(curves.basis.inputs, degrees >= MIN_DEGREES, begin[:-1], begin[1:], strict=True):
        height = np.stack([one.coefficient[first:last] for one in curves.outputs])
        constant, heights = _as_columns(hats, height)
        if not used:
            constant, heights = constant + heights.mean(axis=1), np.zeros_like(heights)
        response += constant
        slope.append(heights)
    root = SoftTreeParams.root(response, len(design), "shared")
    return replace(root, slope=np.concatenate(slope, axis=1)[None])


def _as_columns(hats: Hats, height: Floats) -> tuple[Floats, Floats]:
    """A constant and the weights of the design's columns, by output.

    Rare levels have no column; a missing number counts as the mean in the other columns.
    """
    if hats.n_rest:
        constant = height[:, len(hats.level)]
        return constant, np.delete(height - constant[:, None], len(hats.level), axis=1)
    heights = height.copy()
    if len(hats.knot) and hats.n_missing:
        heights[:, -1] -= interpolate(np.array([hats.middle]), hats.knot, height[:, :-1])[:, 0]
    return np.zeros(len(height)), heights
