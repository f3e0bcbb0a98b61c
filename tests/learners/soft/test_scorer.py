"""The scorer's mean is the loss, and its selection bias is the difference from the loss on new rows."""

from __future__ import annotations

import numpy as np

from softwood.engines import SampleEngine
from softwood.engines.memory import from_columns
from softwood.kernels.kinds import Loss
from softwood.learners.soft.growth.scorer import Scorer
from softwood.learners.soft.params.params import SoftTreeParams


def rows_of(target: np.ndarray, weight: np.ndarray) -> SampleEngine:
    return from_columns(np.zeros((len(target), 1)), target[:, None], weight, Loss.SQUARED, single=False)


def leaf(answer: float) -> SoftTreeParams:
    return SoftTreeParams.root(np.array([answer]), 1, "none")


def test_loss_is_the_weighted_mean() -> None:
    rng = np.random.default_rng(0)
    engine = rows_of(rng.normal(size=40), rng.uniform(0.5, 2.0, 40))
    tree = leaf(0.3)
    assert np.isclose(Scorer(engine).loss(tree), tree.loss(engine))


def test_one_tree_costs_nothing_to_choose() -> None:
    scorer, tree = Scorer(rows_of(np.arange(20.0), np.ones(20))), leaf(1.0)
    scorer.loss(tree)
    np.testing.assert_array_equal(scorer.selection_bias(tree), np.zeros(20))


def test_few_rows_say_nothing_of_a_choice() -> None:
    rng = np.random.default_rng(5)
    scorer, trees = Scorer(rows_of(rng.normal(size=20), np.ones(20))), [leaf(answer) for answer in rng.normal(size=30)]
    best = min(trees, key=scorer.loss)
    np.testing.assert_array_equal(scorer.selection_bias(best), np.zeros(20))


def test_a_choice_that_every_part_makes_costs_nothing() -> None:
    scorer = Scorer(rows_of(np.random.default_rng(1).normal(5.0, 0.1, 50), np.ones(50)))
    trees = [leaf(answer) for answer in (0.0, 5.0, 9.0)]
    losses = [scorer.loss(tree) for tree in trees]
    assert int(np.argmin(losses)) == 1
    np.testing.assert_array_equal(scorer.selection_bias(trees[1]), np.zeros(50))


def test_the_bias_makes_up_for_the_selection_of_the_best_of_many() -> None:
    """Predictions that are all equally wrong: the best on few rows is not better, nor is its loss plus bias."""
    rng = np.random.default_rng(2)
    selected, estimated = [], []
    for _ in range(200):
        noise = rng.normal(size=(12, 30))  # what twelve trees answer at thirty rows
        phi = np.eye(30)
        engine = from_columns(phi, np.zeros((30, 1)), np.ones(30), Loss.SQUARED, single=False)
        scorer = Scorer(engine)
        trees = [SoftTreeParams.root(np.zeros(1), 30, "own").with_parameters(np.r_[0.0, row]) for row in noise]
        losses = [scorer.loss(tree) for tree in trees]
        best = trees[int(np.argmin(losses))]
        selected.append(min(losses))
        estimated.append(min(losses) + scorer.selection_bias(best).mean())
    fresh = 0.5  # half the mean square of what a tree answers at a row that no one chose by
    assert np.mean(selected) < 0.8 * fresh
    assert abs(np.mean(estimated) - fresh) < 0.03 * fresh
