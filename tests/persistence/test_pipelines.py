"""Pipelines of scikit-learn as files: the same answers and bytes, a list of steps, and no code from a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

from softwood import BuddingTreeClassifier, CARTClassifier, DateParts, FileError, SoftTreeClassifier, load, save
from softwood.formats.container import read_container, write_container

N = 120
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "a": np.where(np.arange(N) % 7, RNG.normal(size=N), np.nan),
        "b": RNG.choice(["u", "v", "w"], N),
        "c": RNG.normal(size=N),
        "when": pd.date_range("2024-01-01", periods=N),
    }
)
Y = np.where((X.a.fillna(0.0) > 0) ^ (X.b == "u"), "yes", "no")
NUMBERS = X[["a", "c"]].to_numpy()
BY_KIND = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "c"]),
        ("classes", OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=[object, "str"])),
    ]
)
CODES = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
PIPELINES: list[tuple[Any, Any]] = [
    (make_pipeline(BY_KIND, CARTClassifier()), X),
    (make_pipeline(BY_KIND, BuddingTreeClassifier(max_nodes=3)), X),
    (make_pipeline(StandardScaler(), SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=2)), NUMBERS),
    (make_pipeline(StandardScaler(with_mean=False), CARTClassifier()), np.abs(X[["c"]])),
    (
        make_pipeline(
            ColumnTransformer([("b", CODES, ["b"]), ("c", "passthrough", slice("c", "c"))], remainder="passthrough"),
            CARTClassifier(),
        ),
        X[["b", "c", "a"]],
    ),
    (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(drop="first"), CARTClassifier()), X[["b"]]),
    (make_pipeline(DateParts(), CARTClassifier()), X[["a", "when"]]),
    (Pipeline([("nothing", "passthrough"), ("tree", CARTClassifier())]), X[["a", "b"]]),
    (Pipeline([("tree", CARTClassifier())]), NUMBERS),
]


@pytest.mark.parametrize(("pipeline", "rows"), PIPELINES)
def test_a_pipeline_comes_back_whole(pipeline: Any, rows: Any, tmp_path: Path) -> None:
    fitted = pipeline.fit(rows, Y)
    save(fitted, tmp_path / "one.softwood")
    again = load(tmp_path / "one.softwood")
    np.testing.assert_array_equal(again.predict_proba(rows), fitted.predict_proba(rows))
    assert [name for name, _ in again.steps] == [name for name, _ in fitted.steps]
    save(again, tmp_path / "two.softwood")
    assert (tmp_path / "one.softwood").read_bytes() == (tmp_path / "two.softwood").read_bytes()
    assert again.fit(rows, Y).score(rows, Y) == fitted.score(rows, Y)


def test_what_cannot_be_stored_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "model.softwood"
    for before, words in (
        (MinMaxScaler(), "needs steps of StandardScaler, SimpleImputer.* got MinMaxScaler"),
        (FunctionTransformer(np.abs), "a FunctionTransformer cannot be stored: it is code"),
        (SimpleImputer(add_indicator=True), "add_indicator=True is not stored"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            save(make_pipeline(before, CARTClassifier()).fit(NUMBERS, Y), path)
    with pytest.raises(NotFittedError):
        save(make_pipeline(StandardScaler(), CARTClassifier()), path)
    assert not path.exists()


def change(state: dict[str, Any], *path: Any, to: Any) -> None:
    for step in path[:-1]:
        state = state[step]
    state[path[-1]] = to


SCALER = ("pipeline", "state", "steps", 0, "tuple", 1)
ATTACKS: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (lambda h: change(h, *SCALER, "transformer", to="FunctionTransformer"), "has no attribute|lacks"),
    (lambda h: change(h, *SCALER, "transformer", to="os.system"), "must be one of StandardScaler"),
    (lambda h: change(h, *SCALER, "state", "transform", to="text"), "has no attribute 'transform'"),
    (lambda h: change(h, *SCALER, "state", "__class__", to="text"), "has no attribute '__class__'"),
    (lambda h: h["pipeline"]["state"]["steps"][0]["tuple"][1]["state"].pop("copy"), "lacks copy"),
    (lambda h: change(h, *SCALER, "state", "n_features_in_", to=3), "must have 3 numbers"),
    (lambda h: change(h, *SCALER, "state", "n_features_in_", to=-1), "must be a whole number"),
    (lambda h: change(h, "pipeline", "state", "steps", to=[]), "must have steps"),
    (lambda h: change(h, "pipeline", "state", "steps", 0, "tuple", 1, to="text"), "must be transformers"),
    (lambda h: change(h, "pipeline", to=7), "pipeline must be a Pipeline"),
    (lambda h: change(h, "sklearn", to=None), "a pipeline must have"),
]


@pytest.mark.parametrize(("attack", "words"), ATTACKS)
def test_a_file_that_was_changed_is_refused_in_words(
    attack: Callable[[dict[str, Any]], None], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.softwood"
    save(make_pipeline(StandardScaler(), CARTClassifier()).fit(NUMBERS, Y), path)
    header, arrays = read_container(path)
    attack(header)
    write_container(path, header, arrays)
    with pytest.raises(FileError, match=words):
        load(path)


def test_another_version_of_scikit_learn_warns(tmp_path: Path) -> None:
    path = tmp_path / "model.softwood"
    save(make_pipeline(StandardScaler(), CARTClassifier()).fit(NUMBERS, Y), path)
    header, arrays = read_container(path)
    write_container(path, {**header, "sklearn": "0.1.0"}, arrays)
    with pytest.warns(InconsistentVersionWarning):
        load(path)
