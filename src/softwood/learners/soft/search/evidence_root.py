"""One more trial: a root whose curves maximise the evidence (learners/soft/evidence).

It is fitted on the same folds as the remaining trials, so their held-out losses can be compared. Its curves were not
selected on held-out rows, so they add no cost when the simplest of several good trials is chosen.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.kernels.formulas.losses import row_loss
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.evidence.fit import fit_curves
from softwood.learners.soft.evidence.hats import HatBasis
from softwood.learners.soft.evidence.root import to_root
from softwood.learners.soft.search.penalty_tuning import first_penalty
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials

BY_EVIDENCE = BasisSpec(linear=0.0, curve=(1.0,))


def add_evidence_root(trials: Trials, basis: HatBasis) -> None:
    """A root over these columns, on the folds on which trials have trees; on all folds if there are no trials yet."""
    spec, penalty = trials.specs[0], first_penalty(trials)
    n_folds = len(spec.row_folds) - spec.full
    if trials.found:
        spec, penalty, n_folds = trials.best.spec, trials.best.candidate.penalty, len(trials.best.candidate.tree)
    spec = replace(spec, basis_spec=BY_EVIDENCE, design=basis.design(), gates="open", fold_cache={}, factor=1.0)
    folds = range(spec.full, spec.full + n_folds)
    tested = trials.parallel_map(lambda at: _on_fold(spec, basis, penalty, at), folds)
    candidate = next(tested)
    for other in tested:
        candidate = candidate.with_folds(other)
    trials.add(Trial(spec, "shared", False, candidate))


def _on_fold(spec: ModelSpec, basis: HatBasis, penalty: float, fold_index: int) -> Candidate:
    train, valid = spec.row_folds[fold_index]
    curves = fit_curves(train, basis)
    return Candidate(
        basis_spec=spec.basis_spec,
        penalty=penalty,  # for gates that a later fit adds to it
        tree=[to_root(curves, spec.design)],
        row_loss=row_loss(valid.loss, curves.output(valid), valid.target),
        weight=valid.weight,
        inputs=len(np.unique(spec.design.feature)),
        by_evidence=True,
    )
