"""Useless inputs are left out, useful ones are not; the rows that choose inputs do not judge the choice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from softwood import SoftTreeClassifier
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns import Recipe, build_columns
from softwood.learners.soft.field import Field
from softwood.learners.soft.joint import Joint, learn_joint
from softwood.learners.soft.nursery import Nursery
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.search import Search
from softwood.tree import Schema

ALL = Recipe(square=0.5, score=0.7, curve=(0.7, 0.3), bow=0.3)


def friedman(inputs: int, rows: int = 900) -> tuple[SoftProblem, SoftProblem]:
    """Five inputs matter."""
    X, y = make_friedman1(rows + 500, inputs, noise=1.0, random_state=0)
    y = (y - y.mean())[:, None] / y.std()
    ones = np.ones(len(X))
    parts = (slice(rows), slice(rows, None))
    learn, fresh = (SoftProblem(X[at], y[at], ones[at], [0] * inputs, Loss.SQUARED) for at in parts)
    return learn, fresh


def learned_error(learn: SoftProblem, fresh: SoftProblem) -> tuple[float, np.ndarray]:
    """Of a tree, and the worth of its inputs."""
    grown = learn_joint(learn, Schema.plain(learn.X.shape[1], 1), Joint(), None)
    return float(np.mean(np.square(grown.tree.output(fresh.X) - fresh.target))), grown.described.importance


def test_with_ninety_five_useless_inputs_a_tree_has_half_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    learn, fresh = friedman(100)
    monkeypatch.setattr(Search, "_lean", lambda search: None)  # it holds useless inputs back, and is not asked here
    error, worth = learned_error(learn, fresh)
    assert np.all(worth[:5] > 0.01)
    assert np.count_nonzero(worth[5:]) <= 5
    monkeypatch.setattr(Search, "_narrow", lambda search: False)
    monkeypatch.setattr(Search, "_sharpen", lambda search, wide: None)  # gates that look at one input each do not mind
    wide, everything = learned_error(learn, fresh)
    assert np.count_nonzero(everything[5:]) > 30
    assert error < 0.5 * wide


def test_a_heavy_penalty_does_not_hide_what_fewer_inputs_are_worth() -> None:
    """Six of thirty matter, in clusters. Shown all of them, the best tree is small and heavily penalised.

    Which inputs a single tree keeps depends on the last bits of the machine: six are asked, for fewer
    on average than a single one was allowed.
    """
    shown, score = [], []
    for seed in range(6):
        X, y = make_classification(
            900, 30, n_informative=6, n_redundant=0, n_classes=3, n_clusters_per_class=3, class_sep=2, flip_y=0,
            random_state=seed,
        )  # fmt: skip
        model = SoftTreeClassifier(gate="linear", leaf="constant").fit(X[:600], y[:600])
        shown.append(model.history_[-1]["n_inputs"])
        score.append(model.score(X[600:], y[600:]))
        assert score[-1] > 0.9
    assert np.mean(score) > 0.92  # those that are shown all inputs have .88
    assert np.mean(shown) <= 8


def test_the_history_tells_how_many_inputs_were_shown() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 60))
    model = SoftTreeClassifier().fit(X, X[:, 0] + X[:, 1] > 0)
    assert np.flatnonzero(model.feature_importances_).tolist() == [0, 1]
    assert min(one["n_inputs"] for one in model.history_) == 2


def test_where_all_inputs_matter_all_are_kept() -> None:
    worth = learned_error(*friedman(5))[1]
    assert np.all(worth > 0.01)


def test_noise_alone_is_answered_by_the_mean() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 8)), rng.normal(size=(200, 1))
    grown = learn_joint(SoftProblem(X, y, np.ones(200), [0] * 8, Loss.SQUARED), Schema.plain(8, 1), Joint(), None)
    assert np.abs(grown.tree.output(X) - y.mean()).mean() < 0.3


def test_the_rows_that_choose_inputs_do_not_judge_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    judged_by, trial = [], Nursery.trial

    def spy(nursery: Nursery, *kind: Any) -> Any:
        judged_by.append(kind[-1])
        return trial(nursery, *kind)

    def stop(search: Search) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Nursery, "trial", spy)
    monkeypatch.setattr(Search, "_race", stop)  # what went before: scouts and walks, and the search for inputs
    with pytest.raises(KeyboardInterrupt):
        learned_error(*friedman(20, 300))
    # Trees are compared by what division 0 holds out and, where fewer inputs win there, 2; inputs are chosen by 1.
    assert set(judged_by) == {0, 1, 2}


@pytest.mark.parametrize(("divisions", "full", "another"), [(5, 0, 1), (1, 0, 0), (2, 1, 0)])
def test_another_division_has_as_many_rows(divisions: int, full: int, another: int) -> None:
    learn, fresh = friedman(5, 50)
    columns = build_columns(learn.X, learn.n_levels, learn.weight, Recipe())
    assert Field(Recipe(), columns, [(learn, fresh)] * divisions, full, 1, True).another == another


@pytest.mark.parametrize("recipe", [Recipe(), ALL])
def test_columns_of_some_inputs_are_some_of_the_columns(recipe: Recipe) -> None:
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(80, 3)), rng.integers(0, 3, 80)]
    X[:5, 1] = np.nan
    columns = build_columns(X, [0, 0, 0, 3], np.ones(80), recipe)
    kept = np.array([False, True, False, True])
    some = columns.only(kept)
    np.testing.assert_allclose(some.make(X), columns.make(X)[:, kept[columns.feature]], atol=1e-12)
    assert set(some.basis.feature) == set(some.feature) == {1, 3}
