"""predict_interval, predict_set and calibrate of every estimator."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softwood as sw

FOLDS = ["CART", "SoftTree", "BuddingTree", "LinearDiscriminantTree"]
NONE = ["OmnivariateTree", "MixtureOfExperts"]


def rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    y = 3 * X[:, 0] + (0.1 + X[:, 1]) * rng.normal(size=n)
    X[rng.uniform(size=X.shape) < 0.03] = np.nan
    return X, y


def covered(ends: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((ends[:, 0] <= y) & (y <= ends[:, 1])))


@pytest.mark.parametrize("name", FOLDS + NONE)
def test_an_interval_covers_and_is_wider_where_errors_are(name: str, tmp_path: Path) -> None:
    (X, y), (fresh, z), held = rows(700, 0), rows(2000, 1), rows(1000, 2)
    model = getattr(sw, f"{name}Regressor")().fit(X, y)
    if name in NONE:
        with pytest.raises(ValueError, match="none were held out: call calibrate"):
            model.predict_interval(fresh)
        model.calibrate(*held)
    ends = model.predict_interval(fresh)
    assert 0.86 < covered(ends, z) < 0.94
    width, loud = ends[:, 1] - ends[:, 0], fresh[:, 1] > 0.5
    assert np.median(width[loud]) > 1.3 * np.median(width[~loud])
    assert np.allclose(ends.mean(axis=1), model.predict(fresh))
    assert np.all(np.diff(model.predict_interval(fresh, 0.5)) < np.diff(ends))
    sw.save(model, tmp_path / "model.softwood")
    for again in (sw.load(tmp_path / "model.softwood"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.predict_interval(fresh), ends)


@pytest.mark.parametrize("name", [*FOLDS, "C45", *NONE])
def test_a_set_of_classes_covers(name: str, tmp_path: Path) -> None:
    (X, y), (fresh, z), held = rows(700, 3), rows(2000, 4), rows(1000, 5)
    cuts = [0.8, 1.6, 2.4]
    label = np.array(["a", "b", "c", "d"])
    model = getattr(sw, f"{name}Classifier")().fit(X, label[np.digitize(y, cuts)])
    if name in [*NONE, "C45"]:
        model.calibrate(held[0], label[np.digitize(held[1], cuts)])
    sets = model.predict_set(fresh)
    assert sets.shape == (2000, 4)
    assert sets.any(axis=1).all()
    assert sets[np.arange(2000), np.digitize(z, cuts)].mean() > 0.87
    assert sets[np.arange(2000), model.predict_proba(fresh).argmax(axis=1)].all()
    assert np.all(sets <= model.predict_set(fresh, 0.98))
    sw.save(model, tmp_path / "model.softwood")
    assert np.array_equal(sw.load(tmp_path / "model.softwood").predict_set(fresh), sets)


def test_two_classes_and_class_weights() -> None:
    (X, y), (fresh, z) = rows(1500, 6), rows(3000, 7)
    for weight in (None, "balanced"):
        model = sw.SoftTreeClassifier(gate="linear", class_weight=weight).fit(X, y > 2.6)
        sets = model.predict_set(fresh, 0.95)
        assert sets.shape == (3000, 2)
        assert sets[np.arange(3000), (z > 2.6).astype(int)].mean() > 0.93


@pytest.mark.parametrize("prune", ["validation", "reduced_error"])
def test_validation_rows_make_intervals(prune: str) -> None:
    (X, y), held, (fresh, z) = rows(700, 8), rows(500, 9), rows(2000, 10)
    model = sw.CARTRegressor(prune=prune).fit(X, y, X_val=held[0], y_val=held[1])
    assert 0.86 < covered(model.predict_interval(fresh), z) < 0.94
    soft = sw.SoftTreeRegressor(gate="linear").fit(X, y, X_val=held[0], y_val=held[1])
    assert 0.86 < covered(soft.predict_interval(fresh), z) < 0.94
    stepwise = sw.SoftTreeRegressor(learner="incremental").fit(X, y)
    assert 0.82 < covered(stepwise.predict_interval(fresh), z) < 0.96


@pytest.mark.parametrize("seed", range(5))
def test_weight_two_is_a_row_twice_for_intervals(seed: int) -> None:
    """The other copy was in the fit when a copy was left out: [-0.50, 2.55] became [-1.25, 3.30]."""
    rng = np.random.default_rng(seed)
    X, count = rng.normal(size=(100, 2)), rng.integers(1, 4, 100)
    y = X[:, 0] + rng.normal(size=100) * np.exp(X[:, 1] / 2)
    order = rng.permutation(np.repeat(np.arange(100), count))
    one = sw.CARTRegressor().fit(X, y, sample_weight=count)
    other = sw.CARTRegressor().fit(X[order], y[order])
    np.testing.assert_allclose(one.predict_interval(X), other.predict_interval(X), rtol=1e-12)
    weighted = one.calibrate(X, y, sample_weight=count).predict_interval(X)
    np.testing.assert_array_equal(one.calibrate(X[order], y[order]).predict_interval(X), weighted)
    assert np.ptp(np.diff(weighted)) > 0 or seed  # the spread of the first one varies


def test_several_targets_have_an_interval_each() -> None:
    (X, y), (fresh, z) = rows(600, 11), rows(1500, 12)
    model = sw.CARTRegressor().fit(X, np.column_stack([y, -100 * y]))
    ends = model.predict_interval(fresh)
    assert ends.shape == (1500, 2, 2)
    assert 0.86 < covered(ends[:, 0], z) < 0.95
    assert 0.86 < covered(ends[:, 1], -100 * z) < 0.95


def test_another_tree_has_no_intervals_of_the_one_before() -> None:
    X, y = rows(400, 13)
    model = sw.CARTRegressor().fit(X, y)
    for other in (model.prune_to(n_leaves=2), model.snip(0), sw.soften(model, X, y)):
        with pytest.raises(ValueError, match="none were held out"):
            other.predict_interval(X)
    model.predict_interval(X)  # which stays as it was
    softened = sw.soften(model, X, y).calibrate(*rows(200, 14))
    assert softened.predict_interval(X).shape == (400, 2)
    model.set_params(prune=None).fit(X, y)
    with pytest.raises(ValueError, match="none were held out"):
        model.predict_interval(X)


def test_bad_input_is_refused() -> None:
    X, y = rows(60, 15)
    model = sw.CARTRegressor()
    with pytest.raises(NotFittedError):
        model.predict_interval(X)
    model.fit(X, y)
    for wrong in (0, 1, 1.5, -0.1, "90", float("nan")):
        with pytest.raises(ValueError, match="coverage must be"):
            model.predict_interval(X, wrong)
    with pytest.raises(ValueError, match=r"coverage must be at most 0\.98.* got 0\.999"):
        model.predict_interval(X, 0.999)
    with pytest.raises(ValueError, match="y must have 1 targets"):
        model.calibrate(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.calibrate(X, y[:-1])
    classes = sw.CARTClassifier().fit(X, y > 1)
    with pytest.raises(ValueError, match="labels that are not among the classes"):
        classes.calibrate(X, np.where(y > 1, "a", "b"))


@pytest.mark.parametrize("name", ["CARTClassifier", "SoftTreeClassifier", "BuddingTreeClassifier"])
def test_the_set_of_one_class_is_that_class(name: str) -> None:
    X, _ = rows(60, 17)
    model = getattr(sw, name)().fit(X, np.full(60, "only")).calibrate(X, np.full(60, "only"))
    assert model.predict_set(X).tolist() == [[True]] * 60


def test_an_explanation_tells_the_interval() -> None:
    X, y = rows(400, 16)
    model = make_pipeline(StandardScaler(), sw.CARTRegressor()).fit(X, y)
    why = sw.explain(model, X[:5], X)
    ends = model[-1].predict_interval(model[0].transform(X[:5]))
    assert why.interval is not None
    assert np.array_equal(why.interval[:, 0], ends)
    assert "(90%: " in why[2].to_text(0)
    assert " to " in why.to_text(2).splitlines()[0]
    assert sw.explain(model[-1].snip(0), X[:5], X).interval is None
    assert sw.explain(sw.CARTClassifier().fit(X, y > 1), X[:5], X).interval is None
