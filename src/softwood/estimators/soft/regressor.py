"""SoftTreeRegressor: the scikit-learn interface to learners/soft."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from softwood.estimators.base.losses import LossNumbers, refuse_loss_of_engine, rows_of_loss
from softwood.estimators.base.steps import Callback, check_callback
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.estimators.soft.batches import fit_in_parts
from softwood.estimators.soft.mixing import loss_of_mix
from softwood.estimators.soft.shared import SoftTree
from softwood.intake.cells.sparse_rows import like_training_rows
from softwood.intake.engine import choose_engine
from softwood.intake.parts.scan import Scan
from softwood.intake.read import read
from softwood.intake.table.rows import (
    read_held_numbers,
)
from softwood.kernels.kinds import Link
from softwood.learners.soft.rows.dataset import Dataset


class SoftTreeRegressor(LossNumbers, RegressorMixin, SoftTree):
    """A small regression tree with soft gates.

    Apart from its loss, parameters are those of SoftTreeClassifier.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"}
        What is predicted: the mean, the median, a robust mean, a quantile; or the mean of counts or amounts, which is
        never negative (docs/losses.md). It also chooses kind, penalty and size.
    quantile : float
        Level for loss="quantile": 0.9 is exceeded by one target in ten.
    delta : float
        For loss="huber": errors above it are penalised linearly, not quadratically. Unit: the spread of y (1.48 times
        its median absolute deviation).
    power : float
        For loss="tweedie": the variance grows as the mean to this power, between 1 (counts) and 2 (amounts).
    mix : {"output", "probability"}
        For losses with a link ("poisson", "gamma", "tweedie"): "output" predicts exp of the average over the leaves,
        "probability" the average of the leaves' means. For other losses these are the same.

    Examples
    --------
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = SoftTreeRegressor(leaf="constant").fit(x, np.sin(x[:, 0]))
    >>> bool(np.mean((model.predict(x) - np.sin(x[:, 0])) ** 2) < 0.001)
    True
    """

    def __init__(
        self,
        *,
        learner: str = "joint",
        gate: str = "auto",
        leaf: str = "auto",
        mix: str = "output",
        loss: str = "squared_error",
        quantile: float = 0.5,
        delta: float = 1.0,
        power: float = 1.5,
        max_leaves: int | None = None,
        weight_penalty: Any = "auto",
        max_gate_features: int | None = None,
        monotonic_cst: Any = None,
        effort: str = "normal",
        readable: bool = False,
        start: str = "hard",
        max_iter: int = 200,
        early_stopping: bool = True,
        n_iter_no_change: int = 3,
        tol: float = 1e-3,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        engine: str = "auto",
        device: str | None = None,
        keep_on_interrupt: bool = False,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.gate = gate
        self.leaf = leaf
        self.mix = mix
        self.loss = loss
        self.quantile = quantile
        self.delta = delta
        self.power = power
        self.max_leaves = max_leaves
        self.weight_penalty = weight_penalty
        self.max_gate_features = max_gate_features
        self.monotonic_cst = monotonic_cst
        self.effort = effort
        self.readable = readable
        self.start = start
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.engine = engine
        self.device = device
        self.keep_on_interrupt = keep_on_interrupt
        self.verbose = verbose

    @transactional_fit
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        groups: Any = None,
        offset: Any = None,
        offset_val: Any = None,
        callback: Callback = None,
    ) -> Self:
        """Fit the tree; as SoftTreeClassifier.fit, with offsets.

        Parameters
        ----------
        X, sample_weight, X_val, y_val, groups, callback : as in SoftTreeClassifier.fit.
        y : numbers, shape (rows,) or (rows, targets).
        offset, offset_val : one number per row of X and of X_val that is added to the output of the tree. With a log
            link (loss "poisson", "gamma", "tweedie") it is the logarithm of the exposure: y counts events in a number
            of hours or among a number of people, and the tree learns the rate. `predict` takes one, too.
        """
        engine = choose_engine(self, X)
        check_callback(callback, engine)
        loss = loss_of_mix(self._options(), engine, self._loss)
        if engine != "memory":
            refuse_loss_of_engine(self.loss, engine, offset)
        given = read(self, engine, X, y, sample_weight, groups, is_classes=False)
        if isinstance(given, Scan):
            fit_in_parts(self, given, X_val, y_val)
            return self
        table, self._one_target, levels = given.table, given.one_target, given.table.columns.level_counts.tolist()
        dataset = Dataset(
            table.values, *rows_of_loss(loss, given.values, given.weight, offset), levels, loss, group=given.group
        )
        if offset is not None:
            dataset = replace(dataset, count=given.weight)
        held, validation = read_held_numbers(self, X_val, y_val, table.columns, given.values.shape[1]), None
        if held is not None:
            known = rows_of_loss(loss, held[1], np.ones(len(held[1])), offset_val, "_val")
            validation = Dataset(like_training_rows(table.values, held[0]), *known, levels, loss)
        learned = self._learn(dataset, given.schema, validation, engine, callback is not None)
        if loss.link == Link.LOG and offset is not None:  # errors of rates, which depend on the exposure
            learned = replace(learned, held_out=None)
        return self._remember(learned, given.weight, callback)
