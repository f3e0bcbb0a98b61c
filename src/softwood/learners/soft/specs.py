"""The kinds of gates that a search begins with: columns, and the folds of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
from softwood.learners.soft.search.spec import Columns, Inputs, ModelSpec
from softwood.learners.soft.warm_start import WarmStart


@dataclass(frozen=True)
class Folds:
    """The folds of the rows, and the columns over them.

    row_folds : training and held-out rows.  full : the first fold of full size; smaller ones for screening precede it.
    """

    some: Dataset
    how: JointOptions
    row_folds: list[tuple[Dataset, Dataset]]
    full: int
    known_priors: dict[int | None, Mapping[int, CurvePrior]] = field(default_factory=dict)

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
            return [self._spec(Columns(before.basis_spec, before.design), before.gates, {})]
        gates: Gates = "axis" if self.how.gate == "axis" else "open"
        binned: dict[int, Binned] = {}
        every = np.ones(self.some.X.shape[1], np.bool_)
        return [self._spec(columns, gates, binned) for columns in self.columns(every)]

    def _spec(self, columns: Columns, gates: Gates, binned: dict[int, Binned]) -> ModelSpec:
        how, (basis_spec, design, design_of) = self.how, columns
        return ModelSpec(
            basis_spec,
            design,
            self.row_folds,
            self.full,
            how.n_threads,
            how.single,
            gates,
            binned=binned,
            design_of=design_of,
        )

    def columns(self, inputs: Inputs) -> list[Columns]:
        """Kinds of columns of some inputs; with fewer inputs, each has more curves."""
        if self.some.is_sparse:
            return [Columns(BasisSpec(), stored_design(self.some.X, self.some.weight).only(inputs))]
        basis_specs = basis_specs_for(self.how.gate, int(inputs.sum()), len(self.some))
        found = [self._columns(one, inputs) for one in (basis_specs[:1] if self.how.effort == "quick" else basis_specs)]
        return [one for one in found if one is not None]

    def _columns(self, basis_spec: BasisSpec, inputs: Inputs) -> Columns | None:
        """One kind of columns; None if it is by evidence, and there is none."""
        some, how = self.some, self.how

        def design_of(priors: Mapping[int, CurvePrior]) -> DesignMatrix:
            return build_design(some.X, some.n_levels, some.weight, basis_spec, how.signs, inputs, priors)

        if not basis_spec.evidence:
            return Columns(basis_spec, design_of(NO_PRIORS))
        if not how.steps.evidence or how.is_monotone or not self._priors(0):
            return None
        return Columns(basis_spec, design_of(self._priors(0)), lambda fold_index: design_of(self._priors(fold_index)))

    def _priors(self, fold_index: int | None) -> Mapping[int, CurvePrior]:
        """Priors of the curves, by evidence on the training rows of a fold; None: on all rows.

        So held-out rows are new to the columns, too. A sum of curves mixes nothing, so answers count as outputs.
        """
        if fold_index not in self.known_priors:
            rows = self.some if fold_index is None else self.row_folds[fold_index][0]
            rows = replace(rows, loss=rows.loss.mixing_outputs)
            self.known_priors[fold_index] = curve_priors(rows, FIRST_STRENGTH, self.how.n_threads)
        return self.known_priors[fold_index]


def fold_rows(some: Dataset, held: Dataset | None) -> list[tuple[Dataset, Dataset]]:
    """Training and held-out rows: the given validation rows, and folds of the others in small tables."""
    row_folds = [] if held is None else [(some, held)]
    if held is None or len(some) <= SMALL_TABLE_MAX_ROWS:
        row_folds += [(some.part(some.weight - out), some.part(out)) for out in some.held_out()]
    return row_folds or [(some, some)]
