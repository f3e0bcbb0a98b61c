"""Shared by linear discriminant and omnivariate trees: rows of a hard tree, gates of several inputs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.base import Numbers, Probabilities
from softwood.estimators.base.pruned import PrunedTree
from softwood.estimators.base.steps import Callback, check_callback, show_steps
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.intake import options
from softwood.intake.table.rows import (
    read_held_labels,
    read_held_numbers,
    read_labelled,
    read_numbered,
    read_table,
    with_costs,
)
from softwood.intake.table.weights import class_factor, drop_classes
from softwood.kernels import column_moments
from softwood.kernels.arithmetic import matmul
from softwood.kernels.formulas.equation import expand
from softwood.kernels.kinds import Criterion, Term
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned
from softwood.learners.oblique.grow import Limits
from softwood.learners.soft.rows.moments import is_valid
from softwood.tree import Schema, Tree
from softwood.tree.gain import gain_importances
from softwood.tree.splits import growth_of

CLASS_CRITERIA = {"gini": Criterion.GINI, "entropy": Criterion.ENTROPY, "error": Criterion.ERROR}


class ObliqueTree(PrunedTree):
    """Base class of hard trees with linear gates; not for direct use."""

    _spread: Floats  # of the basis columns among the training rows

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the impurity reduction of all gates; sums to 1 (all 0 for a single leaf).

        The gain of a linear gate is divided among its features in proportion to the squared product of weight and
        standard deviation of the column among the training rows.
        """
        check_is_fitted(self, "tree_")
        return gain_importances(self.tree_, self._spread)

    def _limits(self, total: float) -> Limits:
        p = vars(self)
        return Limits(
            max_depth=options.integer("max_depth", p["max_depth"], 0, otherwise=2**31 - 1),
            min_samples_split=options.row_count("min_samples_split", p["min_samples_split"], 2, total),
            min_samples_leaf=options.row_count("min_samples_leaf", p["min_samples_leaf"], 1, total),
            min_impurity_decrease=options.real("min_impurity_decrease", p["min_impurity_decrease"], 0.0),
        )

    def _grow(self, problem: Problem, schema: Schema, validation: Problem | None) -> Pruned:
        raise NotImplementedError

    def _fitted(
        self, problem: Problem, schema: Schema, validation: Problem | None, weight: Floats, callback: Callback
    ) -> Self:
        limits = self._limits(float(problem.weight.sum()))
        options.warn_of_light_rows(problem.weight, max(limits.min_samples_split, 2 * limits.min_samples_leaf))
        self._remember(self._grow(problem, schema, validation), weight)
        self._spread = spread_of(self.pruning_sequence_.tree, problem)
        show_steps(callback, growth_of(self.tree_))
        return self


class ObliqueClassifier(Probabilities, ObliqueTree):
    """Mixin of the classifiers."""

    costs: Any

    @transactional_fit
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None, groups: Any = None,
        callback: Callback = None,
    ) -> Self:  # fmt: skip
        """Grow and prune the tree.

        Parameters
        ----------
        X : array or data frame (rows, features); missing values are allowed.
        y : class labels of any type.
        sample_weight : a row of weight two counts as two rows, a row of weight zero is ignored.
        X_val, y_val : validation rows that choose the size, never trained on (prune "validation" and "reduced_error").
        groups : group of each row, such as a patient or a day; no group is split across folds.
        callback : called at the end of `fit` with the tree after each step of learning, the last being `tree_`; see
            `plot_growth`. It does not change the fit and is not stored.
        """
        check_callback(callback)
        p = vars(self)
        criterion = CLASS_CRITERIA[options.one_of("criterion", p["criterion"], tuple(CLASS_CRITERIA))]
        self._check_pruning(X_val, y_val)
        given = read_labelled(read_table(self, X), y, sample_weight, groups)
        table, self.classes_, codes, weight = given.table, given.classes, given.codes, given.weight
        costs = options.cost_matrix(self.costs, self.classes_)
        factor = class_factor(p["class_weight"], p["priors"], self.classes_, codes, weight)
        if factor is not None:
            weight, factor = drop_classes(weight, factor, codes)
        levels = table.columns.level_counts
        problem = Problem(
            table.values, levels, codes, weight, criterion, len(self.classes_), factor, costs, group=given.group
        ).counted()
        held = read_held_labels(self, X_val, y_val, table.columns, self.classes_)
        validation = None if held is None else problem.with_rows(*held, np.ones(len(held[0])))
        return self._fitted(problem, with_costs(given.schema, costs), validation, given.weight, callback)


class ObliqueRegressor(Numbers, ObliqueTree):
    """Mixin of the regressors."""

    @transactional_fit
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None, groups: Any = None,
        callback: Callback = None,
    ) -> Self:  # fmt: skip
        """Grow and prune the tree; parameters as in the classifier's fit, y of shape (rows,) or (rows, targets)."""
        check_callback(callback)
        self._check_pruning(X_val, y_val)
        given = read_numbered(read_table(self, X), y, sample_weight, groups)
        table, values, weight, self._one_target = given.table, given.values, given.weight, given.one_target
        problem = Problem(
            table.values, table.columns.level_counts, values, weight, Criterion.SQUARED_ERROR, group=given.group
        ).counted()
        held = read_held_numbers(self, X_val, y_val, table.columns, values.shape[1])
        validation = None if held is None else problem.with_rows(*held, np.ones(len(held[0])))
        return self._fitted(problem, given.schema, validation, given.weight, callback)


def spread_of(tree: Tree, problem: Problem) -> Floats:
    """Standard deviation of every basis column among the rows, by weight."""
    share, basis = problem.weight / problem.weight.sum(), tree.basis
    if np.all(basis.term == Term.IDENTITY):
        moments = column_moments(problem.X, problem.weight)
        if moments is not None and np.all(is_valid(*(part[basis.feature] for part in moments[1:]))):
            return moments[1][basis.feature]
    phi = expand(basis, problem.X)
    size = np.maximum(np.maximum(phi.max(axis=0, initial=0.0), -phi.min(axis=0, initial=0.0)), 1e-300)
    phi = phi / size  # squares do not overflow
    phi -= matmul(share, phi)
    return np.asarray(size * np.sqrt(matmul(share, np.square(phi, out=phi))))
