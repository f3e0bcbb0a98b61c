"""Measures of predictions, by the names and with the definitions of scikit-learn; arrays in, numbers out.

    intervals   an estimate with its 95 % interval; Wilson's interval; equal bins that do not split ties
    classes     error rate, log loss, Brier score, confusion matrix
    residuals   RMSE, MAE, R², mean residual
    roc         ROC curve, the area under it (DeLong), Gini coefficient, KS statistic
    cutoffs     lift table and cut-off table
    rates       selection rate, false negative and false positive rate, calibration gap, impact ratio

Classes are codes 0, 1, …; of two classes the second is positive. Undefined values are NaN.
"""

from softwood.measures.classes import brier_losses, brier_score, confusion_matrix, error_rate, log_loss, log_losses
from softwood.measures.cutoffs import CutoffLine, LiftLine, cutoff_table, lift_table
from softwood.measures.intervals import Estimate, Z, equal_bins, mean_estimate, wilson
from softwood.measures.rates import Rates, impact_ratios, rates
from softwood.measures.residuals import mae, mean_residual, r2, rmse
from softwood.measures.roc import Roc, gini, ks_statistic, roc_auc, roc_curve

__all__ = [
    "CutoffLine", "Estimate", "LiftLine", "Rates", "Roc", "Z", "brier_losses", "brier_score", "confusion_matrix",
    "cutoff_table", "equal_bins", "error_rate", "gini", "impact_ratios", "ks_statistic", "lift_table", "log_loss",
    "log_losses", "mae", "mean_estimate", "mean_residual", "r2", "rates", "rmse", "roc_auc", "roc_curve", "wilson",
]  # fmt: skip
