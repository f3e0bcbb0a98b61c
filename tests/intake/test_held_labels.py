"""A label of y_val that the training rows lack: such rows are dropped, with a warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from softwood import (
    BuddingTreeClassifier,
    CARTClassifier,
    LinearDiscriminantTreeClassifier,
    OmnivariateTreeClassifier,
    SoftTreeClassifier,
)

MODELS = [
    CARTClassifier(prune="validation"),
    CARTClassifier(prune="reduced_error"),
    LinearDiscriminantTreeClassifier(prune="validation"),
    OmnivariateTreeClassifier(prune="validation"),
    SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=3),
    BuddingTreeClassifier(gate="linear", leaf="constant", max_nodes=5),
]


def rows() -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=120) > 0, "yes", "no")
    return X[:80], y[:80], X[80:], y[80:]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model)[:40])
def test_rows_of_an_unknown_label_are_left_out_with_a_warning(model: Any) -> None:
    X, y, X_val, y_val = rows()
    odd = np.append(y_val, ["maybe", "maybe"])
    with pytest.warns(UserWarning, match=r"y_val has labels that y lacks: \['maybe'\]; their 2 rows are ignored"):
        with_odd = model.fit(X, y, X_val=np.vstack([X_val, X_val[:2]]), y_val=odd).tree_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.fit(X, y, X_val=X_val, y_val=y_val).tree_ == with_odd


def test_validation_rows_without_a_known_label_are_refused() -> None:
    X, y, X_val, _ = rows()
    with pytest.raises(ValueError, match=r"y_val has no label that occurs in y: it has \['maybe'\]; the classes are"):
        SoftTreeClassifier().fit(X, y, X_val=X_val, y_val=["maybe"] * len(X_val))
