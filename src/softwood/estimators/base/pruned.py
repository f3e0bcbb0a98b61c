"""Shared by CARTClassifier and CARTRegressor: growing with the user's options, and other sizes of the tree."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.base import RowCount, TreeEstimator
from softwood.estimators.base.intervals import Calibrated, copy_uncalibrated
from softwood.intake import options
from softwood.intake.table.columns import Table
from softwood.intake.table.groups import refuse_divided
from softwood.kernels.contracts.growth import Growth
from softwood.kernels.kinds import Criterion, Missing
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.hard.cart import learn_cart
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned, Pruning, plain_table
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.parts.stats import exact_mean
from softwood.tree import HeldOut, Provenance, Schema, cut_tree

MISSING = {
    "surrogate": Missing.SURROGATE,
    "direction": Missing.DIRECTION,
    "fraction": Missing.FRACTION,
    "category": Missing.CATEGORY,
    "mean": Missing.DIRECTION,  # the learner imputes; the gates then record the child of the mean
}
PRUNE = ("cv", "validation", "reduced_error", None)


class PrunedTree(Calibrated, TreeEstimator):
    """Base class of the classifier and the regressor; not for direct use."""

    _engines = ("memory", "batches", "dask")
    pruning_sequence_: PruningSequence
    _pruning_table: PruningTable | None  # None if no rows were held out

    @property
    def pruning_table_(self) -> PruningTable:
        """The cost of each tree of the pruning sequence."""
        check_is_fitted(self, "tree_")
        table = self._pruning_table
        return plain_table(self.pruning_sequence_) if table is None else table

    @property
    def held_out_(self) -> dict[str, Any] | None:
        """The cost of the tree by cross-validation or on validation rows: measure, value, standard_error and by."""
        table = self.pruning_table_
        value, spread = float(table.tested_error[table.chosen]), float(table.standard_error[table.chosen])
        if not np.isfinite(value):
            return None
        by = "by cross-validation" if table.tested_by == "cv" else "on validation rows"
        return {"measure": "error", "value": value, "standard_error": spread, "by": by}

    # -- fit -----------------------------------------------------------------------------------------------------------

    def _learn(self, problem: Problem, table: Table, schema: Schema, validation: Problem | None) -> Pruned:
        params = vars(self)
        pruning = self._pruning(problem, validation)
        growth = self._growth(table, problem.criterion, float(problem.weight.sum()))
        options.warn_of_light_rows(problem.weight, max(growth.min_samples_split, 2 * growth.min_samples_leaf))
        return learn_cart(
            problem,
            schema,
            growth,
            pruning,
            max_bins=options.integer("max_bins", params["max_bins"], 2, 256, otherwise=0),
            fill=_center(table, problem.weight) if params["missing"] == "mean" else None,
            n_jobs=self._threads(),
        )

    def _growth(self, table: Table, criterion: Criterion, total: float) -> Growth:
        p = vars(self)
        return Growth(
            criterion=criterion,
            max_depth=options.integer("max_depth", p["max_depth"], 0, otherwise=2**31 - 1),
            max_leaves=options.integer("max_leaves", p["max_leaves"], 1, otherwise=0),
            min_samples_split=options.row_count("min_samples_split", p["min_samples_split"], 2, total),
            min_samples_leaf=options.row_count("min_samples_leaf", p["min_samples_leaf"], 1, total),
            min_impurity=options.real("min_impurity", p["min_impurity"], 0.0),
            min_impurity_decrease=options.real("min_impurity_decrease", p["min_impurity_decrease"], 0.0),
            missing=MISSING[p["missing"]],
            max_surrogates=options.integer("max_surrogates", p["max_surrogates"], 0),
            monotone=options.monotone_signs(p["monotonic_cst"], table.columns),
        )

    def _check_options(self, criteria: dict[str, Criterion], X_val: Any, y_val: Any) -> Criterion:
        p = vars(self)
        options.one_of("missing", p["missing"], tuple(MISSING))
        if options.smoothing_of(p.get("smoothing")) is not None and p["monotonic_cst"] is not None:
            raise ValueError(
                "smoothing cannot be combined with monotonic_cst, because it changes small leaves more than large "
                "ones: set one of them."
            )
        self._check_pruning(X_val, y_val)
        return criteria[options.one_of("criterion", p["criterion"], tuple(criteria))]

    def _check_pruning(self, X_val: Any, y_val: Any, methods: tuple[str | None, ...] = PRUNE) -> None:
        """Check that validation rows are given if and only if pruning needs them."""
        p, has_validation = vars(self), X_val is not None or y_val is not None
        options.one_of("prune", p["prune"], methods)
        options.boolean("one_se", p["one_se"])
        wanted = p["prune"] in ("validation", "reduced_error")
        if wanted and (X_val is None or y_val is None):
            raise ValueError(f"prune={p['prune']!r} needs validation rows: fit(X, y, X_val=..., y_val=...).")
        if has_validation and not wanted:
            raise ValueError(
                f"X_val and y_val are for prune='validation' or 'reduced_error', got prune={p['prune']!r}."
            )

    def _pruning(self, problem: Problem, validation: Problem | None) -> Pruning:
        """How to choose the size, from the options."""
        p = vars(self)
        seed = options.seed_of(p["random_state"])
        folds = options.fold_rows(p["cv"], problem.X, problem.y, problem.group)
        if not isinstance(folds, int):
            refuse_divided(folds, problem.group, p["cv"])
        return Pruning(p["prune"], p["one_se"], folds, seed, validation, options.smoothing_of(p.get("smoothing")))

    def _remember(self, pruned: Pruned, weight: Floats | RowCount) -> Self:
        origin = self._provenance(weight, self._held_out(pruned.table))
        self.tree_, self._pruning_table = pruned.tree.with_provenance(origin), pruned.table
        self.pruning_sequence_ = pruned.sequence
        self._take_held_out(pruned.held_out, pruned.tree.schema)
        return self

    def _held_out(self, table: PruningTable | None) -> HeldOut | None:
        """The cost of the chosen tree on held-out rows."""
        if table is None or not np.isfinite(table.tested_error[table.chosen]):
            return None
        p, error = vars(self), float(table.standard_error[table.chosen])
        measure = (
            ("error" if p["costs"] is None else "cost") if "costs" in p else str(p.get("criterion", "squared_error"))
        )
        method = "cross-validation" if table.tested_by == "cv" else "validation"
        value = float(table.tested_error[table.chosen])
        return HeldOut(measure, method, value, error if np.isfinite(error) else None)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The alphas of the pruning sequence and the impurity of its trees, as in scikit-learn.

        Grows a tree on all rows without choosing a size; this estimator is unchanged.

        Returns
        -------
        path : Bunch with `ccp_alphas` (increasing) and `impurities` of the leaves. Alphas that differ by rounding only
            are merged; each can be passed to `prune_to`.
        """
        grown = clone(self).set_params(prune=None).fit(X, y, sample_weight=sample_weight)
        sequence = grown.pruning_sequence_
        risk = np.maximum(sequence.risk, 0.0)
        return Bunch(ccp_alphas=sequence.alpha, impurities=sequence.sum_leaves(risk))

    # -- another size --------------------------------------------------------------------------------------------------

    def prune_to(self, *, alpha: float | None = None, n_leaves: int | None = None) -> Self:
        """A copy with another tree of the pruning sequence; this estimator is unchanged.

        Parameters
        ----------
        alpha : penalty per leaf; selects the smallest tree with the lowest penalised cost.
        n_leaves : maximum number of leaves; selects the largest tree of the sequence within it.

        Notes
        -----
        A branch that is in the copy but not in this estimator's tree has surrogates only if its feature had missing
        values at fit; otherwise a missing value goes to the larger child.
        """
        check_is_fitted(self, "tree_")
        if (alpha is None) == (n_leaves is None):
            raise ValueError(f"give either alpha or n_leaves, got alpha={alpha!r} and n_leaves={n_leaves!r}.")
        table = self.pruning_table_
        if n_leaves is not None:
            fitting = np.flatnonzero(table.n_leaves <= options.integer("n_leaves", n_leaves, 1))
        else:
            fitting = np.flatnonzero(table.alpha <= options.real("alpha", alpha, 0.0))[:1]
        row = int(fitting[-1])
        pruned = copy_uncalibrated(self)
        is_leaf = self.pruning_sequence_.is_leaf(table.alpha[row])
        pruned._pruning_table = table.choose(row)
        origin = self.tree_.provenance or Provenance()
        origin = replace(origin.then("prune_to"), held_out=self._held_out(pruned._pruning_table))
        pruned.tree_ = cut_tree(self.pruning_sequence_.tree, is_leaf).with_provenance(origin)
        return pruned

    def snip(self, node: int) -> Self:
        """A copy in which this branch is collapsed to a leaf; this estimator is unchanged.

        Parameters
        ----------
        node : id of the branch, as `to_text` and `apply` show it.
        """
        check_is_fitted(self, "tree_")
        tree = self.tree_
        options.integer("node", node, 0, tree.n_nodes - 1)
        if tree.n_children[node] == 0:
            raise ValueError(
                f"node {node} is a leaf; the branches are {np.flatnonzero(tree.n_children).tolist()!r:.80}."
            )
        snipped = copy_uncalibrated(self)
        snipped.tree_ = cut_tree(tree, np.arange(tree.n_nodes) == node).changed(f"snip node {node}")
        return snipped


