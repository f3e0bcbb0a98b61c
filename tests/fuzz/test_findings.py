"""What `make fuzz` found, each on the smallest table it was cut to."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import softwood


@pytest.fixture(autouse=True)
def _no_accident() -> Any:
    """A warning that nobody meant is a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.mark.parametrize("name", ["CART", "LinearDiscriminantTree", "OmnivariateTree"])
def test_costs_of_one_class_cost_nothing(name: str) -> None:
    model = getattr(softwood, f"{name}Classifier")(costs=[[0.0]]).fit([[0.0], [1.0]], ["a", "a"])
    assert model.predict_proba([[2.0]]).tolist() == [[1.0]]
