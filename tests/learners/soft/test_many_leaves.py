"""Where rows are many, a tree of many constant leaves is grown under a light penalty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.kernels.kinds import Loss
from softwood.learners.soft.dataset import Dataset
from softwood.learners.soft.joint import JointOptions, make_search, training_rows
from softwood.learners.soft.model_search.curve_selection import select_curves
from softwood.learners.soft.model_search.many_leaves import LIGHT, columns_for_many_leaves, grow_many_leaves
from softwood.learners.soft.model_search.screening import screen
from softwood.learners.soft.model_search.trials import Trials

ROWS = 6_500


def regions() -> Dataset:
    """Answers as the nearest of two hundred places has them, and a little noise."""
    rng = np.random.default_rng(0)
    places, answers, X = rng.uniform(-1.0, 1.0, (200, 4)), rng.standard_normal(200), rng.uniform(-1.0, 1.0, (ROWS, 4))
    nearest = np.argmin(np.square(X[:, None] - places).sum(axis=2), axis=1)
    y = answers[nearest] + 0.1 * rng.standard_normal(ROWS)
    return Dataset(X, y[:, None], np.ones(ROWS), [0] * 4, Loss.SQUARED)


def screened(**how: object) -> Trials:
    options = JointOptions(leaf="constant", more_leaves=True, **how)  # type: ignore[arg-type]
    trials = make_search(training_rows(regions(), options), None, options, None).trials
    select_curves(trials)
    screen(trials)
    return trials


@pytest.fixture(scope="module")
def trials() -> Trials:
    return screened()


def test_the_tree_has_many_leaves_and_smooth_curves_under_a_light_penalty(trials: Trials) -> None:
    spec = columns_for_many_leaves(trials)
    assert spec is not None
    (tree,) = grow_many_leaves(trials, spec, np.inf)
    assert len(tree.candidate.tree[0].leaves) > trials.trainer.grow_options.max_leaves
    assert tree.candidate.basis_spec.n_ramps == 0
    assert tree.candidate.penalty * spec.rows(spec.full) == pytest.approx(LIGHT)
    grown = [trial for trial in trials.found if trial.grown and trial.spec.basis_spec.is_nonlinear]
    assert tree.loss < min(trial.loss for trial in grown)


def test_it_is_given_up_where_others_are_better(trials: Trials) -> None:
    spec = columns_for_many_leaves(trials)
    assert spec is not None
    fresh = replace(trials, trainer=replace(trials.trainer, tried={}))
    assert grow_many_leaves(fresh, spec, 1e-9) == []


@pytest.mark.parametrize("how", [{"penalty": 1e-3}, {"max_gate_features": 1}, {"max_leaves": 64}])
def test_there_is_none_where_something_else_is_asked_for(trials: Trials, how: dict[str, object]) -> None:
    penalty = how.get("penalty")
    options = replace(trials.trainer.grow_options, **{k: v for k, v in how.items() if k != "penalty"})  # type: ignore[arg-type]
    other = replace(trials, penalty=penalty, trainer=replace(trials.trainer, grow_options=options))
    assert columns_for_many_leaves(other) is None
