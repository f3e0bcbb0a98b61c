"""In large tables, trees with many leaves, constant or with mixed slopes, are grown with a light penalty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.kernels.kinds import Loss
from softwood.learners.soft.growth.split_step import SPLIT_ITER
from softwood.learners.soft.learn import make_search, training_rows
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.many_leaves import (
    LIGHT_STRENGTH,
    LIGHT_STRENGTH_OF_CLASSES,
    add_mixed,
    kinds_with_many_leaves,
    not_replaced,
)
from softwood.learners.soft.search.screening import screen
from softwood.learners.soft.search.trials import Trials

ROWS = 6_500


def regions() -> Dataset:
    """Targets of the nearest of two hundred places, with a little noise."""
    rng = np.random.default_rng(0)
    places, answers, X = rng.uniform(-1.0, 1.0, (200, 4)), rng.standard_normal(200), rng.uniform(-1.0, 1.0, (ROWS, 4))
    nearest = np.argmin(np.square(X[:, None] - places).sum(axis=2), axis=1)
    y = answers[nearest] + 0.1 * rng.standard_normal(ROWS)
    return Dataset(X, y[:, None], np.ones(ROWS), [0] * 4, Loss.SQUARED)


def screened(rows: Dataset, **how: object) -> Trials:
    options = JointOptions(more_leaves=True, **how)  # type: ignore[arg-type]
    trials = make_search(training_rows(rows, options), None, options, None).trials
    screen(trials)
    return trials


@pytest.fixture(scope="module")
def trials() -> Trials:
    return screened(regions(), leaf="constant")


def test_the_tree_has_many_leaves_under_a_light_penalty(trials: Trials) -> None:
    (kind,) = kinds_with_many_leaves(trials)
    (tree,) = kind.grown(trials, np.inf)
    assert len(tree.candidate.tree[0].leaves) > trials.trainer.grow_options.max_leaves
    assert tree.candidate.penalty * kind.spec.rows(kind.spec.full) == pytest.approx(LIGHT_STRENGTH)
    grown = [trial for trial in trials.found if trial.grown and trial.spec.basis_spec.is_nonlinear]
    assert tree.loss < min(trial.loss for trial in grown)


def test_it_is_given_up_where_others_are_better(trials: Trials) -> None:
    (kind,) = kinds_with_many_leaves(trials)
    fresh = replace(trials, trainer=replace(trials.trainer, tried={}))
    assert kind.grown(fresh, 1e-9) == []


@pytest.mark.parametrize("how", [{"penalty": 1e-3}, {"max_gate_features": 1}, {"max_leaves": 64}])
def test_there_is_none_where_something_else_is_asked_for(trials: Trials, how: dict[str, object]) -> None:
    penalty = how.get("penalty")
    options = replace(trials.trainer.grow_options, **{k: v for k, v in how.items() if k != "penalty"})  # type: ignore[arg-type]
    other = replace(trials, penalty=penalty, trainer=replace(trials.trainer, grow_options=options))
    assert kinds_with_many_leaves(other) == []


def glyphs(n: int = ROWS) -> Dataset:
    """Six classes: the log odds of each are linear in the inputs, in another way in each of four regions."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, (n, 4))
    of_region = rng.standard_normal((4, 6, 4))
    region = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    score = 4.0 * np.einsum("rqc,rc->rq", of_region[region], X)
    label = np.argmax(score + rng.gumbel(size=score.shape), axis=1)
    return Dataset(X, np.eye(6)[label], np.ones(n), [0] * 4, Loss.SOFTMAX)


def test_leaves_of_many_classes_have_mixed_slopes_and_these_are_better_than_shared_ones() -> None:
    trials = screened(glyphs(), leaf="linear")
    (kind,) = kinds_with_many_leaves(trials)
    assert (kind.slopes, kind.strength) == ("mixed", LIGHT_STRENGTH_OF_CLASSES)
    (tree,) = kind.grown(trials, np.inf)
    params, linear = tree.candidate.tree[0], kind.spec.linear_columns
    assert params.own_columns.tolist() == linear.tolist()
    assert len(linear) == 4
    shared = trials.trainer.from_root(kind.spec, "shared", tree.candidate.penalty, kind.spec.full)
    assert tree.loss < 0.95 * shared.loss
    refined = trials.trainer.reweight_refined(tree, kind.spec.full).candidate.tree[0]
    assert 0 < refined.n_iter - params.n_iter < 2 * SPLIT_ITER < trials.trainer.max_iter + 1


def test_mixed_slopes_join_the_race_where_all_rows_were_screened_and_replace_shared_ones() -> None:
    trials = screened(glyphs(6_000), leaf="linear")
    assert trials.specs[0].full == 0
    assert any(trial.grown and trial.spec.basis_spec.is_nonlinear for trial in trials.found)
    add_mixed(trials)
    *others, mixed = trials.found
    assert mixed.slopes == "mixed"
    assert mixed is trials.best
    assert not any(trial.grown and trial.spec.basis_spec.is_nonlinear for trial in others)


def test_trees_with_many_leaves_replace_the_screened_ones_of_their_kind(trials: Trials) -> None:
    tree = min((trial for trial in trials.found if trial.grown and trial.slopes == "none"), key=lambda one: one.loss)
    own, shared, mixed = (replace(tree, slopes=slopes) for slopes in ("own", "shared", "mixed"))
    screened = [tree, own, shared]
    assert not_replaced(screened, []) == screened
    assert not_replaced(screened, [tree]) == [own, shared]
    assert not_replaced(screened, [mixed]) == [tree, own]
    assert not_replaced([replace(tree, grown=False)], [tree]) != []
