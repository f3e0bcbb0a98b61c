"""BuddingTreeRegressor: the scikit-learn interface to learners/budding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length

from softwood.arrays import Floats
from softwood.estimators.base.losses import LossNumbers, refuse_loss_of_engine, refuse_targets, rows_of_loss
from softwood.estimators.base.steps import Callback, check_callback
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.estimators.budding.batches import fit_in_parts
from softwood.estimators.budding.shared import NOTHING, BuddingTree
from softwood.intake.cells.frames import target_names
from softwood.intake.engine import choose_engine
from softwood.intake.parts.scan import Scan
from softwood.intake.read import read
from softwood.intake.table.rows import (
    number_schema,
    read_held_numbers,
)
from softwood.intake.table.table import read_fit, read_predict
from softwood.intake.table.target import read_numbers
from softwood.intake.table.weights import read_weights
from softwood.kernels.kinds import Link, Loss
from softwood.learners.soft.rows.dataset import Dataset


class BuddingTreeRegressor(LossNumbers, RegressorMixin, BuddingTree):
    """A regression tree whose nodes can be leaf and branch at the same time.

    Apart from its loss, parameters are those of BuddingTreeClassifier.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"}
        What is predicted: the mean, the median, a robust mean, a quantile; or the mean of counts or amounts, which is
        never negative (docs/losses.md). All but "squared_error" need the joint learner; `partial_fit` continues with
        the loss of `fit`.
    quantile : float
        Level for loss="quantile": 0.9 is exceeded by one target in ten.
    delta : float
        For loss="huber": errors above it are penalised linearly, not quadratically. Unit: the spread of y (1.48 times
        its median absolute deviation).
    power : float
        For loss="tweedie": the variance grows as the mean to this power, between 1 (counts) and 2 (amounts).

    Examples
    --------
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = BuddingTreeRegressor().fit(x, np.sin(x[:, 0]))
    >>> bool(np.mean((model.predict(x) - np.sin(x[:, 0])) ** 2) < 0.01)
    True
    """

    def __init__(
        self,
        *,
        learner: str = "joint",
        leafness_penalty: Any = "auto",
        learning_rate: Any = "auto",
        optimizer: str = "adagrad",
        batch_size: int = 1,
        gate: str = "auto",
        leaf: str = "auto",
        loss: str = "squared_error",
        quantile: float = 0.5,
        delta: float = 1.0,
        power: float = 1.5,
        weight_penalty: Any = "auto",
        monotonic_cst: Any = None,
        max_nodes: int = 63,
        max_epochs: int = 200,
        shuffle: bool = True,
        round_buds: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        engine: str = "auto",
        keep_on_interrupt: bool = False,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.leafness_penalty = leafness_penalty
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.gate = gate
        self.leaf = leaf
        self.loss = loss
        self.quantile = quantile
        self.delta = delta
        self.power = power
        self.weight_penalty = weight_penalty
        self.monotonic_cst = monotonic_cst
        self.max_nodes = max_nodes
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.round_buds = round_buds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.engine = engine
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
        """Fit the model from scratch; as BuddingTreeClassifier.fit, with offsets.

        Parameters
        ----------
        X, sample_weight, X_val, y_val, groups, callback : as in BuddingTreeClassifier.fit.
        y : numbers, shape (rows,) or (rows, targets).
        offset, offset_val : one number per row of X and of X_val that is added to the output of the tree. With a log
            link it is the logarithm of the exposure, as in SoftTreeRegressor.fit. `predict` takes one, too.
        """
        engine, loss = choose_engine(self, X), self._loss
        check_callback(callback, engine)
        if engine != "memory":
            refuse_loss_of_engine(self.loss, engine, offset)
        if self.learner == "online":
            _refuse_online(loss, self.loss)
        given = read(self, engine, X, y, sample_weight, groups, is_classes=False)
        if isinstance(given, Scan):
            fit_in_parts(self, given, X_val, y_val)
            return self
        self._one_target, self._schema, self._seen = given.one_target, given.schema, NOTHING
        known = rows_of_loss(loss, given.values, read_weights(sample_weight, len(given.values)), offset)
        dataset = replace(self._problem(given.table.values, *known), group=given.group)
        if offset is not None:
            dataset = replace(dataset, count=given.weight)
        held, validation = read_held_numbers(self, X_val, y_val, self._schema, given.values.shape[1]), None
        if held is not None:
            kept = rows_of_loss(loss, held[1], np.ones(len(held[1])), offset_val, "_val")
            validation = self._problem(held[0], *kept)
        learned = self._learn(dataset, validation, callback)
        if loss.link == Link.LOG and offset is not None:  # errors of rates, which depend on the exposure
            self.__dict__.pop("_conformal", None)
        return learned

    @transactional_fit
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Continue learning from a chunk of rows, in their order; the size of the chunks does not change the tree."""
        first, loss = "_stream" not in vars(self), self._loss
        values, one_target = read_numbers(y)
        if first:
            _refuse_online(loss, self.loss)
            columns = read_fit(self, X, self.categorical_features).columns
            self._schema, self._seen = number_schema(columns, values.shape[1], target_names(y)), NOTHING
            self._one_target = one_target
        elif loss != self._stream.options.loss:
            raise ValueError(
                f"partial_fit cannot change the loss, and this tree was not started with loss={self.loss!r}: call fit."
            )
        rows = read_predict(self, X, self._schema)
        if len(rows) != len(values):
            check_consistent_length(rows, values)
        if not first and values.shape[1] != self._stream.state.outputs:
            raise ValueError(f"y must have {self._stream.state.outputs} targets as before, got {values.shape[1]}.")
        weight = read_weights(sample_weight, len(values))
        refuse_targets(loss, values, weight, "y of partial_fit")
        return self._continue(self._problem(rows, values, weight), first)

    def _problem(self, rows: Floats, values: Floats, weight: Floats) -> Dataset:
        return Dataset(rows, values, weight, self._schema.level_counts.tolist(), self._loss)


def _refuse_online(loss: Loss, name: str) -> None:
    """Raise an error for a loss that `partial_fit` does not support in its first call."""
    if loss != Loss.SQUARED:
        raise ValueError(
            f"loss={name!r} needs the spread or the mean of all targets, which the online learner does not know "
            "before its first row: call fit with learner='joint'; partial_fit continues from there."
        )
