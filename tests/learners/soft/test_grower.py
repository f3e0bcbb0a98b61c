"""Growth ends if it does not pay, and trees keep no branch that makes no difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from softwood.engines.memory import from_columns
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import PLAIN
from softwood.learners.soft.finish.refit import refitted
from softwood.learners.soft.growth.grower import grow, prune_in_batches, reachable, without_idle
from softwood.learners.soft.growth.scorer import Scorer
from softwood.learners.soft.growth.split_step import GrowOptions
from softwood.learners.soft.params.params import Slopes, SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import Fold, init_root
from softwood.learners.soft.search.selection import Candidate


def waves(seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (200, 2))
    return Dataset(X, np.sin(8.0 * X[:, :1]), np.ones(200), [0, 0], Loss.SQUARED)


def noisy() -> Iterator[tuple[Dataset, np.ndarray]]:
    """Inputs, and a target of noise."""
    for seed in (0, 1):
        yield waves(seed), 0.3 * np.random.default_rng(10 + seed).standard_normal((200, 1))


@pytest.fixture(scope="module")
def fold() -> Fold:
    rows = waves(0)
    return Fold.make(rows, waves(1), build_design(rows.X, rows.n_levels, rows.weight, PLAIN), single=False)


def grown(fold: Fold, abandon_above: float = np.inf) -> SoftTreeParams:
    how = GrowOptions(1e-4, max_leaves=16, abandon_above=abandon_above)
    return grow(init_root(fold.train, 2, "none"), fold.train, fold.split_features, how, Scorer(fold.valid))


def test_a_tree_that_will_not_come_near_is_given_up(fold: Fold) -> None:
    whole, near, far = (grown(fold, loss).n_iter for loss in (np.inf, 0.01, -1.0))
    assert far < near == whole


def test_growth_of_many_leaves_ends_where_doublings_save_too_little() -> None:
    assert reachable({16: 0.5, 32: 0.4}, 128) == pytest.approx(0.2)
    assert reachable({16: 0.5, 20: 0.4}, 64) == -np.inf  # it has not doubled yet


def test_many_leaves_are_pruned_several_at_once() -> None:
    """Leaves that only split noise are removed with fewer refinements than there were such leaves."""
    rows, fresh = (Dataset(one.X, one.X[:, :1] + noise, one.weight, [0, 0], Loss.SQUARED) for one, noise in noisy())
    design = build_design(rows.X, rows.n_levels, rows.weight, PLAIN)
    fold = Fold.make(rows, fresh, design, single=False)
    tree = init_root(fold.train, 2, "none")
    while len(tree.leaves) < 40:
        leaf = tree.leaves[0]  # level by level
        tree = tree.split(leaf, np.array([0.2, 0.1, 0.0]), tree.response[leaf] + 0.1, tree.response[leaf] - 0.1)
    scorer = Scorer(fold.valid)
    best = scorer.loss(tree.refine(fold.train, 0.03, 25)[1])
    smaller, least = prune_in_batches(tree, best, fold.train, 0.03, scorer)
    n_scored = len(scorer._seen)
    assert len(smaller.leaves) <= 25
    assert scorer.loss(smaller) <= 1.003 * least <= 1.003 * best
    assert n_scored < 40 - len(smaller.leaves)  # one by one it is two for each leaf


@pytest.mark.parametrize("gate", [[0.0, 0.0, 40.0], [3.0, 1.0, 0.0]], ids=["no row arrives", "both answer alike"])
def test_idle_branches_are_dropped(fold: Fold, gate: list[float]) -> None:
    tree = grown(fold)
    leaf = tree.leaves[0]
    away = tree.response[leaf] + (5.0 if gate[2] else 0.0)
    larger = tree.split(leaf, np.array(gate), tree.response[leaf], away)
    kept, plain = without_idle(larger, fold.train), without_idle(tree, fold.train)
    assert kept.n_nodes == plain.n_nodes
    assert kept.loss(fold.train) == pytest.approx(plain.loss(fold.train), rel=1e-4)


def test_nodes_have_a_price_when_trees_are_refined_on_all_rows(fold: Fold) -> None:
    tree = grown(fold)
    leaf = tree.leaves[0]
    larger = tree.split(leaf, np.array([0.1, 0.1, 0.0]), tree.response[leaf], tree.response[leaf])
    chosen = replace(Candidate.nothing(), penalty=1e-4, tree=[larger, tree], output_scale=[1.0, 1.0])
    assert refitted(chosen, fold.train, 0).n_nodes == tree.n_nodes


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_a_tree_over_some_columns_answers_as_if_the_others_were_0(slopes: Slopes) -> None:
    rng = np.random.default_rng(5)
    tree = SoftTreeParams.root(np.zeros(2), 4, slopes).split(
        0, rng.normal(size=5), rng.normal(size=2), rng.normal(size=2)
    )
    tree = tree.with_parameters(rng.normal(size=len(tree.parameters)))
    X, kept = rng.normal(size=(50, 4)), np.array([True, False, True, False])
    some = tree.select_columns(kept)
    engines = [
        from_columns(phi, np.zeros((50, 2)), np.ones(50), Loss.SQUARED, single=False)
        for phi in (X[:, kept], np.where(kept, X, 0.0))
    ]
    np.testing.assert_allclose(
        engines[0].output(some.shape, some.parameters), engines[1].output(tree.shape, tree.parameters)
    )


def test_large_weights_are_eased_unless_a_gate_was_told_where_to_look() -> None:
    tree = SoftTreeParams.root(np.zeros(1), 2, "none", log_penalty=0.25).split(0, np.ones(3), np.zeros(1), np.zeros(1))
    restricted = tree.split(1, np.ones(3), np.zeros(1), np.zeros(1), np.array([True, False, False]))
    penalty_terms = restricted.penalty_terms(0.5)
    np.testing.assert_array_equal(penalty_terms.log_penalty[:6], [0.25] * 3 + [0.0] * 3)
    np.testing.assert_array_equal(penalty_terms.strength[:6], [0.5, 0.5, 0.0, -1.0, 0.5, 0.0])
    np.testing.assert_array_equal(penalty_terms.log_penalty[6:], 0.0)
