"""A single row has the same prediction as among many rows, without work that only pays for many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from softwood import CARTClassifier, CARTRegressor, MixtureOfExpertsClassifier, Schema, Tree
from softwood.kernels.kinds import Link

X, y = load_iris(return_X_y=True)
MODELS = [
    CARTClassifier(random_state=0).fit(X, y),
    CARTRegressor(random_state=0).fit(X, y * 1.5),
    MixtureOfExpertsClassifier(depth=1, n_init=1, random_state=0).fit(X[50:], y[50:]),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4"])
def test_a_row_alone_is_answered_as_among_many(model: Any, dtype: str) -> None:
    rows = X.astype(dtype)
    for ask in [name for name in ("predict", "predict_proba") if hasattr(model, name)]:
        alone = np.concatenate([getattr(model, ask)(rows[i : i + 1]) for i in range(len(rows))])
        assert np.array_equal(alone, getattr(model, ask)(rows))


def test_a_fitted_model_asks_neither_scikit_learn_nor_joblib(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: Any) -> None:
        raise AssertionError("this takes longer than the answer")

    monkeypatch.setattr("softwood.estimators.base.base.check_is_fitted", asked)
    monkeypatch.setattr("softwood.estimators.base.base.threads", asked)
    assert MODELS[0].predict(X[:1]).tolist() == [0]
    assert MODELS[0].predict_proba(X[:1]).shape == (1, 3)
    assert MODELS[1].predict(X[:1]).shape == (1,)


@pytest.mark.parametrize("levels", [None, [0.0, 1.0, 2.0], ["a", "b", "c"]])
def test_a_model_of_a_frame_reads_an_array_at_once_and_as_a_frame(monkeypatch: pytest.MonkeyPatch, levels: Any) -> None:
    frame = pd.DataFrame(X, columns=[*"wxyz"])
    if levels is not None:
        frame["z"] = pd.Categorical(np.array(levels, object)[y], categories=levels)
    model = CARTClassifier(max_depth=2).fit(frame, y)
    array = frame.to_numpy(object if isinstance((levels or [0])[0], str) else float)
    wanted = model.predict_proba(frame)

    def asked(*_: Any, **__: Any) -> None:
        raise AssertionError("this takes longer than the answer")

    monkeypatch.setattr("softwood.intake.table.table.validate_data", asked)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but CARTClassifier was fitted with"):
        assert np.array_equal(model.predict_proba(array), wanted)


@pytest.mark.parametrize("model", [CARTClassifier(), CARTRegressor()])
def test_before_fit_there_is_no_answer(model: Any) -> None:
    with pytest.raises(NotFittedError):
        model.predict(X[:1])


def test_infinity_is_refused_unless_scikit_learn_is_told_not_to_look() -> None:
    row = X[:1].copy()
    row[0, 2] = np.inf
    with pytest.raises(ValueError, match="column 'x2', row 0 is inf"):
        MODELS[0].predict(row)
    with config_context(assume_finite=True):
        assert MODELS[0].predict(row).shape == (1,)


@pytest.mark.parametrize("output", [0.0, -0.0, 1e-20, -1e-20, 1e-16, -1e-16, 3e-16, 0.7, -0.7, 800.0, -800.0])
def test_two_classes_are_decided_by_their_probabilities(output: float) -> None:
    tree = Tree(response=[[output]], link=Link.SIGMOID, schema=Schema(("x",), (None,), ("no", "yes"), "classification"))
    assert tree.decide([[0.0]]).tolist() == tree.schema.decide(tree.predict([[0.0]])).tolist()
