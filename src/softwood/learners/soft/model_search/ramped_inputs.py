"""Which inputs have ramps: two sums of curves, a smooth one and one with ramps, tell on the held-out rows of all folds.

    score of an input    what the smooth sum saves by taking this input's curve from the other one, in standard errors

Ramps cost columns, and curves of inputs without steps are a little worse with them. So they are left to the inputs
whose score is clear, and only if some input's score is more than the largest of all would be by chance. Inputs that go
together may share a curve among them, so that none can be exchanged alone: then the sums as wholes tell.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from softwood.engines import Floats
from softwood.kernels.formulas.losses import row_loss
from softwood.learners.soft.finer_curves import find_ramps
from softwood.learners.soft.spec import Inputs, ModelSpec, Trial

CLEAR = 1.0  # standard errors that an input with ramps saves at least, and beyond the largest of all inputs by chance
SURELY = 2.0  # standard errors that all inputs with ramps save at least, where none can be told alone


def with_some_ramps(smooth: list[Trial], local: list[Trial]) -> ModelSpec | None:
    """The spec whose inputs have ramps where these save something; None where no input should have them.

    smooth, local : roots on the same folds, of curves without and with ramps.
    """
    ramped = ramped_inputs(*saved_by_ramps(smooth, local))
    spec = local[0].spec
    if not ramped.any():
        return None
    ramps = np.zeros(len(spec.design), np.bool_)
    ramps[find_ramps(spec.design).column] = True
    kept = ~ramps | ramped[spec.design.feature]
    return spec if kept.all() else replace(spec, design=spec.design.with_columns(kept), fold_cache={})


def ramped_inputs(saved: Floats, weight: Floats) -> Inputs:
    """Which inputs should have ramps.

    saved : (rows, inputs + 1), what the loss of each row falls by: with the ramps of one input, and of all.
    """
    share = weight / weight.sum()
    mean = share @ saved
    error = np.sqrt(share @ np.square(saved - mean) / weight.sum())
    score = np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)
    single, whole = score[:-1], score[-1]
    n_curves = int(np.count_nonzero(error[:-1]))
    by_chance = math.sqrt(2.0 * math.log(max(n_curves, 1)))
    if single.max(initial=-np.inf) > CLEAR + by_chance:
        return np.asarray(single > CLEAR)
    return np.full(len(single), bool(whole > SURELY))


def saved_by_ramps(smooth: list[Trial], local: list[Trial]) -> tuple[Floats, Floats]:
    """By held-out row of all folds: what it saves with the ramps of each input alone, then of all; and its weight."""
    saved, weight = [], []
    for fold_index, (plain, ramped) in enumerate(zip(smooth, local, strict=True)):
        rows = plain.spec.row_folds[fold_index][1]
        X = rows.X if rows.place is None else rows.X[rows.place]
        before, after = _answer(plain, X), _answer(ramped, X)
        at = row_loss(rows.loss, before.sum(axis=0), rows.target)
        parts = [before.sum(axis=0) - one + other for one, other in zip(before[1:], after[1:], strict=True)]
        losses = [row_loss(rows.loss, output, rows.target) for output in (*parts, after.sum(axis=0))]
        saved.append(at[:, None] - np.stack(losses, axis=1))
        weight.append(rows.weight)
    return np.concatenate(saved), np.concatenate(weight)


def _answer(root: Trial, X: Floats) -> Floats:
    """The parts of a root's answer to these rows, (1 + inputs, rows, outputs): its constant, and each input's curve."""
    (tree,), design = root.candidate.tree, root.spec.design
    parts = np.zeros((1 + X.shape[1], len(X), tree.outputs))
    parts[0] = tree.response[0]
    for f in np.unique(design.feature).tolist():
        columns = design.columns_of(f)
        parts[1 + f] = design.of_input(f, X[:, f], columns) @ tree.slope[0][:, columns].T
    return parts
