"""Useless inputs are dropped, useful ones are not; the rows that select inputs do not score the selection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from softwood import SoftTreeClassifier
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.learn import learn_joint, make_search
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search import SearchSteps
from softwood.learners.soft.search.feature_selection import most_important
from softwood.learners.soft.search.penalty_tuning import tune_penalties
from softwood.learners.soft.search.screening import screen
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trainer import Trainer
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema

ALL_STEPS = SearchSteps()
ALL = BasisSpec(square=0.5, normal_score=0.7, curve=(0.7, 0.3), quadratic=0.3)


def friedman(inputs: int, rows: int = 900) -> tuple[Dataset, Dataset]:
    """Five inputs matter."""
    X, y = make_friedman1(rows + 500, inputs, noise=1.0, random_state=0)
    y = (y - y.mean())[:, None] / y.std()
    ones = np.ones(len(X))
    parts = (slice(rows), slice(rows, None))
    train, fresh = (Dataset(X[at], y[at], ones[at], [0] * inputs, Loss.SQUARED) for at in parts)
    return train, fresh


def learned_error(train: Dataset, fresh: Dataset, steps: SearchSteps = ALL_STEPS) -> tuple[float, np.ndarray]:
    """Of a tree, and the importance of its inputs."""
    grown = learn_joint(train, Schema.plain(train.X.shape[1], 1), JointOptions(steps=steps), None)
    return float(np.mean(np.square(grown.tree.output(fresh.X) - fresh.target))), grown.described.importance


@pytest.mark.long
def test_with_ninety_five_useless_inputs_a_tree_has_half_the_error() -> None:
    train, fresh = friedman(100)
    error, worth = learned_error(train, fresh, SearchSteps(reweight_features=False))
    assert np.all(worth[:5] > 0.01)
    assert np.count_nonzero(worth[5:]) <= 5
    # Neither reweighting nor gates of one input each suffer from useless inputs: without any of the three steps.
    wide, everything = learned_error(train, fresh, SearchSteps(False, False, False))
    assert np.count_nonzero(everything[5:]) > 30
    assert error < 0.5 * wide


def test_a_heavy_penalty_does_not_hide_what_fewer_inputs_are_worth() -> None:
    """Six of thirty matter, in clusters. Shown all of them, the best tree is small and heavily penalised.

    The inputs that a single tree keeps depend on the last bits of the machine, so six trees are averaged, with a
    lower limit than for one.
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
    grown = learn_joint(Dataset(X, y, np.ones(200), [0] * 8, Loss.SQUARED), Schema.plain(8, 1), JointOptions(), None)
    assert np.abs(grown.tree.output(X) - y.mean()).mean() < 0.3


class NotingTrainer(Trainer):
    """A trainer that notes which folds it is asked for."""

    def trial(self, spec: ModelSpec, slopes: Any, grown: bool, penalty: float, fold_index: int) -> Trial:
        self.folds = {*getattr(self, "folds", ()), fold_index}
        return super().trial(spec, slopes, grown, penalty, fold_index)


def test_the_rows_that_select_inputs_do_not_score_the_selection() -> None:
    """Kinds are compared only on fold 0; inputs are selected on fold 1, and fold 2 confirms the winner of fold 0."""
    rows = TrainingRows.in_memory(friedman(20, 300)[0], 0)
    search = make_search(rows, None, JointOptions(), None)
    trials = search.trials
    trials.trainer = trainer = NotingTrainer(trials.trainer.grow_options, trials.trainer.max_iter)
    tune_penalties(trials, screen(trials))
    assert trainer.folds == {0}
    assert search.selection.select()
    assert trainer.folds == {0, 1, 2}
    assert all(len(spec.design.feature) and len(np.unique(spec.design.feature)) < 20 for spec in trials.specs)


def test_specs_of_one_kind_and_other_columns_are_restricted_each_by_itself() -> None:
    """Curves whose knots were divided have more columns than those of the same kind before."""
    train, _ = friedman(5, rows=200)
    search = make_search(TrainingRows.in_memory(train, 0), None, JointOptions(), None)
    spec = search.trials.specs[0]
    fewer = spec.only(np.array([True, True, False, True, True]))
    kept = np.array([False, True, True, False, False])
    assert np.unique(search.selection._restricted_spec(spec, kept).design.feature).tolist() == [1, 2]
    assert np.unique(search.selection._restricted_spec(fewer, kept).design.feature).tolist() == [1]
    assert search.selection._restricted_spec(spec, kept) is search.selection._restricted_spec(spec, kept)


def test_the_fewest_inputs_that_hold_a_part_of_the_importance() -> None:
    importance = np.array([0.1, 5.0, -1.0, 4.0, 0.9])
    for part, kept in ((0.4, [1]), (0.85, [1, 3]), (0.95, [1, 3, 4]), (1.0, [0, 1, 3, 4])):
        assert np.flatnonzero(most_important(importance, part)).tolist() == kept
    assert most_important(np.zeros(3), 0.9).all()


@pytest.mark.parametrize(("n_folds", "full", "confirmation_fold"), [(5, 0, 1), (1, 0, 0), (2, 1, 0)])
def test_another_division_has_as_many_rows(n_folds: int, full: int, confirmation_fold: int) -> None:
    train, fresh = friedman(5, 50)
    columns = build_design(train.X, train.n_levels, train.weight, BasisSpec())
    assert (
        ModelSpec(BasisSpec(), columns, [(train, fresh)] * n_folds, full, 1, True).confirmation_fold
        == confirmation_fold
    )


@pytest.mark.parametrize("basis_spec", [BasisSpec(), ALL])
def test_columns_of_some_inputs_are_some_of_the_columns(basis_spec: BasisSpec) -> None:
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(80, 3)), rng.integers(0, 3, 80)]
    X[:5, 1] = np.nan
    columns = build_design(X, [0, 0, 0, 3], np.ones(80), basis_spec)
    kept = np.array([False, True, False, True])
    some = columns.only(kept)
    np.testing.assert_allclose(some.make(X), columns.make(X)[:, kept[columns.feature]], atol=1e-12)
    assert set(some.basis.feature) == set(some.feature) == {1, 3}
