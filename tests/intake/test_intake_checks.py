"""scikit-learn's checks on estimators that read input with the intake and grow a scikit-learn tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from softwood.intake.table.table import read_fit, read_predict
from softwood.intake.table.target import read_classes, read_numbers
from softwood.intake.table.weights import class_weights, read_weights
from tests.estimators.sklearn_checks import parametrize_with_checks


class Classifier(ClassifierMixin, BaseEstimator):
    def __init__(self, class_weight: Any = None, min_weight_fraction_leaf: float = 0.0) -> None:
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Classifier:
        table = read_fit(self, X)
        self.classes_, codes = read_classes(y)
        check_consistent_length(table.values, codes)
        weight = read_weights(sample_weight, len(codes))
        weight = weight * class_weights(self.class_weight, self.classes_, codes, weight)[codes]
        self.columns_ = table.columns
        kept = weight > 0
        tree = DecisionTreeClassifier(min_weight_fraction_leaf=self.min_weight_fraction_leaf, random_state=0)
        self.tree_ = tree.fit(table.values[kept], codes[kept], weight[kept])
        return self

    def predict(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self.classes_[self.tree_.predict(read_predict(self, X, self.columns_))]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


class Regressor(RegressorMixin, BaseEstimator):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Regressor:
        table = read_fit(self, X)
        values, self.one_dimension_ = read_numbers(y)
        check_consistent_length(table.values, values)
        weight = read_weights(sample_weight, len(values))
        self.columns_ = table.columns
        kept = weight > 0
        self.tree_ = DecisionTreeRegressor(random_state=0).fit(table.values[kept], values[kept], weight[kept])
        return self

    def predict(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = read_predict(self, X, self.columns_)
        values = self.tree_.predict(rows).reshape(len(rows), -1)
        return values[:, 0] if self.one_dimension_ else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags


@parametrize_with_checks([Classifier(), Regressor()])
def test_the_intake_keeps_every_convention_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
