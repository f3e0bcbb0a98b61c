"""scikit-learn's own checks of an estimator: all of them for one instance of each class, the first in the list.

Further instances differ in parameters, so they get the checks that parameters can decide: what is learned, from which
rows, weights and classes; of these a third, others for each instance, so that each check meets some of them.
How tables, weights and errors are read or worded is settled before a learner sees rows, in code that all instances of
a class share. What is left out for further instances is marked `long` (`make test-long`).
"""

from __future__ import annotations

import zlib
from collections import defaultdict
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
    """Like scikit-learn's decorator of that name, with marks."""
    every = estimator_checks.parametrize_with_checks(list(estimators))
    names, cases = every.args
    shares = _shares(estimators)
    marked = [case if _is_asked_always(case, shares) else pytest.param(*case, marks=pytest.mark.long) for case in cases]
    return pytest.mark.parametrize(names, marked, **every.kwargs)


def _shares(estimators: Sequence[Any]) -> dict[int, tuple[int, int]]:
    """Which share of the checks each further instance of a class gets, of how many: three, or as many as they are."""
    by_class = defaultdict(list)
    for one in estimators:
        by_class[type(one)].append(id(one))
    shares = {
        one: (at % min(len(further), 3), min(len(further), 3))
        for _, *further in by_class.values()
        for at, one in enumerate(further)
    }
    for kind, (first, *_) in by_class.items():
        if any(issubclass(kind, other) for other in by_class.keys() - {kind}):  # reads rows as the other one does
            shares[first] = (0, 1)
    return shares


def _is_asked_always(case: tuple[Any, Any], shares: dict[int, tuple[int, int]]) -> bool:
    """A check with keywords is a plain one again, on rows in a memory map or of another type."""
    estimator, check = case
    if id(estimator) not in shares:  # the first of its class
        return True
    name, (share, of) = check.func.__name__, shares[id(estimator)]
    return name in PARAMETERS_DECIDE and not check.keywords and zlib.crc32(name.encode()) % of == share
