"""Held-out rows of the search with predictions by the trees of their folds, in the user's units."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from softwood.arrays import Floats
from softwood.kernels import apply_link
from softwood.kernels.arithmetic import exp
from softwood.kernels.kinds import Loss
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.parts.held_out import MAX_HELD_OUT_ROWS, HeldOutRows


def held_out_answers(trial: Trial, centre: Floats, scale: Floats) -> HeldOutRows | None:
    """The held-out rows of a trial; None if nothing was held out, as with a single row."""
    outputs = [lambda fold, tree=tree: fold.valid.output(tree.shape, tree.parameters) for tree in trial.candidate.tree]
    return held_out_answers_by(trial.spec, outputs, centre, scale)


def held_out_answers_by(
    spec: ModelSpec, outputs: Iterable[Callable[..., Floats]], centre: Floats, scale: Floats
) -> HeldOutRows | None:
    """The same for functions that map a fold, from the first full-size one on, to the outputs of its held-out rows."""
    parts, given = [], list(outputs)
    n = -(-MAX_HELD_OUT_ROWS // max(len(given), 1))
    for index, output in enumerate(given, spec.full):
        train, valid = spec.row_folds[index]
        if valid is not train:
            parts.append(held_out_part(valid, output(spec.fold(index)), centre, scale, n))
    return HeldOutRows.joined(parts)


def held_out_part(rows: Dataset, output: Floats, centre: Floats, scale: Floats, n: int) -> HeldOutRows:
    """The first `n` rows with their outputs; targets were `scaled`."""
    some, output = rows.head(n), output[:n]
    if not rows.loss.is_classes:
        answer = in_units(rows.loss, output, centre, scale)
        return HeldOutRows(some.X, some.unscaled_target(centre, scale), answer, some.weight, some.group)
    answer = apply_link(int(rows.loss.output_link), output)
    if answer.shape[1] == 1:
        answer = np.concatenate([1.0 - answer, answer], axis=1)
    code = some.target[:, 0] if some.target.shape[1] == 1 else some.target.argmax(axis=1)
    return HeldOutRows(some.X, code.astype(np.int32), answer, some.weight, some.group)


def in_units(loss: Loss, output: Floats, centre: Floats, scale: Floats) -> Floats:
    """Predictions in the user's units from outputs of the learner."""
    if loss.mixes_answers:
        return np.asarray(output * exp(centre))
    return apply_link(int(loss.output_link), output * scale + centre)
