"""The jury's mean is the loss, and what it says a choice costs is what fresh rows charge for it."""

from __future__ import annotations

import numpy as np

from softwood.engines.memory import MemoryEngine
from softwood.kernels.kinds import Loss
from softwood.learners.soft.jury import Jury
from softwood.learners.soft.sapling import Sapling


def rows_of(target: np.ndarray, weight: np.ndarray) -> MemoryEngine:
    return MemoryEngine.make(np.zeros((len(target), 1)), target[:, None], weight, Loss.SQUARED, single=False)


def leaf(answer: float) -> Sapling:
    return Sapling.root(np.array([answer]), 1, "none")


def test_loss_is_the_weighted_mean() -> None:
    rng = np.random.default_rng(0)
    engine = rows_of(rng.normal(size=40), rng.uniform(0.5, 2.0, 40))
    tree = leaf(0.3)
    assert np.isclose(Jury(engine).loss(tree), tree.loss(engine))


def test_one_tree_costs_nothing_to_choose() -> None:
    jury, tree = Jury(rows_of(np.arange(20.0), np.ones(20))), leaf(1.0)
    jury.loss(tree)
    np.testing.assert_array_equal(jury.cost_of_choice(tree), np.zeros(20))


def test_few_rows_say_nothing_of_a_choice() -> None:
    rng = np.random.default_rng(5)
    jury, trees = Jury(rows_of(rng.normal(size=20), np.ones(20))), [leaf(answer) for answer in rng.normal(size=30)]
    best = min(trees, key=jury.loss)
    np.testing.assert_array_equal(jury.cost_of_choice(best), np.zeros(20))


def test_a_choice_that_every_part_makes_costs_nothing() -> None:
    jury = Jury(rows_of(np.random.default_rng(1).normal(5.0, 0.1, 50), np.ones(50)))
    trees = [leaf(answer) for answer in (0.0, 5.0, 9.0)]
    losses = [jury.loss(tree) for tree in trees]
    assert int(np.argmin(losses)) == 1
    np.testing.assert_array_equal(jury.cost_of_choice(trees[1]), np.zeros(50))


def test_the_cost_makes_up_for_the_luck_of_the_best_of_many() -> None:
    """Answers that are all equally wrong: the best by few rows is not better, and its loss with the cost says so."""
    rng = np.random.default_rng(2)
    lucky, told = [], []
    for _ in range(200):
        noise = rng.normal(size=(12, 30))  # what twelve trees answer at thirty rows
        phi = np.eye(30)
        engine = MemoryEngine.make(phi, np.zeros((30, 1)), np.ones(30), Loss.SQUARED, single=False)
        jury = Jury(engine)
        trees = [Sapling.root(np.zeros(1), 30, "own").with_parameters(np.r_[0.0, row]) for row in noise]
        losses = [jury.loss(tree) for tree in trees]
        best = trees[int(np.argmin(losses))]
        lucky.append(min(losses))
        told.append(min(losses) + jury.cost_of_choice(best).mean())
    fresh = 0.5  # half the mean square of what a tree answers at a row that no one chose by
    assert np.mean(lucky) < 0.8 * fresh
    assert abs(np.mean(told) - fresh) < 0.03 * fresh
