"""Held-out rows of the search with what the trees of their folds answered, in the units of the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from softwood.arrays import Floats
from softwood.kernels import apply_link
from softwood.kernels.kinds import Loss
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.parts.held_out import ENOUGH, HeldOutRows


def answered(trial: Trial, centre: Floats, scale: Floats) -> HeldOutRows | None:
    """Those of a trial. Where there is one row only, nothing was held out."""
    outputs = [lambda fold, tree=tree: fold.valid.output(tree.shape, tree.parameters) for tree in trial.candidate.tree]
    return answered_by(trial.spec, outputs, centre, scale)


def answered_by(
    spec: ModelSpec, outputs: Iterable[Callable[..., Floats]], centre: Floats, scale: Floats
) -> HeldOutRows | None:
    """Those of trees that are functions from a fold, from the first of full size on, to the outputs of its rows."""
    parts, given = [], list(outputs)
    for index, output in enumerate(given, spec.full):
        train, valid = spec.row_folds[index]
        if valid is not train:
            parts.append(told(valid, output(spec.fold(index)), centre, scale, -(-ENOUGH // len(given))))
    return HeldOutRows.joined(parts)


def told(rows: Dataset, output: Floats, centre: Floats, scale: Floats, n: int) -> HeldOutRows:
    """At most so many rows with their outputs; targets were `scaled`."""
    some, output = rows.head(n), output[:n]
    if not rows.loss.is_classes:
        answer = apply_link(int(rows.loss.link), output * scale + centre)
        return HeldOutRows(some.X, some.unscaled_target(centre, scale), answer, some.weight, some.group)
    answer = apply_link(int(rows.loss.link), output)
    code = some.target[:, 0] if rows.loss == Loss.LOGISTIC else some.target.argmax(axis=1)
    return HeldOutRows(some.X, code.astype(np.int32), answer, some.weight, some.group)
