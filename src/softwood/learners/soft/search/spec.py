"""A kind of tree in the search: a design matrix with the folds of the rows; and a trial of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.params.other_columns import over_columns
from softwood.learners.soft.params.params import Gates, Slopes, SoftTreeParams
from softwood.learners.soft.regimes import IMPORTANCE_ROWS
from softwood.learners.soft.rows.binning import Binned
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import Fold
from softwood.learners.soft.search.selection import Candidate
from softwood.tree.once import computed_once

Inputs = npt.NDArray[np.bool_]  # indices of the inputs
DesignOf = Callable[[int | None], DesignMatrix]  # the columns for a fold; None: for all rows


class Columns(NamedTuple):
    """A kind of columns; `design_of` a fold if each fold has its own, chosen by its training rows."""

    basis_spec: BasisSpec
    design: DesignMatrix
    design_of: DesignOf | None = None


@dataclass(frozen=True, eq=False)
class ModelSpec:
    """The design matrix of one basis spec, the kind of gates, and the folds of the rows.

    full : the first fold of full size. For large tables, smaller folds for screening precede it.
    factor : of each column, its relevance (relevance.py); 1 where all inputs are penalized alike.
    design_of : the columns of a fold if each fold has its own, chosen by its training rows; `design` is of the first.
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
    design_of: DesignOf | None = None
    known_designs: dict[int | None, DesignMatrix] = field(default_factory=dict)

    def columns(self, fold_index: int | None) -> DesignMatrix:
        """The columns of a fold; None: of all rows, or in large tables of the full fold."""
        if self.design_of is None or fold_index == 0:
            return self.design
        fold_index = self.full if self.full and fold_index is None else fold_index
        if fold_index not in self.known_designs:
            self.known_designs[fold_index] = self.design_of(fold_index)
        return self.known_designs[fold_index]

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
                self.columns(fold_index),
                self.n_threads,
                self.single,
                expansion=self.expansion if self.columns(fold_index) is self.design else None,
                binned=self.binned[fold_index],
            )
        return self.fold_cache[fold_index]

    @computed_once
    def expansion(self) -> Expansion:
        """The columns of the first fold as tables."""
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

    def with_columns(self, basis_spec: BasisSpec, design: DesignMatrix, design_of: DesignOf | None) -> ModelSpec:
        """The same rows and gates, with other columns."""
        return replace(self, basis_spec=basis_spec, design=design, design_of=design_of, fold_cache={}, known_designs={})

    def over_all_rows(self) -> ModelSpec:
        """The same with the columns of all rows for every fold."""
        return self if self.design_of is None else self.with_columns(self.basis_spec, self.columns(None), None)

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
        of_fold = None if self.design_of is None else (lambda fold_index: self.columns(fold_index).only(inputs))
        return replace(self, design=self.design.only(inputs), fold_cache={}, design_of=of_fold, known_designs={})


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate and how to train it again on other rows: columns, slopes, with or without gates.

    first_fold : the fold of its first tree.
    """

    spec: ModelSpec
    slopes: Slopes
    grown: bool
    candidate: Candidate
    first_fold: int = 0

    @property
    def loss(self) -> float:
        return self.candidate.loss

    def over(self, fold_index: int | None) -> Candidate:
        """The candidate with all trees over the columns of one fold; None: of all rows."""
        spec, after = self.spec, self.spec.columns(fold_index)

        def moved(tree: SoftTreeParams, k: int) -> SoftTreeParams:
            before, rows = spec.columns(k), spec.row_folds[k][0]
            return tree if before is after else over_columns(tree, before, after, rows.head(IMPORTANCE_ROWS).X)

        trees = [moved(tree, k) for k, tree in enumerate(self.candidate.tree, self.first_fold)]
        return replace(self.candidate, tree=trees)

    def from_full_fold(self) -> Trial:
        """The trial; a tree of the screening fold, if the search was interrupted, over the columns of the full fold."""
        full = self.spec.full
        if self.first_fold == full:
            return self
        return replace(self, candidate=self.over(full), first_fold=full)

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
