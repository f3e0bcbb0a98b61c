"""Ordered categories are numbers with names: soft trees keep their order on request, and print their levels."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import SoftTreeClassifier, SoftTreeRegressor, load, save
from softwood.formats import to_sql, to_text
from tests.examples import examples

LEVELS = ["none", "school", "college", "master", "doctor"]
ORDERED = pd.CategoricalDtype(LEVELS, ordered=True)


def frame(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A rare level, a level without rows, and missing values."""
    code = rng.choice([0, 1, 2, 4], n, p=[0.15, 0.5, 0.3, 0.05])
    X = pd.DataFrame({"education": pd.Categorical.from_codes(code, dtype=ORDERED), "age": rng.uniform(20, 70, n)})
    X.loc[rng.random(n) < 0.1, "education"] = None
    return X, code


def by_level(model: Any, age: float) -> np.ndarray:
    table = pd.DataFrame({"education": pd.Categorical(LEVELS, dtype=ORDERED), "age": age})
    return model.predict_proba(table)[:, 1] if hasattr(model, "classes_") else model.predict(table)


@examples(8)
@given(seed=st.integers(0, 2**32 - 1), sign=st.sampled_from([-1, 1]), classes=st.booleans())
def test_answers_keep_the_order_of_levels(seed: int, sign: int, classes: bool) -> None:
    rng = np.random.default_rng(seed)
    X, code = frame(rng, 150)
    signal = np.array([0.0, 2.0, 1.0, 0.0, 4.0])[code] + np.sin(X.age / 8) + rng.normal(size=150)
    kind: Any = SoftTreeClassifier if classes else SoftTreeRegressor
    model = kind(monotonic_cst={"education": sign}).fit(X, signal > 1.5 if classes else signal)
    assert model.monotonic_certificate_.holds
    for age in (25.0, 50.0, np.nan):
        answers = by_level(model, age)
        assert np.all(sign * np.diff(answers) >= -1e-12)
        missing = pd.DataFrame({"education": pd.Categorical([None], dtype=ORDERED), "age": [age]})
        gone = model.predict_proba(missing)[0, 1] if classes else model.predict(missing)[0]
        assert answers.min() - 1e-12 <= gone <= answers.max() + 1e-12
    with tempfile.TemporaryDirectory() as folder:
        save(model, f"{folder}/model")
        assert load(f"{folder}/model").monotonic_certificate_.holds


def test_the_order_is_learned_and_printed_by_names() -> None:
    rng = np.random.default_rng(0)
    X, code = frame(rng, 600)
    y = code**1.5 + 0.02 * X.age + rng.normal(size=600)
    model = SoftTreeRegressor(monotonic_cst={"education": 1}).fit(X, y)
    answers = by_level(model, 45.0)
    assert np.all(np.diff(answers)[[0, 1]] > 0.3)
    assert answers[3] == pytest.approx(answers[2])  # no row had it: as the level below
    assert str(model.monotonic_certificate_).startswith("proved: the prediction never decreases with education")
    assert "[education = doctor]" in to_text(model)
    assert "'college'" in to_sql(model)
    names = [LEVELS[at] if at >= 0 else None for at in X.education.cat.codes]
    same = pl.DataFrame({"education": pl.Series(names, dtype=pl.Enum(LEVELS)), "age": X.age.to_numpy()})
    again = SoftTreeRegressor(monotonic_cst={"education": 1}).fit(same, y)
    np.testing.assert_allclose(again.predict(same), model.predict(X))


def test_a_category_without_an_order_is_refused_in_words() -> None:
    X, code = frame(np.random.default_rng(0), 60)
    plain = X.assign(education=X.education.astype(object))
    message = "'education', which is an unordered category; make it an ordered categorical"
    with pytest.raises(ValueError, match=message):
        SoftTreeRegressor(monotonic_cst={"education": 1}).fit(plain, code)
