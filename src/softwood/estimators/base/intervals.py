"""predict_interval, predict_set and calibrate: what regressors and classifiers say of how sure they are."""

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
    """What both share: rows that were held out, kept as quantiles of their errors."""

    _conformal: Any

    def _take_held_out(self, rows: HeldOutRows | None, schema: Schema) -> None:
        """Learn from rows that the tree's learner held out; where it held out none, `calibrate` can give some."""
        self._conformal = None if rows is None else self._conformal_of(rows, schema)

    def _conformal_of(self, rows: HeldOutRows, schema: Schema) -> Any:
        raise NotImplementedError

    def _calibration(self, coverage: float, what: str) -> Any:
        """What was learned of held-out rows, enough of them for this coverage."""
        if not 0.0 < options.real("coverage", coverage, 0.0) < 1.0:
            raise ValueError(f"coverage must be between 0 and 1, such as 0.9, got {coverage!r}.")
        found = vars(self).get("_conformal")
        if found is None:
            raise ValueError(
                f"{what} needs rows that the tree was not trained on, but none were held out: call "
                "calibrate(X, y) with rows that `fit` has not seen."
            )
        if coverage > found.largest_coverage:
            raise ValueError(
                f"coverage must be at most {found.largest_coverage:.4g} with the rows that were held out, got "
                f"{coverage}. Use a smaller coverage, or call calibrate(X, y) with more rows that `fit` has not seen."
            )
        return found


class IntervalPrediction(Calibrated):
    """What every regressor offers; stands left of TreeEstimator."""

    @in_row_blocks
    def predict_interval(self: Any, X: Any, coverage: float = 0.9) -> Floats:
        """Lower and upper end of an interval that holds the target of a new row with the chance `coverage`.

        Parameters
        ----------
        X : rows, as in `predict`.
        coverage : between 0 and 1; of the rows like those of `fit`, this part is inside on average.

        Returns
        -------
        (rows, 2), or (rows, targets, 2) where y had several. Conformal prediction from the rows that `fit` held out to
        choose the tree, or that `calibrate` was given; wider where errors were larger.
        """
        self._require_tree()
        found = self._calibration(coverage, "predict_interval")
        rows = self._rows(X)
        answer = self.tree_.predict(rows, self._threads_for(rows))
        ends = _within_answers(self, found.at(rows, answer, float(coverage)))
        return ends[:, 0] if answer.shape[1] == 1 else ends

    def _intervals_of(self: Any, rows: Floats, answer: Floats, coverage: float) -> Floats | None:
        """(rows, targets, 2) about answers to rows as the tree reads them; None where held-out rows are too few."""
        found = vars(self).get("_conformal")
        if found is None or coverage > found.largest_coverage:
            return None
        return _within_answers(self, found.at(rows, answer, coverage))

    def calibrate(self: Estimator, X: Any, y: Any, sample_weight: Any = None) -> Estimator:
        """Learn intervals from rows that `fit` has not seen; the tree stays as it is. Returns the estimator.

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
    """What every classifier offers; stands left of TreeEstimator."""

    @in_row_blocks
    def predict_set(self: Any, X: Any, coverage: float = 0.9) -> npt.NDArray[np.bool_]:
        """Which classes are in a set that holds the class of a new row with the chance `coverage`.

        Parameters
        ----------
        X : rows, as in `predict`.
        coverage : between 0 and 1; of the rows like those of `fit`, at least this part has its class in the set.

        Returns
        -------
        (rows, classes), columns in the order of `classes_`. The most probable class is always in, so that a tree which
        errs less often than 1 - coverage gives sets of one class. From the rows that `fit` held out to choose the tree,
        or that `calibrate` was given.
        """
        self._require_tree()
        found = self._calibration(coverage, "predict_set")
        held: npt.NDArray[np.bool_] = found.at(self.predict_proba(X), float(coverage))
        return held

    def calibrate(self: Estimator, X: Any, y: Any, sample_weight: Any = None) -> Estimator:
        """Learn sets from rows that `fit` has not seen; the tree stays as it is. Returns the estimator.

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
    """Behind a log link, and where counts are learned, nothing is below 0."""
    loss = getattr(model, "_loss", None)  # a tree that mixes means has no link of its own
    is_log = model.tree_.link == Link.LOG or (isinstance(loss, Loss) and loss.link == Link.LOG)
    counts = is_log or vars(model).get("criterion") == "poisson"
    return np.maximum(ends, 0.0) if counts else ends


def copy_uncalibrated(model: Estimator) -> Estimator:
    """A shallow copy that is to get another tree: what was learned of errors is not that tree's."""
    found = copy.copy(model)
    vars(found).pop("_conformal", None)
    return found


def _counted(rows: Any, target: npt.NDArray[Any], answer: Floats, sample_weight: Any) -> HeldOutRows:
    check_consistent_length(rows, target)
    weight = read_weights(sample_weight, len(rows))
    kept = weight > 0
    return HeldOutRows(rows[kept], target[kept], answer[kept], weight[kept])
