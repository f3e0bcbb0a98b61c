"""Exports of a StandardScaler and a tree: one tree of the numbers before scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import (
    BuddingTreeRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
    export,
    soften,
)
from softwood.formats.program import make_program

R = np.random.default_rng(0)
X = R.normal(size=(150, 3)) * [1e-3, 5.0, 2e4] + [3.0, -1.0, 1e5]
SCORE = (X[:, 0] - 3.0) * 1e3 + np.abs(X[:, 1] + 1) / 5 + 0.3 * R.normal(size=150)
GAPS = X.copy()
GAPS[::6, 1] = np.nan
CLASSES = np.where(SCORE > 0.8, "high", "low")
QUICK: dict[str, Any] = {"weight_penalty": 0.01}


def python(model: Any) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(export(model, to="python"), module)
    return module


def scaled(model: Any, y: Any, rows: Any = GAPS) -> Pipeline:
    return make_pipeline(StandardScaler(), model).fit(rows, y)


@pytest.mark.parametrize("model", [CARTClassifier(prune=None), C45Classifier()])
def test_thresholds_are_the_same_to_the_last_bit(model: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), "passthrough", StandardScaler(with_std=False), model).fit(GAPS, CLASSES)
    module, asked = python(pipeline), list(GAPS)
    for node in make_program(pipeline).nodes:
        for reader in node.readers:
            for cut in reader.cuts:  # the last number on one side, and the first on the other
                for at in (cut, np.nextafter(cut, np.inf)):
                    asked += [np.where(np.arange(3) == reader.feature, at, X[n]) for n in range(5)]
    assert len(asked) > len(GAPS) + 20
    told = [module["predict_proba"](row) for row in asked]
    known = ~np.isnan(asked).any(axis=1)  # C4.5 adds up shares of rows with gaps
    answers = pipeline.predict_proba(np.array(asked))
    assert np.array_equal(np.array(told)[known], answers[known])
    np.testing.assert_allclose(told, answers, 1e-12)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (LinearDiscriminantTreeClassifier(), CLASSES),
        (SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=3, **QUICK), CLASSES),
        (SoftTreeRegressor(gate="axis", leaf="constant", max_leaves=3, **QUICK), SCORE),
        (SoftTreeRegressor(gate="additive", leaf="linear", max_leaves=2, **QUICK), SCORE),
        (BuddingTreeRegressor(gate="linear", leaf="linear", max_nodes=3, leafness_penalty=0.01, **QUICK), SCORE),
    ],
)
def test_weights_and_curves_agree_but_for_rounding(model: Any, y: Any) -> None:
    pipeline = scaled(model, y)
    module = python(pipeline)
    if y is SCORE:
        np.testing.assert_allclose([module["predict"](row) for row in GAPS], pipeline.predict(GAPS), 1e-10, 1e-10)
    else:
        told = [module["predict_proba"](row) for row in GAPS]
        np.testing.assert_allclose(told, pipeline.predict_proba(GAPS), 1e-10, 1e-10)


def test_ramps_agree_but_for_rounding() -> None:
    hard = scaled(CARTRegressor(max_leaves=4, prune=None), SCORE, X)
    soft = soften(hard[-1], hard[0].transform(X), SCORE)
    module = python(Pipeline([("scale", hard[0]), ("tree", soft)]))
    answers = soft.predict(hard[0].transform(X))
    assert not soft.tree_.is_hard
    np.testing.assert_allclose([module["predict"](row) for row in X], answers, 1e-9)


def test_squares_are_refused() -> None:
    pipeline = scaled(SoftTreeRegressor(gate="quadratic", leaf="constant", max_leaves=2, **QUICK), SCORE)
    with pytest.raises(ValueError, match=r"gates of squares.*fit on the raw table"):
        export(pipeline, to="python")
