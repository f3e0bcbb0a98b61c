"""A tree after a StandardScaler as a tree on unscaled numbers: z = (x - mean) / scale is put into the tree.

threshold   z <= t is x <= T, where T is the largest double whose z, as computed, is <= t: the same bits
interval    the same at every cut
ramp        threshold and softness in units of x, up to rounding
weights     w z = (w / scale) x - w mean / scale; a hinge's knot k is mean + scale k, up to rounding
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.kinds import Squash, Term
from softwood.tree import Basis, Tree

SIGN = np.int64(-(2**63))
INSTEAD = (
    "Trees need no scaling, imputation or encoding: fit on the raw table; or pass the last step of the pipeline and "
    "apply the others before it."
)


@dataclass(frozen=True)
class Scaling:
    """z = (x - mean) / scale of every input."""

    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, step: Any, n_features: int) -> Scaling | None:
        """The scaling of a fitted StandardScaler; None for any other step."""
        if type(step).__name__ != "StandardScaler" or not hasattr(step, "n_features_in_"):
            return None
        mean = step.mean_ if step.with_mean else np.zeros(n_features)
        scale = np.ones(n_features) if step.scale_ is None else step.scale_
        return cls(np.asarray(mean, np.float64), np.asarray(scale, np.float64))

    def last_below(self, feature: int, threshold: float) -> float:
        """The largest double x with (x - mean) / scale <= threshold in doubles, found by halving."""
        mean, scale = self.mean[feature], self.scale[feature]
        low, high = (_rank(np.float64(end)) for end in (-np.finfo(np.float64).max, np.finfo(np.float64).max))
        with np.errstate(over="ignore"):
            while low < high:
                middle = (low + high + 1) // 2
                if (_of_rank(middle) - mean) / scale <= threshold:
                    low = middle
                else:
                    high = middle - 1
        return float(_of_rank(low))

    def raw(self, feature: npt.NDArray[Any], z: Floats) -> Floats:
        """The x of a z, up to rounding."""
        return np.asarray(self.mean[feature] + self.scale[feature] * z)


def fold_scaling(tree: Tree, steps: tuple[Any, ...], wanted_by: str) -> Tree:
    """The tree that predicts from x as the steps and this tree do; other steps and squares are refused."""
    for step in reversed(steps):
        scaling = Scaling.of(step, tree.n_features)
        if scaling is None:
            raise ValueError(
                f"{wanted_by} puts a StandardScaler before a tree into the tree; {type(step).__name__} cannot be put "
                f"there. {INSTEAD}"
            )
        if np.any(tree.basis.term == Term.SQUARE):
            raise ValueError(
                f"{wanted_by} cannot put a StandardScaler into gates of squares (gate='quadratic'). {INSTEAD}"
            )
        tree = _folded(tree, scaling)
    return tree


def _folded(tree: Tree, scaling: Scaling) -> Tree:
    fields: dict[str, Any] = {"schema": replace(tree.schema, summaries=(), kinds=())}
    fields["threshold"] = _thresholds(scaling, tree.feature, tree.threshold)
    if len(tree.cut):
        owner = np.repeat(tree.feature, np.diff(tree.cut_begin))
        fields["cut"] = _thresholds(scaling, owner, tree.cut)
    if len(tree.surrogates.feature):
        old = tree.surrogates
        fields["surrogates"] = replace(old, threshold=_thresholds(scaling, old.feature, old.threshold))
    soft = (tree.squash != Squash.STEP) & (tree.feature >= 0)
    if soft.any():
        at = tree.feature[soft]
        fields["threshold"][soft] = scaling.raw(at, tree.threshold[soft])
        fields["softness"] = tree.softness.copy()
        fields["softness"][soft] *= scaling.scale[at][:, None]
    if len(tree.basis):
        fields |= _folded_sums(tree, scaling)
    return tree.replace(**fields)


def _folded_sums(tree: Tree, scaling: Scaling) -> dict[str, Any]:
    """Weights and slopes of x instead of z, and the change of the constants."""
    basis, at = tree.basis, tree.basis.feature
    line, hinge = basis.term == Term.IDENTITY, basis.term == Term.HINGE
    scale = np.where(line | hinge, scaling.scale[at], 1.0)
    start = np.where(line, scaling.mean[at], 0.0)  # x where the column of z is 0
    knots = np.where(hinge, scaling.raw(at, basis.parameter), basis.parameter)
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(tree.weight_begin)) if len(tree.weight) else np.zeros(0, int)
    weight = tree.weight / scale[tree.weight_column]
    bias = tree.bias - np.bincount(owner, weight * start[tree.weight_column], tree.n_nodes)
    found: dict[str, Any] = {
        "basis": Basis(basis.term, at, knots, start + scale * basis.when_missing),
        "weight": weight,
        "bias": bias,
    }
    if len(tree.column_mean):
        found["column_mean"] = start + scale * tree.column_mean
    if len(tree.slope):
        slope = tree.slope / scale[:, None]
        taken = np.einsum("rco,c->ro", slope, start)
        sloped = tree.slope_row >= 0
        response = tree.response.copy()
        response[sloped] -= taken[tree.slope_row[sloped]]
        found |= {"slope": slope, "response": response}
    return found


def _thresholds(scaling: Scaling, feature: npt.NDArray[Any], z: Floats) -> Floats:
    found = [
        scaling.last_below(int(f), float(t)) if f >= 0 and np.isfinite(t) else float(t)
        for f, t in zip(feature, z, strict=True)
    ]
    return np.array(found, np.float64)


def _rank(x: np.float64) -> int:
    """Doubles in their order as integers."""
    bits = int(x.view(np.int64))
    return bits if bits >= 0 else int(SIGN) - bits


def _of_rank(rank: int) -> np.float64:
    bits = rank if rank >= 0 else int(SIGN) - rank
    return np.int64(bits).view(np.float64)
