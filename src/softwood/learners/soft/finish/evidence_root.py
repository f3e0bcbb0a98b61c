"""The selected root with curves by evidence, fitted on all rows; it needs no refinement."""

from __future__ import annotations

from softwood.learners.soft.evidence.fit import fit_curves, hats_of
from softwood.learners.soft.evidence.root import to_root
from softwood.learners.soft.finish.more_rows import FinalTree
from softwood.learners.soft.training.training_rows import TrainingRows


def evidence_root_of_all(rows: TrainingRows, n_threads: int) -> FinalTree:
    """The root and its columns."""
    assert rows.whole is not None
    basis = hats_of(rows.whole)
    assert basis is not None
    design = basis.design()
    return FinalTree(to_root(fit_curves(rows.whole, basis, n_threads), design), design)