def _center(table: Table, weight: Floats) -> Floats:
    """The value that replaces a missing one: the mean of a number, the most frequent category (0 if all are
    missing).
    """
    fill = np.zeros(table.values.shape[1])
    if isinstance(table.values, SparseTable):
        return _stored_center(table.values, weight)
    for column, levels in enumerate(table.columns.level_counts):
        values = table.values[:, column]
        known = ~np.isnan(values) & (weight > 0)
        if known.any() and levels:
            fill[column] = np.bincount(values[known].astype(np.int64), weight[known], levels).argmax()
        elif known.any():
            fill[column] = exact_mean(values[known], weight[known])
    return fill


def _stored_center(X: SparseTable, weight: Floats) -> Floats:
    """The column means of a sparse table."""
    fill, (begin, row, value), total = np.zeros(X.n_columns), X.by_column(), math.fsum(weight)
    for column in np.unique(X.column):
        at = slice(begin[column], begin[column + 1])
        known = ~np.isnan(value[at]) & (weight[row[at]] > 0)
        zeros = max(math.fsum([total, *(-weight[row[at]])]), 0.0)
        values, weights = np.append(value[at][known], 0.0), np.append(weight[row[at]][known], zeros)
        if known.any():
            fill[column] = exact_mean(values, weights)
    return fill
