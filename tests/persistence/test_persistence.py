"""Laws of files: a loaded model equals the saved one to the last bit, continues equally, and is complete or refused."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeVar

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import skops.io
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, RepeatedKFold

import softwood
from softwood import FileError, Tree, load, save, to_json
from softwood.formats.arrays import NEWEST_VERSION, PLAIN_VERSION
from softwood.formats.container import read_container
from softwood.persistence.registry import ESTIMATORS
from softwood.persistence.stored import read_value
from tests.files.models import MAKERS, answers, classes, numbers, rows

FILES = Path(__file__).parents[1] / "files"


@cache
def made(name: str) -> Any:
    return MAKERS[name]()


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit, all the way down."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and (a.tobytes() == b.tobytes() or a.tolist() == b.tolist())
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if is_dataclass(a):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, BaseEstimator) or type(a).__name__ == "LazyTree":
        return type(a) is type(b) and same(told(a), told(b))
    return bool(a == b or (a != a and b != b))


def told(model: Any) -> dict[str, Any]:
    """What a model has, the tree of a stream made."""
    return {**vars(model), "tree": getattr(model, "tree", None)} if type(model).__name__ == "LazyTree" else vars(model)


def again(model: Any, folder: Path) -> Any:
    save(model, folder / "model.softwood")
    return load(folder / "model.softwood")


def test_every_public_estimator_has_a_file() -> None:
    named = {name: getattr(softwood, name) for name in softwood.__all__}
    public = {name for name, one in named.items() if hasattr(one, "fit") and hasattr(one, "predict")}
    assert public == set(ESTIMATORS)
    assert public <= {type(made(name)).__name__ for name in MAKERS}


@pytest.mark.parametrize("name", MAKERS)
def test_a_loaded_model_is_the_saved_one(name: str, tmp_path: Path) -> None:
    model = made(name)
    loaded = again(model, tmp_path)
    X = rows(30, seed=2)
    assert answers(loaded, X).tobytes() == answers(model, X).tobytes()
    if not isinstance(model, Tree):
        assert same(model, loaded), name
        assert loaded.predict(X).tolist() == model.predict(X).tolist()
        assert loaded.feature_importances_.tobytes() == model.feature_importances_.tobytes()
        assert to_json(loaded) == to_json(model)


def test_an_array_is_read_where_its_type_is_an_alias() -> None:
    """As `NDArray` is from NumPy 2.5 on, where an alias made every file unreadable."""
    number = TypeVar("number", bound=np.generic)
    alias = type("alias", (), {"__value__": np.ndarray[Any, np.dtype[number]]})
    stored = {"array": "a"}
    assert read_value(GenericAlias(alias, (np.float64,)), stored, "a", {"a": np.arange(3.0)}).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="a must be an array of int32, got float64"):
        read_value(GenericAlias(alias, (np.int32,)), stored, "a", {"a": np.arange(3.0)})


@pytest.mark.parametrize("name", MAKERS)
def test_the_same_model_is_the_same_bytes(name: str, tmp_path: Path) -> None:
    save(made(name), tmp_path / "one")
    save(load(tmp_path / "one"), tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    "path", sorted(FILES.glob("v*/*.softwood")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_files_of_every_version_load_for_ever(path: Path) -> None:
    expected = json.loads((path.parent / "answers.json").read_text(encoding="utf-8"))[path.stem]
    found = answers(load(path), rows(10, seed=1))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)  # the machine that wrote it was another


def test_files_of_the_version_of_today_are_kept() -> None:
    today = [path for v in (PLAIN_VERSION, NEWEST_VERSION) for path in (FILES / f"v{v}").glob("*.softwood")]
    assert {path.stem for path in today} == set(MAKERS)
    assert len(today) == len(MAKERS)


# -- going on -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in MAKERS if name.startswith("Budding")])
def test_a_stream_goes_on_exactly_where_it_was(name: str, tmp_path: Path) -> None:
    model = copy.deepcopy(made(name))
    loaded = again(model, tmp_path)
    X = rows(60, seed=3)
    y = classes(X) if hasattr(model, "classes_") else numbers(X)
    X.loc[5:9, "size"] = np.nan  # an input that had no gap before
    for part in (slice(0, 7), slice(7, 60)):
        model.partial_fit(X[part], y[part])
        loaded.partial_fit(X[part], y[part])
    assert same(model, loaded)
    assert answers(loaded, X).tobytes() == answers(model, X).tobytes()
    assert loaded.tree_.provenance.n_rows == model.tree_.provenance.n_rows


@pytest.mark.parametrize("learner", ["joint", "online"])
def test_a_budding_tree_of_one_class_comes_back_and_goes_on(learner: str, tmp_path: Path) -> None:
    X, y = rows()[:20], ["only"] * 20
    model = softwood.BuddingTreeClassifier(learner=learner, max_nodes=3, max_epochs=2).fit(X, y)
    other = again(model, tmp_path)
    assert same(vars(model), vars(other))
    for each in (model, other):
        each.partial_fit(X, y)
    assert other.predict_proba(X).tolist() == model.predict_proba(X).tolist() == [[1.0]] * 20


@pytest.mark.parametrize("name", [name for name in MAKERS if name.startswith("SoftTree")])
def test_a_warm_start_goes_on_from_the_same_tree(name: str, tmp_path: Path) -> None:
    model = copy.deepcopy(made(name)).set_params(warm_start=True)
    loaded = again(model, tmp_path)
    X = rows(80, seed=4)
    y = classes(X) if hasattr(model, "classes_") else made_target(model, X)
    assert same(model.fit(X, y), loaded.fit(X, y))
    assert answers(loaded.harden(), X).tobytes() == answers(model.harden(), X).tobytes()


def made_target(model: Any, X: pd.DataFrame) -> Any:
    y = numbers(X)
    return y if model._one_target else pd.DataFrame({"length": y, "price": y**2})


@pytest.mark.parametrize("name", ["CARTClassifier", "CARTRegressor", "LinearDiscriminantTreeClassifier"])
def test_another_size_is_the_same_size(name: str, tmp_path: Path) -> None:
    model = made(name)
    loaded = again(model, tmp_path)
    assert str(loaded.pruning_table_) == str(model.pruning_table_)
    assert loaded.held_out_ == model.held_out_
    for n_leaves in (1, 2, 3, 100):
        assert loaded.prune_to(n_leaves=n_leaves).tree_ == model.prune_to(n_leaves=n_leaves).tree_
    assert (
        again(model.prune_to(n_leaves=2), tmp_path).prune_to(n_leaves=100).tree_ == model.prune_to(n_leaves=100).tree_
    )


def test_a_softened_model_prunes_and_refits(tmp_path: Path) -> None:
    model = made("SoftenedClassifier")
    loaded = again(model, tmp_path)
    assert loaded.prune_to(n_leaves=2).tree_ == model.prune_to(n_leaves=2).tree_
    X = rows(60, seed=5)
    assert loaded.fit(X, classes(X)).tree_ == copy.deepcopy(model).fit(X, classes(X)).tree_


def test_rules_are_kept(tmp_path: Path) -> None:
    model, X = made("C45Classifier"), rows(30, seed=6)
    assert again(model, tmp_path).predict_by_rules(X).tolist() == model.predict_by_rules(X).tolist()


# -- parameters and labels ------------------------------------------------------------------------------------------


def plain(given: dict[str, Any]) -> str:
    """Parameters as text: NumPy's numbers as Python's, no addresses."""
    return re.sub(r"np\.int64\((\d+)\)| at 0x[0-9A-F]+", r"\1", repr(given))


@pytest.mark.parametrize(
    "given",
    [
        {"cv": KFold(3, shuffle=True, random_state=4)}, {"random_state": np.random.RandomState(3)},
        {"cv": [(np.arange(40), np.arange(40, 48)), (np.arange(8, 48), np.arange(8))]}, {"min_samples_leaf": 0.05},
        {"priors": {"none": 0.5, "blue": 0.25, "other": 0.25}}, {"costs": np.array([[0, 1, 2], [1, 0, 1], [3, 1, 0]])},
        {"categorical_features": ["colour", "open"]}, {"max_depth": np.int64(3)}, {"class_weight": "balanced"},
        {"min_impurity": -0.0}, {"n_jobs": 2},
    ],
    ids=lambda given: next(iter(given)),
)  # fmt: skip
def test_parameters_come_back(given: dict[str, Any], tmp_path: Path) -> None:
    X = rows()
    model = softwood.CARTClassifier(**given).fit(X, classes(X))
    loaded = again(model, tmp_path)
    assert plain(loaded.get_params()) == plain(model.get_params())
    assert loaded.fit(X, classes(X)).tree_ == model.fit(X, classes(X)).tree_


def test_a_parameter_that_no_file_holds_is_named(tmp_path: Path) -> None:
    X = rows()
    model = softwood.CARTClassifier(cv=RepeatedKFold(n_splits=3)).fit(X, classes(X))
    with pytest.raises(TypeError, match=r"cv=RepeatedKFold.* cannot be written .* set_params\(cv="):
        save(model, tmp_path / "model.softwood")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "longer", "ü☃"], [3, 1, 2], [True, False, True], [1.0, 2.0, 0.0], np.array(["a", "b", "c"], object),
        np.array([1, 2, 3], np.uint8), np.array(["2024-05-01", "2024-05-02", "2025-01-01"], "M8[D]"),
    ],
    ids=str,
)  # fmt: skip
def test_labels_of_every_kind_come_back(labels: Any, tmp_path: Path) -> None:
    X = np.repeat(np.arange(3.0), 10)[:, None]
    model = softwood.CARTClassifier(prune=None).fit(X, np.repeat(np.array(labels), 10))
    loaded = again(model, tmp_path)
    assert same(loaded.classes_, model.classes_)
    assert loaded.predict(X).tolist() == model.predict(X).tolist()


# -- the file -------------------------------------------------------------------------------------------------------


def test_any_reader_of_safetensors_reads_the_arrays(tmp_path: Path) -> None:
    model = made("CARTClassifier")
    save(model, tmp_path / "model.softwood")
    arrays = safetensors.numpy.load_file(tmp_path / "model.softwood")
    assert arrays["tree/threshold"].tobytes() == model.tree_.threshold.tobytes()
    with safetensors.safe_open(tmp_path / "model.softwood", "numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == "softwood"
    header = json.loads(metadata["header"])
    assert (header["softwood"], header["estimator"]) == (softwood.__version__, "CARTClassifier")
    assert header["tree"]["schema"]["answers"]["values"] == ["blue", "none", "other"]
    assert header["tree"]["provenance"]["n_rows"] == 48
    assert header["parameters"]["cv"] == 3


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.softwood"
    save(made("Tree"), path)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(made("CARTClassifier"), path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.softwood"]


def test_a_link_and_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "model.softwood", tmp_path / "latest.softwood"
    save(made("Tree"), path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(made("CARTClassifier"), link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert isinstance(load(path), softwood.CARTClassifier)


class MyTree(softwood.CARTClassifier):
    """A class that a file cannot name."""


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (lambda: MyTree().fit(rows(), classes(rows())), "got MyTree"),
        (lambda: None, "got NoneType"),
    ],
)
def test_what_has_no_file_is_refused(model: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=told):
        save(model(), tmp_path / "model.softwood")


def test_a_model_that_is_not_fitted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        save(softwood.CARTClassifier(), tmp_path / "model.softwood")


def test_what_is_no_file_is_one_error_and_nothing_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(FileError, match="not a file but a folder, a pipe or a device"):
            load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")


def test_loading_imports_no_pickle_and_reads_all_arrays(tmp_path: Path) -> None:
    save(made("CARTClassifier"), tmp_path / "model.softwood")
    header, arrays = read_container(tmp_path / "model.softwood")
    assert not any(array.flags.writeable for array in arrays.values())
    assert b"pickle" not in (tmp_path / "model.softwood").read_bytes()
    assert list(header) == ["softwood", "estimator", "parameters", "tree", "learned"]


# -- pickles --------------------------------------------------------------------------------------------------------


def by_joblib(model: Any, folder: Path) -> Any:
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


def by_skops(model: Any, folder: Path) -> Any:
    if getattr(model, "costs", None) and not isinstance(model, softwood.SoftenedClassifier):
        model = copy.copy(model).set_params(costs=None)  # skops has no dicts with pairs as keys; the tree has the costs
    stored = skops.io.dumps(model)
    return skops.io.loads(stored, trusted=skops.io.get_untrusted_types(data=stored))


WAYS = {
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "joblib": by_joblib,
    "cloudpickle": lambda model, folder: pickle.loads(cloudpickle.dumps(model)),
    "skops": by_skops,
}


@pytest.mark.fewer
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MAKERS)
def test_other_ways_to_keep_a_model_keep_it(name: str, way: str, tmp_path: Path) -> None:
    model, X = made(name), rows(30, seed=7)
    kept = WAYS[way](model, tmp_path)
    assert answers(kept, X).tobytes() == answers(model, X).tobytes()
    if name.startswith("Budding"):
        y = classes(X) if hasattr(model, "classes_") else numbers(X)
        assert kept.partial_fit(X, y).tree_ == copy.deepcopy(model).partial_fit(X, y).tree_
