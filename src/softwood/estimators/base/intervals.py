"""predict_interval, predict_set and calibrate: the uncertainty of regressors and classifiers."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length

from softwood.arrays import Floats
from softwood.intake import options
from softwood.intake.row_blocks import in_row_blocks
from softwood.intake.table.target import encode_classes, read_numbers
from softwood.intake.table.weights import read_weights
from softwood.kernels.kinds import Link, Loss
from softwood.learners.conformal.intervals import ClassSets, Intervals
from softwood.parts.held_out import HeldOutRows
from softwood.tree import Schema

Estimator = TypeVar("Estimator", bound=Any)


class Calibrated:
    """Shared by both: quantiles of the errors on held-out rows."""

    _conformal: Any

    def _take_held_out(self, rows: HeldOutRows | None, schema: Schema) -> None:
        """Learn from the rows that the learner held out; if there are none, use `calibrate`."""
        self._conformal = None if rows is None else self._conformal_of(rows, schema)

    def _conformal_of(self, rows: HeldOutRows, schema: Schema) -> Any:
        raise NotImplementedError

    def _calibration(self, coverage: float, what: str) -> Any:
        """The quantiles learned from held-out rows; an error if there are too few rows for this coverage."""
        if not 0.0 < options.real("coverage", coverage, 0.0) < 1.0:
            raise ValueError(f"coverage must be between 0 and 1, such as 0.9, got {coverage!r}.")
        found = vars(self).get("_conformal")
        if found is None:
            raise ValueError(
                f"{what} needs rows that the tree was not trained on, but none were held out: call calibrate(X, "
                f"y) with rows that `fit` has not seen."
            )
        if coverage > found.largest_coverage:
            raise ValueError(
                f"coverage must be at most {found.largest_coverage:.4g} with the rows that were held out, got "
                f"{coverage}. Use a smaller coverage, or call calibrate(X, y) with more rows that `fit` has not seen."
            )
        return found


class IntervalPrediction(Calibrated):
    """Mixin of all regressors, to the left of TreeEstimator."""

    @in_row_blocks
    def predict_interval(self: Any, X: Any, coverage: float = 0.9) -> Floats:
        """Lower and upper end of an interval that contains the target of a new row with probability `coverage`.

        Parameters
        ----------
        X : rows, as in `predict`.
        coverage : between 0 and 1; the average proportion of targets inside, for rows like those of `fit`.

        Returns
        -------
        (rows, 2), or (rows, targets, 2) for several targets. Conformal prediction from the rows that `fit` held out to
        choose the tree, or that `calibrate` was given; wider where errors were larger.
        """
        self._require_tree()
        found = self._calibration(coverage, "predict_interval")
        rows = self._rows(X)
        answer = self.tree_.predict(rows, self._threads_for(rows))
        ends = _within_answers(self, found.at(rows, answer, float(coverage)))
        return ends[:, 0] if answer.shape[1] == 1 else ends

    def _intervals_of(self: Any, rows: Floats, answer: Floats, coverage: float) -> Floats | None:
        """(rows, targets, 2) intervals around the predictions for encoded rows; None if there are too few held-out
        rows.
        """
        found = vars(self).get("_conformal")
        if found is None or coverage > found.largest_coverage:
            return None
        return _within_answers(self, found.at(rows, answer, coverage))

    def calibrate(self: Estimator, X: Any, y: Any, sample_weight: Any = None) -> Estimator:
        """Learn intervals from rows that `fit` has not seen. The tree is unchanged. Returns the estimator.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`. At least 9 rows for intervals of 90 %; some hundreds are better.
        """
        self._require_tree()
        rows, tree = self._rows(X), self.tree_
        target = read_numbers(y)[0]
        if target.shape[1] != tree.n_outputs:
            raise ValueError(f"y must have {tree.n_outputs} targets, as the tree has, got {target.shape[1]}.")
        self._conformal = self._conformal_of(_counted(rows, target, tree.predict(rows), sample_weight), tree.schema)
        return self

    def _conformal_of(self, rows: HeldOutRows, schema: Schema) -> Intervals:
        return Intervals.learn(rows, schema)


class SetPrediction(Calibrated):
    """Mixin of all classifiers, to the left of TreeEstimator."""

    @in_row_blocks
    def predict_set(self: Any, X: Any, coverage: float = 0.9) -> npt.NDArray[np.bool_]:
        """The classes in a set that contains the class of a new row with probability `coverage`.

        Parameters
        ----------
        X : rows, as in `predict`.
        coverage : between 0 and 1; at least this proportion of rows like those of `fit` has its class in the set.

        Returns
        -------
        (rows, classes), columns in the order of `classes_`. The most probable class is always included, so a tree with
        an error rate below 1 - coverage gives sets of one class. Learned from the rows that `fit` held out to choose
        the tree, or that `calibrate` was given.
        """
        self._require_tree()
        found = self._calibration(coverage, "predict_set")
        held: npt.NDArray[np.bool_] = found.at(self.predict_proba(X), float(coverage))
        return held

    def calibrate(self: Estimator, X: Any, y: Any, sample_weight: Any = None) -> Estimator:
        """Learn sets from rows that `fit` has not seen. The tree is unchanged. Returns the estimator.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`; y may hold classes of `fit` only.
        """
        self._require_tree()
        codes = encode_classes(y, self.classes_)
        rows = _counted(self._rows(X), codes, self.predict_proba(X), sample_weight)
        self._conformal = self._conformal_of(rows, self.tree_.schema)
        return self

    def _conformal_of(self, rows: HeldOutRows, schema: Schema) -> ClassSets:
        if rows.answer.shape[1] == 1 and len(schema.answers) == 2:  # the second of two classes
            rows = HeldOutRows(rows.X, rows.target, np.column_stack([1.0 - rows.answer, rows.answer]), rows.weight)
        return ClassSets.learn(rows)


def _within_answers(model: Any, ends: Floats) -> Floats:
    """The lower end is at least 0 with a log link and for counts."""
    loss = getattr(model, "_loss", None)  # a tree that mixes means has no link of its own
    is_log = model.tree_.link == Link.LOG or (isinstance(loss, Loss) and loss.link == Link.LOG)
    counts = is_log or vars(model).get("criterion") == "poisson"
    return np.maximum(ends, 0.0) if counts else ends


def copy_uncalibrated(model: Estimator) -> Estimator:
    """A shallow copy for another tree, without the quantiles of errors, which belong to the old tree."""
    found = copy.copy(model)
    vars(found).pop("_conformal", None)
    return found


def _counted(rows: Any, target: npt.NDArray[Any], answer: Floats, sample_weight: Any) -> HeldOutRows:
    check_consistent_length(rows, target)
    weight = read_weights(sample_weight, len(rows))
    kept = weight > 0
    return HeldOutRows(rows[kept], target[kept], answer[kept], weight[kept])
