"""Measures of predicted classes and probabilities.

error rate   proportion of rows whose predicted class is not the actual one; 1 - `sklearn.metrics.accuracy_score`
log loss     mean of -ln p(actual class); `sklearn.metrics.log_loss`, probabilities clipped away from 0 as there
Brier score  two classes: mean of (p - y)², y = 1 for the second; more: mean of sum_k (p_k - y_k)²;
             `sklearn.metrics.brier_score_loss`
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Longs
from softwood.measures.intervals import Estimate, mean_estimate, proportion_estimate

LEAST_PROBABILITY = float(np.finfo(np.float64).eps)  # keeps the loss of a completely wrong row finite


def log_losses(actual: Longs, probability: Floats) -> Floats:
    """Per row; probability is (rows, classes)."""
    own = probability[np.arange(len(actual)), actual]
    return np.asarray(-np.log(np.clip(own, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)))


def brier_losses(actual: Longs, probability: Floats) -> Floats:
    """Per row; probability is (rows, classes)."""
    if probability.shape[1] == 2:
        return np.asarray(np.square(probability[:, 1] - actual))
    return np.asarray(np.square(probability - np.eye(probability.shape[1])[actual]).sum(axis=1))


def error_rate(actual: Longs, predicted: Longs) -> Estimate:
    """Wilson's interval.

    Examples
    --------
    >>> error_rate(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])).value
    0.25
    """
    return proportion_estimate(np.asarray(actual) != np.asarray(predicted))


def log_loss(actual: Longs, probability: Floats) -> Estimate:
    """Mean ± 1.96 standard errors."""
    return mean_estimate(log_losses(actual, probability))


def brier_score(actual: Longs, probability: Floats) -> Estimate:
    """Mean ± 1.96 standard errors."""
    return mean_estimate(brier_losses(actual, probability))


def confusion_matrix(actual: Longs, predicted: Longs, n_classes: int) -> Longs:
    """Rows by actual class (down) and predicted class (across)."""
    flat = np.asarray(actual, np.int64) * n_classes + np.asarray(predicted, np.int64)
    return np.bincount(flat, minlength=n_classes * n_classes).reshape(n_classes, n_classes)
