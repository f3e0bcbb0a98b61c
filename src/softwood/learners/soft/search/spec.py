"""A kind of tree in the search: a design matrix with the folds of the rows; and a trial of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.params.params import Gates, Slopes
from softwood.learners.soft.rows.binning import Binned
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import Fold
from softwood.learners.soft.search.selection import Candidate
from softwood.tree.once import computed_once

Inputs = npt.NDArray[np.bool_]  # indices of the inputs


@dataclass(frozen=True, eq=False)
class ModelSpec:
    """The design matrix of one basis spec, the kind of gates, and the folds of the rows.

    full : the first fold of full size. For large tables, smaller folds for screening precede it.
    factor : of each column, its relevance (relevance.py); 1 where all inputs are penalized alike.
    """

    basis_spec: BasisSpec
    design: DesignMatrix
    row_folds: list[tuple[Dataset, Dataset]]
    full: int
    n_threads: int
    single: bool
    gates: Gates = "open"
    fold_cache: dict[int, Fold] = field(default_factory=dict)
    binned: dict[int, Binned] = field(default_factory=dict)  # by fold; independent of the columns, so specs share it
    factor: Floats | float = 1.0

    def fold(self, fold_index: int) -> Fold:
        """Built on first access."""
        if fold_index not in self.fold_cache:
            train, valid = self.row_folds[fold_index]
            if train.is_sparse:
                self.fold_cache[fold_index] = Fold.make(train, valid, self.design, self.n_threads)
                return self.fold_cache[fold_index]
            if fold_index not in self.binned:
                self.binned[fold_index] = Binned.of(train)
            self.fold_cache[fold_index] = Fold.make(
                train,
                valid,
                self.design,
                self.n_threads,
                self.single,
                expansion=self.expansion,
                binned=self.binned[fold_index],
            )
        return self.fold_cache[fold_index]

    @computed_once
    def expansion(self) -> Expansion:
        """The columns as tables, for all folds."""
        return expansion_of(self.design, self.n_inputs)

    def rows(self, fold_index: int) -> float:
        """Total weight of the training rows of a fold."""
        return self.row_folds[fold_index][0].total_weight

    @property
    def n_inputs(self) -> int:
        """Inputs of the rows."""
        return int(self.row_folds[0][0].X.shape[1])

    @property
    def linear_columns(self) -> npt.NDArray[np.int32]:
        """Linear columns of numbers."""
        return np.flatnonzero(self.design.kind == 0).astype(np.int32)

    @property
    def confirmation_fold(self) -> int:
        """A second fold with as many rows as the first one; the first (0) if there is none."""
        return 1 if self.full == 0 and len(self.row_folds) > 1 else 0

    @property
    def second_confirmation_fold(self) -> int:
        """A third fold with as many rows; 0 if there is none."""
        return 2 if self.confirmation_fold and len(self.row_folds) > 2 else 0

    def with_gates(self, gates: Gates) -> ModelSpec:
        """The same rows and columns, with other gates."""
        return replace(self, gates=gates)

    @property
    def reweighted(self) -> bool:
        """Whether inputs are weighted by relevance."""
        return not isinstance(self.factor, float)

    def reweight(self, factor: Floats) -> ModelSpec:
        """Columns times the relevance of their inputs."""
        return replace(self, design=self.design.scaled(factor), fold_cache={}, factor=self.factor * factor)

    def with_loss(self, loss: Loss) -> ModelSpec:
        """The same columns and rows, with another loss."""
        folds = [(replace(train, loss=loss), replace(valid, loss=loss)) for train, valid in self.row_folds]
        return replace(self, row_folds=folds, fold_cache={})

    def only(self, inputs: Inputs) -> ModelSpec:
        """The columns of some inputs."""
        return replace(self, design=self.design.only(inputs), fold_cache={})


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate and how to train it again on other rows: columns, slopes, with or without gates."""

    spec: ModelSpec
    slopes: Slopes
    grown: bool
    candidate: Candidate

    @property
    def loss(self) -> float:
        return self.candidate.loss

    def selection_bias(self, fold_index: int) -> Floats:
        """Correction of each held-out row's loss, because these rows selected the tree's size (scorer.py).

        A tree refined from this one has the same size and the same correction.
        """
        (tree,), valid = self.candidate.tree, self.spec.fold(fold_index).valid
        return self.candidate.row_loss - valid.row_loss(tree.shape, tree.parameters)

    def rescale_columns(self, spec: ModelSpec) -> Trial:
        """The same trees over the columns of a spec that differ by factors only."""
        trees = [tree.rescale_columns(self.spec.factor / spec.factor) for tree in self.candidate.tree]
        return replace(self, spec=spec, candidate=replace(self.candidate, tree=trees))
