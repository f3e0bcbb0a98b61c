"""`to_shap` fills the fields of shap's own class; a stand-in with the same fields checks them without the package."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from softwood import CARTClassifier, SoftTreeClassifier, explain
from softwood.explain import to_shap


class StandIn:
    """The fields of `shap.Explanation` (0.51) that are filled."""

    def __init__(
        self,
        values: Any,
        base_values: Any = None,
        data: Any = None,
        display_data: Any = None,
        *,
        feature_names: Any = None,
        output_names: Any = None,
    ) -> None:
        self.values, self.base_values, self.data, self.display_data = values, base_values, data, display_data
        self.feature_names, self.output_names = feature_names, output_names


@pytest.fixture
def _shap(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("shap")
    module.Explanation = StandIn  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "shap", module)


@pytest.mark.usefixtures("_shap")
def test_values_and_base_values_add_up_to_the_output() -> None:
    iris = load_iris(as_frame=True)
    told = explain(CARTClassifier(random_state=0).fit(iris.data, iris.target_names[iris.target]), iris.data)
    every = to_shap(told)
    assert every.values.shape == (150, 4, 3)
    np.testing.assert_allclose(every.values.sum(axis=1) + every.base_values, told.output, atol=1e-12)
    assert every.feature_names == list(iris.data.columns)
    assert every.output_names == [f"probability of {name}" for name in iris.target_names]
    one = to_shap(told, "virginica")
    np.testing.assert_allclose(one.values.sum(axis=1) + one.base_values, told.output[:, 2], atol=1e-12)
    assert one.values.shape == one.data.shape == one.display_data.shape == (150, 4)


@pytest.mark.usefixtures("_shap")
def test_two_classes_of_one_output_are_mirrored() -> None:
    data = load_breast_cancer(as_frame=True)
    told = explain(SoftTreeClassifier(random_state=0).fit(data.data, data.target_names[data.target]), data.data[:50])
    plain, good = to_shap(told), to_shap(told, "benign")
    np.testing.assert_array_equal(plain.values, -good.values)
    np.testing.assert_allclose(plain.values.sum(axis=1) + plain.base_values, told.output[:, 0], atol=1e-9)
    np.testing.assert_allclose(good.values.sum(axis=1) + good.base_values, -told.output[:, 0], atol=1e-9)


def test_without_shap_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shap", None)
    iris = load_iris()
    told = explain(CARTClassifier(random_state=0).fit(iris.data, iris.target), iris.data)
    with pytest.raises(ImportError, match="to_shap needs the package shap: pip install shap"):
        to_shap(told)
