"""The kinds of gates that a search begins with: columns, and the folds of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from softwood.learners.soft.columns.build import NO_PRIORS, build_design
from softwood.learners.soft.columns.curve_prior import CurvePrior
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.columns.sparse_design import stored_design
from softwood.learners.soft.evidence.priors import curve_priors
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.params.params import Gates
from softwood.learners.soft.params.tree_kinds import basis_specs_for
from softwood.learners.soft.regimes import MEDIUM_TABLE_MAX_ROWS, SCREENING_ROWS_PER_INPUT, SMALL_TABLE_MAX_ROWS
from softwood.learners.soft.rows.binning import Binned
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.penalty_tuning import FIRST_STRENGTH
from softwood.learners.soft.search.spec import Inputs, ModelSpec
from softwood.learners.soft.warm_start import WarmStart
from softwood.tree.once import computed_once


@dataclass(frozen=True)
class Folds:
    """The folds of the rows, and the columns over them.

    row_folds : training and held-out rows.  full : the first fold of full size; smaller ones for screening precede it.
    """

    some: Dataset
    how: JointOptions
    row_folds: list[tuple[Dataset, Dataset]]
    full: int

    @classmethod
    def of(cls, some: Dataset, held: Dataset | None, how: JointOptions) -> Folds:
        """The folds of some rows; `held` are the caller's validation rows."""
        screened_rows = max(MEDIUM_TABLE_MAX_ROWS, SCREENING_ROWS_PER_INPUT * some.X.shape[1])
        if how.effort == "quick":
            some = some.head(screened_rows)
        row_folds = fold_rows(some, held)
        full = len(some) > screened_rows and not some.is_sparse
        if how.effort == "quick" or some.is_sparse:
            row_folds = row_folds[:1]
        elif full:
            valid_rows = None if held is None else held.head(screened_rows // 3)
            row_folds = [fold_rows(some.head(screened_rows), valid_rows)[0], row_folds[0]]
        return cls(some, how, row_folds, int(full))

    def specs(self, before: WarmStart | None = None) -> list[ModelSpec]:
        """The kinds of gates; that of a tree to continue."""
        if before is not None:
            return [self._spec(before.basis_spec, before.design, before.gates, {})]
        gates: Gates = "axis" if self.how.gate == "axis" else "open"
        binned: dict[int, Binned] = {}
        every = np.ones(self.some.X.shape[1], np.bool_)
        return [self._spec(basis_spec, design, gates, binned) for basis_spec, design in self.designs(every)]

    def _spec(self, basis_spec: BasisSpec, design: DesignMatrix, gates: Gates, binned: dict[int, Binned]) -> ModelSpec:
        how = self.how
        return ModelSpec(basis_spec, design, self.row_folds, self.full, how.n_threads, how.single, gates, binned=binned)

    def designs(self, inputs: Inputs) -> list[tuple[BasisSpec, DesignMatrix]]:
        """Basis specs, and columns of some inputs; with fewer inputs, each has more curves."""
        some, how = self.some, self.how
        if some.is_sparse:
            return [(BasisSpec(), stored_design(some.X, some.weight).only(inputs))]
        found = []
        basis_specs = basis_specs_for(how.gate, int(inputs.sum()), len(some))
        for basis_spec in basis_specs[:1] if how.effort == "quick" else basis_specs:
            priors = self.priors if basis_spec.curve else NO_PRIORS
            design = build_design(some.X, some.n_levels, some.weight, basis_spec, how.signs, inputs, priors)
            found.append((basis_spec, design))
        return found

    @computed_once
    def priors(self) -> Mapping[int, CurvePrior]:
        """Priors of the curves, by evidence on all rows; for large tables, on the training rows of the full fold.

        So the columns of small tables do not depend on the deal of the folds.
        A sum of curves is one node and mixes nothing, so answers count as outputs.
        """
        train = self.row_folds[self.full][0] if self.full else self.some
        if not self.how.steps.local_columns or self.how.is_monotone:
            return NO_PRIORS
        return curve_priors(replace(train, loss=train.loss.mixing_outputs), FIRST_STRENGTH, self.how.n_threads)


def fold_rows(some: Dataset, held: Dataset | None) -> list[tuple[Dataset, Dataset]]:
    """Training and held-out rows: the given validation rows, and folds of the others in small tables."""
    row_folds = [] if held is None else [(some, held)]
    if held is None or len(some) <= SMALL_TABLE_MAX_ROWS:
        row_folds += [(some.part(some.weight - out), some.part(out)) for out in some.held_out()]
    return row_folds or [(some, some)]
