"""Cuts along a score if rounding leaves no gain: none is chosen, and nothing is read out of bounds."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import LinearDiscriminantTreeClassifier, kernels
from softwood.kernels.formulas.score_threshold import best_cut
from softwood.kernels.kinds import Criterion
from softwood.learners.oblique import discriminant

FAR = 1e9 + np.array([-0.6425424, 0.7555919, -0.7005587, -1.7459441, 0.3913562, 0.0534006, 1.1917439, 0.0446919,
                      0.7410214, 0.0447046])  # fmt: skip
WEIGHT = np.array([0.4592427116414014, 1e15, 0.3515123747553508, 0.6235234575494434, 0.825828504608866,
                   0.4885598855468779, 0.9547099716570322, 0.3262500201579456, 0.06675666026657245,
                   0.8403317402043943])  # fmt: skip


@pytest.fixture(params=["native", "reference"])
def twin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "reference":
        monkeypatch.setattr(discriminant.kernels, "grow_discriminant", None)


@pytest.mark.parametrize("near", [np.nan, 1.5])
def test_of_cuts_that_all_lose_the_best_is_taken_as_no_gain(near: float) -> None:
    """The rest of a heavy class is lost to rounding, so that every gain is below 0 by more than a tie's tolerance."""
    tally = np.array([[67747523913.81889, 0.0], [0.0, 0.1344214488287923], [5582833787.298413, 0.0]])
    gain, at = best_cut(np.array([1.0, 2.0, 3.0]), tally, tally.sum(axis=1), Criterion.ERROR, 0.0, near)
    assert gain == 0.0
    assert at in (1.5, 2.5)


@pytest.mark.usefixtures("twin")
def test_a_weight_that_outweighs_all_others_does_no_harm() -> None:
    model = LinearDiscriminantTreeClassifier(criterion="error")
    model.fit([[3.0], [2.0], [1.0]], [0, 1, 1], sample_weight=[0.3, 0.8, 1e10])
    assert np.isfinite(model.predict_proba([[0.0], [4.0]])).all()


@pytest.mark.usefixtures("twin")
@pytest.mark.parametrize("centre", [0.0, 1e9])
def test_ten_rows_of_one_heavy_one(centre: float) -> None:
    X, y = np.column_stack([FAR - centre, np.arange(10.0)]), [5, 18, 14, 12, 5, 17, 13, 1, 18, 18]
    model = LinearDiscriminantTreeClassifier(criterion="error", univariate=True, prune=None)
    shares = model.fit(X, y, sample_weight=WEIGHT).predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.fewer(2)
@pytest.mark.usefixtures("twin")
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_a_class_of_hardly_any_weight_does_no_harm(criterion: str) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
        model = LinearDiscriminantTreeClassifier(criterion=criterion, class_weight={0: 1, 1: 1e-6}, prune=None)
        assert np.isfinite(model.fit(X, y).predict_proba(X)).all()


@pytest.mark.skipif(kernels.grow_discriminant is None, reason="the native kernels are not built")
def test_groups_of_classes_of_hardly_any_weight_come_to_an_end() -> None:
    """One class has all the weight: rounding leaves losses below 0, none of which is clearly better than another."""
    rng = np.random.default_rng(0)
    for trial in range(200):
        k, n = int(rng.integers(3, 6)), int(rng.integers(4, 12))
        code = np.concatenate([np.arange(k), rng.integers(0, k, n)]).astype(np.int32)
        heft = 10.0 ** rng.uniform(-18, -12, k)
        heft[rng.integers(k)] = 1
        weight, X = heft[code] * rng.uniform(0.1, 1, len(code)), rng.normal(size=(len(code), 2))
        numbers, no_limit = np.zeros((0, 1)), (100, 0.0, 0.0, 0.0)
        nodes = kernels.grow_discriminant(
            X, weight, code, np.ones(k), numbers, trial % 3, None, [], *no_limit, np.nan, False
        )
        assert np.isfinite(nodes["value"]).all()
