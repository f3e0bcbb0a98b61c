"""Which inputs have ramps: two sums of curves, smooth and with ramps, are compared on the held-out rows of all folds.

    score of some inputs    loss that the smooth sum saves with their curves from the other sum, in standard errors

Ramps cost columns, and curves of inputs without steps are slightly worse with them. So only inputs with a clear score
of their own keep them, and only if the largest score exceeds the maximum over all inputs expected by chance.
Correlated inputs may share a curve, so that none can be exchanged alone: inputs with a clear score must also have one
together; otherwise the two sums are compared as a whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import log, matmul
from softwood.kernels.formulas.losses import row_loss
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.finer_curves import find_ramps
from softwood.learners.soft.search.spec import Inputs, ModelSpec, Trial

MIN_ALONE_SE = 1.0  # score of each input with ramps; the largest must exceed the maximum by chance by this
MIN_TOGETHER_SE = 2.0  # score of all inputs with ramps together


@dataclass(frozen=True)
class Exchange:
    """Predictions of two roots for the held-out rows of a fold, as (inputs, rows, outputs): one curve per input.

    answer : (rows, outputs), of the smooth root.  change : of the constants, from the smooth root to the other.
    smooth, local : curves without ramps, and with them.
    """

    rows: Dataset
    answer: Floats
    change: Floats
    smooth: Floats
    local: Floats

    @classmethod
    def of(cls, smooth: Trial, local: Trial, fold_index: int) -> Exchange:
        """From two roots of the same fold."""
        rows = smooth.spec.row_folds[fold_index][1]
        (before,), (after,) = smooth.candidate.tree, local.candidate.tree
        curves = _curves(smooth, rows)
        answer = before.response[0] + curves.sum(axis=0)
        return cls(rows, answer, after.response[0] - before.response[0], curves, _curves(local, rows))

    def saved(self, inputs: Inputs) -> Floats:
        """Decrease of each row's loss with the other root's curves of these inputs; for all, with its prediction."""
        change = (self.local[inputs] - self.smooth[inputs]).sum(axis=0) + (self.change if inputs.all() else 0.0)
        losses = (row_loss(self.rows.loss, output, self.rows.target) for output in (self.answer, self.answer + change))
        return np.subtract(*losses)


def with_some_ramps(smooth: list[Trial], local: list[Trial]) -> ModelSpec | None:
    """The spec with ramps for the inputs that gain from them; None if no input should have them.

    smooth, local : roots on the same folds, with curves without and with ramps.
    """
    pairs = enumerate(zip(smooth, local, strict=True))
    ramped = ramped_inputs([Exchange.of(one, other, fold_index) for fold_index, (one, other) in pairs])
    spec = local[0].spec
    if not ramped.any():
        return None
    ramps = np.zeros(len(spec.design), np.bool_)
    ramps[find_ramps(spec.design).column] = True
    kept = ~ramps | ramped[spec.design.feature]
    return spec if kept.all() else replace(spec, design=spec.design.with_columns(kept), fold_cache={})


def ramped_inputs(folds: list[Exchange]) -> Inputs:
    """Which inputs should have ramps."""
    n = len(folds[0].smooth)
    single = np.array([score(folds, np.arange(n) == f) for f in range(n)])
    max_by_chance = math.sqrt(2.0 * log(max(int(np.count_nonzero(single)), 1)))
    clear = single > MIN_ALONE_SE
    if single.max(initial=-np.inf) > MIN_ALONE_SE + max_by_chance and score(folds, clear) > MIN_TOGETHER_SE:
        return clear
    every = np.ones(n, np.bool_)
    return every if score(folds, every) > MIN_TOGETHER_SE else ~every


def score(folds: list[Exchange], inputs: Inputs) -> float:
    """Decrease of the held-out loss on all folds if the curves of these inputs are exchanged, in standard errors."""
    saved = np.concatenate([fold.saved(inputs) for fold in folds])
    weight = np.concatenate([fold.rows.weight for fold in folds])
    mean = float(np.average(saved, weights=weight))
    variance = float(np.average(np.square(saved - mean), weights=weight))
    return mean / math.sqrt(variance / weight.sum()) if variance > 0 else 0.0


def _curves(root: Trial, rows: Dataset) -> Floats:
    """The curve of each input in a root's prediction for these rows."""
    (tree,), design = root.candidate.tree, root.spec.design
    X = rows.X if rows.place is None else rows.X[rows.place]
    curves = np.zeros((X.shape[1], len(X), tree.outputs))
    for f in np.unique(design.feature).tolist():
        columns = design.columns_of(f)
        curves[f] = matmul(design.of_input(f, X[:, f], columns), tree.slope[0][:, columns].T)
    return curves
