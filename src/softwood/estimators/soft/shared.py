"""SoftTree, the base class of SoftTreeClassifier and SoftTreeRegressor: options, learning, learned attributes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.base import RowCount, TreeEstimator
from softwood.estimators.base.intervals import Calibrated, copy_uncalibrated
from softwood.estimators.base.losses import loss_name
from softwood.estimators.base.monotone import certificate_of, refuse_beside, soft_signs
from softwood.estimators.base.progress import search_bar
from softwood.estimators.base.steps import Callback, show_steps
from softwood.estimators.base.transactional_fit import warn_if_interrupted
from softwood.estimators.soft.results import held_out_of, history_line, relative_loss
from softwood.intake import options
from softwood.intake.cells.sparse_rows import is_worth_keeping
from softwood.kernels.kinds import Loss
from softwood.learners.column_order import ColumnOrder
from softwood.learners.soft.by_name import enter_dataset, enter_start, leave_result
from softwood.learners.soft.incremental import Incremental, learn_incremental
from softwood.learners.soft.learn import learn_joint_from, training_rows
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.readable import learn_readable, why_not_readable
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.learners.soft.warm_start import WarmStart
from softwood.tree import MonotonicCertificate, Schema, Tree

MAX_LEAVES, NO_LIMIT = 16, 2**31 - 1
LEARNERS = ("joint", "incremental")
STARTS = ("hard", "random")
EFFORTS = ("quick", "normal")
GATES = ("auto", "axis", "linear", "quadratic", "additive")
LEAVES = ("auto", "constant", "linear")
SPARSE_GATES = ("auto", "linear", "axis")  # of trees that learn from a sparse matrix without converting it


class SoftTree(Calibrated, TreeEstimator):
    """Base class of the classifier and the regressor; not for direct use."""

    _engines: tuple[str, ...] = ("memory", "batches", "dask", "torch")
    history_: list[dict[str, Any]]
    _importance: Floats
    _gain_importance: Floats
    _hardened: Tree
    _grown: WarmStart | None

    def _options(self) -> dict[str, Any]:
        """The parameters; for a forest, also those that only single trees have."""
        given: dict[str, Any] = self.get_params(deep=False)
        return given

    def _keeps_sparse(self, X: Any) -> bool:
        """Whether it learns from a sparse matrix without converting it."""
        p = self._options()
        plain = p["learner"] == "joint" and p["gate"] in SPARSE_GATES and p["monotonic_cst"] is None
        in_memory = p["engine"] in ("auto", "memory") and p["device"] is None
        return plain and in_memory and is_worth_keeping(X)

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the increase in training loss if the feature stays at its mean.

        The mean replaces it in all gates and responses; shares sum to 1 (all 0 if no feature is used).
        """
        check_is_fitted(self, "tree_")
        return self._importance

    @property
    def gain_importances_(self) -> Floats:
        """Each feature's share of the impurity reduction, as in CART but with rows weighted by their reach.

        The gain of a linear gate is divided among its features by the variance of what they add to the score; the
        further gain of linear responses likewise. If features matter only together, the one further down the tree gets
        all of the gain, so `feature_importances_` is more informative.
        """
        check_is_fitted(self, "tree_")
        return self._gain_importance

    @property
    def held_out_(self) -> dict[str, Any] | None:
        """Held-out score of the chosen kind of tree: log loss for classes, R² for numbers.

        With a loss other than the squared error, D², the relative reduction of the loss from the best constant.
        """
        check_is_fitted(self, "tree_")
        return self._told_held_out("on rows held out to choose the tree") if self.history_ else None

    def _told_held_out(self, by: str) -> dict[str, Any]:
        tree, loss = self.tree_, self._held_out_loss
        if tree.schema.task == "classification":
            return {"measure": "log loss", "value": loss, "by": by}
        measure = "R²" if loss_name(self._options()["loss"]) == "squared_error" else "D²"
        return {"measure": measure, "value": 1.0 - 2.0 * loss / tree.n_outputs, "by": by}

    @property
    def monotonic_certificate_(self) -> MonotonicCertificate | None:
        """The proof that predictions are monotone as `monotonic_cst` requires, computed from the tree; None without
        constraints.
        """
        check_is_fitted(self, "tree_")
        return certificate_of(self.tree_, self._options()["monotonic_cst"])

    def harden(self) -> Self:
        """A copy whose gates are steps: each row follows the child with the larger share.

        This estimator is unchanged.
        """
        check_is_fitted(self, "tree_")
        hard = copy_uncalibrated(self)
        hard.tree_ = self._hardened.with_provenance(self.tree_.provenance).changed("harden")
        return hard

    def _learn(
        self, dataset: Dataset, schema: Schema, validation: Dataset | None, engine: str, keep_steps: bool
    ) -> FitResult:
        how = replace(self._joint(engine), keep_steps=keep_steps)
        p = self._options()
        refuse_beside(p, learner=("incremental", "grows leaf by leaf without constraints"))
        order = ColumnOrder.of(schema)
        dataset = enter_dataset(order, dataset)
        validation = None if validation is None else enter_dataset(order, validation)
        if p["learner"] == "joint":
            return self._learn_from(training_rows(dataset, how), schema, how, validation)
        if dataset.loss != Loss.SQUARED and not dataset.loss.is_classes:
            raise ValueError(
                f"learner='incremental' supports the squared error only; loss={p['loss']!r} needs learner='joint'."
            )
        if p["readable"]:
            raise ValueError(
                "readable=True chooses among kinds of trees; learner='incremental' has only one. Drop either."
            )
        if engine == "torch":
            raise ValueError("engine='torch' needs learner='joint'; learner='incremental' processes one row at a time.")
        max_leaves = NO_LIMIT if p["max_leaves"] is None else how.max_leaves
        stepwise = Incremental(
            p["start"], max_leaves, how.least_gain, n_threads=how.n_threads, seed=how.seed, keep=how.keep
        )
        return leave_result(order, learn_incremental(dataset, order.schema(schema), stepwise, validation))

    def _joint(self, engine: str = "memory") -> JointOptions:
        """The options, checked."""
        p = self._options()
        options.one_of("learner", p["learner"], LEARNERS)
        options.one_of("start", p["start"], STARTS)
        options.boolean("readable", p["readable"])
        max_leaves = options.integer("max_leaves", p["max_leaves"], 1, otherwise=MAX_LEAVES)
        patience = options.integer("n_iter_no_change", p["n_iter_no_change"], 1)
        return JointOptions(
            gate=options.one_of("gate", p["gate"], GATES),
            leaf=options.one_of("leaf", p["leaf"], LEAVES),
            max_leaves=max_leaves,
            more_leaves=p["max_leaves"] is None,
            penalty=options.auto("weight_penalty", p["weight_penalty"]),
            max_gate_features=None
            if p["max_gate_features"] is None
            else options.integer("max_gate_features", p["max_gate_features"], 1),
            patience=patience if options.boolean("early_stopping", p["early_stopping"]) else max_leaves,
            least_gain=options.real("tol", p["tol"], 0.0),
            max_iter=options.integer("max_iter", p["max_iter"], 1),
            n_threads=self._threads(),
            seed=options.seed_of(p["random_state"]),
            keep=options.boolean("keep_on_interrupt", p["keep_on_interrupt"]),
            engine="torch" if engine == "torch" else "memory",
            device=p["device"],
            effort=options.one_of("effort", p["effort"], EFFORTS),
        )

    def _learn_from(
        self, rows: TrainingRows, schema: Schema, how: JointOptions, validation: Dataset | None
    ) -> FitResult:
        """The joint learner for any engine, with columns ordered by name."""
        p = self._options()
        refuse_beside(p, warm_start=(True, "continues with the columns of a tree without constraints"))
        order = ColumnOrder.of(schema)
        how = replace(how, signs=order.each(soft_signs(p["monotonic_cst"], schema)))
        before, names = enter_start(order, self._before(schema, rows.sample.loss)), order.schema(schema)
        with search_bar(options.verbosity(p["verbose"])) as report:
            learn = learn_readable if options.boolean("readable", p["readable"]) else learn_joint_from
            found = learn(rows, names, replace(how, report=report), validation, before)
        return leave_result(order, found)

    def _before(self, schema: Schema, loss: Loss) -> WarmStart | None:
        """The state that a warm start continues from; the table must have the same columns and the same classes."""
        if not (options.boolean("warm_start", self._options()["warm_start"]) and hasattr(self, "tree_")):
            return None
        if not self.tree_.schema.same_columns_and_answers(schema):
            raise ValueError(
                "warm_start=True needs the columns and classes of the previous fit, and these differ. Fit a new "
                "estimator, or set warm_start=False."
            )
        same_mix = self._grown is None or self._grown.tree.leaf_link == loss.leaf_link
        if self.tree_.link != loss.output_link or not same_mix:
            raise ValueError(
                "warm_start=True needs a loss with the same link and the same mix as in the previous fit. Fit a "
                "new estimator, or set warm_start=False."
            )
        return self._grown

    def _remember(self, learned: FitResult, weight: Floats | RowCount, callback: Callback = None) -> Self:
        warn_if_interrupted(learned.interrupted)
        self.tree_ = learned.tree.with_provenance(self._provenance(weight, held_out_of(learned)))
        p = self._options()
        unreadable = why_not_readable(self.tree_, p["max_gate_features"]) if p["readable"] else ""
        if unreadable:
            warnings.warn(unreadable, UserWarning, stacklevel=4)
            self.tree_ = self.tree_.changed(unreadable)
        self._importance, self._gain_importance = learned.described.importance, learned.described.by_gain
        self._hardened = learned.described.hardened
        self._grown, self._held_out_loss = learned.grown, relative_loss(learned)
        self.history_ = [history_line(candidate) for candidate in learned.candidates]
        self.weight_penalty_ = learned.chosen.penalty
        self.n_iter_ = learned.n_iter
        self._take_held_out(learned.held_out, learned.tree.schema)
        show_steps(callback, (*learned.steps[:-1], self.tree_))
        return self
