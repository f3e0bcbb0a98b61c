"""Growth ends where it is not worth while, and trees keep no branch that makes no difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.engines.memory import MemoryEngine
from softwood.kernels.kinds import Loss
from softwood.learners.soft.choice import Candidate
from softwood.learners.soft.columns import PLAIN, build_columns
from softwood.learners.soft.enlarge import Growing
from softwood.learners.soft.ground import Ground, plant_root
from softwood.learners.soft.growth import grow, without_idle
from softwood.learners.soft.joint import refitted
from softwood.learners.soft.jury import Jury
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Sapling, Slopes


def waves(seed: int) -> SoftProblem:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (200, 2))
    return SoftProblem(X, np.sin(8.0 * X[:, :1]), np.ones(200), [0, 0], Loss.SQUARED)


@pytest.fixture(scope="module")
def ground() -> Ground:
    rows = waves(0)
    return Ground.make(rows, waves(1), build_columns(rows.X, rows.n_levels, rows.weight, PLAIN), single=False)


def grown(ground: Ground, worth: float = np.inf) -> Sapling:
    how = Growing(1e-4, max_leaves=16, worth=worth)
    return grow(plant_root(ground.learn, 2, "none"), ground.learn, ground.axes, how, Jury(ground.judge))


def test_a_tree_that_will_not_come_near_is_given_up(ground: Ground) -> None:
    whole, near, far = (grown(ground, worth).n_iter for worth in (np.inf, 0.01, -1.0))
    assert far < near == whole


@pytest.mark.parametrize("gate", [[0.0, 0.0, 40.0], [3.0, 1.0, 0.0]], ids=["no row arrives", "both answer alike"])
def test_idle_branches_are_dropped(ground: Ground, gate: list[float]) -> None:
    tree = grown(ground)
    leaf = tree.leaves[0]
    away = tree.response[leaf] + (5.0 if gate[2] else 0.0)
    larger = tree.split(leaf, np.array(gate), tree.response[leaf], away)
    kept = without_idle(larger, ground.learn)
    assert kept.n_nodes == without_idle(tree, ground.learn).n_nodes
    assert kept.loss(ground.learn) == pytest.approx(tree.loss(ground.learn), rel=1e-4)


def test_nodes_have_a_price_when_trees_are_refined_on_all_rows(ground: Ground) -> None:
    tree = grown(ground)
    leaf = tree.leaves[0]
    larger = tree.split(leaf, np.array([0.1, 0.1, 0.0]), tree.response[leaf], tree.response[leaf])
    chosen = replace(Candidate.nothing(), penalty=1e-4, tree=[larger, tree], loudness=[1.0, 1.0])
    assert refitted(chosen, ground.learn, 0).n_nodes == tree.n_nodes


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_a_blind_tree_answers_as_if_the_column_stood_still(slopes: Slopes) -> None:
    rng = np.random.default_rng(4)
    tree = Sapling.root(np.zeros(2), 3, slopes)
    tree = tree.split(0, np.zeros(4), np.zeros(2), np.zeros(2)).split(1, np.zeros(4), np.zeros(2), np.zeros(2))
    tree = tree.with_parameters(rng.normal(size=len(tree.parameters)))
    X, target, still = rng.normal(size=(50, 3)), np.zeros((50, 2)), np.array([0.3, -0.7, 0.0])

    def engine(phi: np.ndarray) -> MemoryEngine:
        return MemoryEngine.make(phi, target, np.ones(50), Loss.SQUARED, single=False)

    one = np.array([False, True, False])
    blind = tree.blind(one, still)
    fixed = np.where(one, still, X)
    np.testing.assert_allclose(
        engine(X).output(blind.shape, blind.parameters), engine(fixed).output(tree.shape, tree.parameters)
    )


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_a_tree_over_some_columns_answers_as_if_the_others_were_0(slopes: Slopes) -> None:
    rng = np.random.default_rng(5)
    tree = Sapling.root(np.zeros(2), 4, slopes).split(0, rng.normal(size=5), rng.normal(size=2), rng.normal(size=2))
    tree = tree.with_parameters(rng.normal(size=len(tree.parameters)))
    X, kept = rng.normal(size=(50, 4)), np.array([True, False, True, False])
    some = tree.seeing(kept)
    engines = [
        MemoryEngine.make(phi, np.zeros((50, 2)), np.ones(50), Loss.SQUARED, single=False)
        for phi in (X[:, kept], np.where(kept, X, 0.0))
    ]
    np.testing.assert_allclose(
        engines[0].output(some.shape, some.parameters), engines[1].output(tree.shape, tree.parameters)
    )


def test_large_weights_are_eased_unless_a_gate_was_told_where_to_look() -> None:
    tree = Sapling.root(np.zeros(1), 2, "none", ease=0.25).split(0, np.ones(3), np.zeros(1), np.zeros(1))
    told = tree.split(1, np.ones(3), np.zeros(1), np.zeros(1), np.array([True, False, False]))
    price = told.price(0.5)
    np.testing.assert_array_equal(price.ease[:6], [0.25] * 3 + [0.0] * 3)
    np.testing.assert_array_equal(price.strength[:6], [0.5, 0.5, 0.0, -1.0, 0.5, 0.0])
    np.testing.assert_array_equal(price.ease[6:], 0.0)
