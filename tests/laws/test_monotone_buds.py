"""Budding trees satisfy their monotone constraints, like soft trees (test_monotone_soft.py), for any leafness."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import Batches, BuddingTreeClassifier, BuddingTreeRegressor, load, save
from tests.examples import examples
from tests.laws.test_monotone import worst_step
from tests.laws.test_monotone_soft import ROUNDING, draw_case

seeds = st.integers(0, 2**32 - 1)
KINDS: dict[str, Any] = {"regressor": BuddingTreeRegressor, "classifier": BuddingTreeClassifier}


@pytest.mark.parametrize("leaf", ["constant", "linear"])
@pytest.mark.parametrize("gate", ["axis", "linear", "additive"])
@examples(3)
@given(seed=seeds)
def test_every_kind_of_tree_obeys(gate: str, leaf: str, seed: int) -> None:
    """A leafness penalty is given, so that there are buds."""
    rules = {"gate": gate, "leaf": leaf, "weight_penalty": 0.01, "leafness_penalty": 1e-4, "max_nodes": 9}
    case = draw_case(seed, **KINDS, **rules)
    assert case.model.monotonic_certificate_.holds
    assert worst_step(case, case.model, seed) <= ROUNDING


@examples(3)
@given(seed=seeds)
def test_the_chosen_tree_obeys_rounded_or_not_and_so_does_its_file(seed: int) -> None:
    case = draw_case(seed, **KINDS, max_nodes=9, round_buds=bool(seed % 2))
    with tempfile.TemporaryDirectory() as folder:
        save(case.model, f"{folder}/model.softwood")
        again = load(f"{folder}/model.softwood")
    assert again.monotonic_certificate_ == case.model.monotonic_certificate_
    assert again.monotonic_certificate_.holds
    assert worst_step(case, again, seed) <= ROUNDING


def rows(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, a truth that increases with both, and targets."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    truth = np.tanh(4 * X[:, 0]) + 2.0 * (X[:, 1] > 0.2)
    return X, truth, truth + rng.normal(size=n)


@pytest.mark.long
def test_there_are_buds_among_monotone_trees_and_they_come_near_a_monotone_truth() -> None:
    """Six tables: how far a single tree grows depends on the last bits of the machine.

    Their error is .14 on average, that of trees without constraints .09, that of the best constant 1.5.
    """
    off, constant, buds = [], [], 0
    for seed in range(6):
        X, truth, y = rows(seed=seed)
        model = BuddingTreeRegressor(monotonic_cst=[1, 1], gate="linear", leafness_penalty=1e-2).fit(X, y)
        leafness = model.tree_.leafness
        buds += bool(np.any((leafness > 0) & (leafness < 1)))
        off.append(np.mean((model.predict(X) - truth) ** 2))
        constant.append(np.var(truth))
    assert buds >= 4
    assert np.mean(off) < 0.15 * np.mean(constant)


def test_other_losses_keep_to_them_too() -> None:
    X, _, y = rows()
    model = BuddingTreeRegressor(loss="poisson", monotonic_cst={0: 1}, gate="linear", max_nodes=7).fit(X, np.exp(y))
    low, high = X.copy(), X.copy()
    low[:, 0], high[:, 0] = -0.5, 0.5
    assert model.monotonic_certificate_.holds
    assert np.all(model.predict(high) >= model.predict(low) - ROUNDING)


def test_what_keeps_no_order_is_refused() -> None:
    X, _, y = rows(60)
    model = BuddingTreeRegressor(monotonic_cst=[1, 0], gate="linear", leaf="constant", max_nodes=3).fit(X, y)
    with pytest.raises(ValueError, match="partial_fit updates all parameters row by row"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst needs learner='joint'"):
        BuddingTreeRegressor(monotonic_cst=[1, 0], learner="online").fit(X, y)
    with pytest.raises(ValueError, match="needs rows in memory"):
        BuddingTreeRegressor(monotonic_cst=[1, 0]).fit(Batches([(X, y)]))
    with pytest.raises(ValueError, match="at most two classes, got 3"):
        BuddingTreeClassifier(monotonic_cst=[1, 0]).fit(X, np.digitize(y, [0.0, 1.0]))
    assert BuddingTreeRegressor(max_nodes=1).fit(X, y).monotonic_certificate_ is None
