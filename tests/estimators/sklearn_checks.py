"""scikit-learn's own checks of an estimator: all of them for one instance of each class, the first in the list.

Further instances differ in parameters, so they get the checks that parameters can decide: what is learned, from which
rows, weights and classes. How tables, weights and errors are read or worded is settled before a learner sees rows, in
code that all instances of a class share; these checks of further instances are marked `long` (`make test-long`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sklearn.utils import estimator_checks

PARAMETERS_DECIDE = {
    "check_all_zero_sample_weights_error",
    "check_class_weight_classifiers",
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_non_transformer_estimators_n_iter",
    "check_regressor_multioutput",
    "check_regressors_int",
    "check_regressors_train",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


def parametrize_with_checks(estimators: Sequence[Any]) -> pytest.MarkDecorator:
    """As scikit-learn's decorator of that name, with marks."""
    every = estimator_checks.parametrize_with_checks(list(estimators))
    names, cases = every.args
    first = {type(one): one for one in reversed(estimators)}
    marked = [case if _is_asked_always(case, first) else pytest.param(*case, marks=pytest.mark.long) for case in cases]
    return pytest.mark.parametrize(names, marked, **every.kwargs)


def _is_asked_always(case: tuple[Any, Any], first: dict[type, Any]) -> bool:
    """A check with keywords is a plain one again, on rows in a memory map or of another type."""
    estimator, check = case
    return first[type(estimator)] is estimator or (check.func.__name__ in PARAMETERS_DECIDE and not check.keywords)
