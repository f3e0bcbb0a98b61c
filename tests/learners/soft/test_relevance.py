"""Automatic relevance determination: the factors of inputs, and the gain for a tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from softwood import SoftTreeRegressor
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.learn import learn_joint
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search import SearchSteps
from softwood.learners.soft.search.relevance import MIN_FACTOR_SHARE, relevance_factors
from softwood.tree import Schema

CURVED = BasisSpec(normal_score=0.7, curve=(0.7, 0.3), quadratic=0.3)


def three_inputs(rows: int = 200) -> tuple[np.ndarray, DesignMatrix]:
    X = np.random.default_rng(0).normal(size=(rows, 3))
    return X, build_design(X, [0, 0, 0], np.ones(rows), CURVED)


def uneven_tree(columns: DesignMatrix) -> SoftTreeParams:
    """One gate with large weights of the first input, small ones of the second, none of the third; slopes alike."""
    n = len(columns)
    share = np.array([1.0, 0.2, 0.0])[columns.feature]
    tree = SoftTreeParams.root(np.zeros(1), n, "own")
    tree = tree.split(0, np.append(share, 0.5), np.ones(1), -np.ones(1))
    return replace(tree, slope=np.broadcast_to(share, tree.slope.shape).copy())


def test_an_input_has_one_factor_as_large_as_its_weights_and_never_nothing() -> None:
    _, columns = three_inputs()
    factor = relevance_factors(uneven_tree(columns), columns)
    by_input = [factor[columns.feature == f] for f in range(3)]
    for mine in by_input:
        np.testing.assert_array_equal(mine, mine[0])
    first, second, third = (mine[0] for mine in by_input)
    assert second / first == pytest.approx(0.2)
    assert third / first == pytest.approx(MIN_FACTOR_SHARE)


def test_an_input_of_many_columns_has_no_larger_factor_for_that() -> None:
    """A category of four levels and a number, weights of one size: their factors are equal."""
    X = np.column_stack([np.arange(200) % 4, np.random.default_rng(0).normal(size=200)]).astype(float)
    columns = build_design(X, [4, 0], np.ones(200), BasisSpec())
    assert np.sum(columns.feature == 0) > np.sum(columns.feature == 1)
    tree = SoftTreeParams.root(np.zeros(1), len(columns), "none")
    tree = tree.split(0, np.append(np.full(len(columns), -0.3), 0.5), np.ones(1), -np.ones(1))
    np.testing.assert_allclose(relevance_factors(tree, columns), 1.0)


def test_the_tree_as_it_is_costs_what_it_did() -> None:
    _, columns = three_inputs()
    tree = uneven_tree(columns)
    factor = relevance_factors(tree, columns)
    assert np.sum(tree.column_energy / factor**2) == pytest.approx(tree.column_energy.sum())


def test_where_weights_tell_no_input_from_another_all_factors_are_one() -> None:
    _, columns = three_inputs()
    assert np.all(relevance_factors(SoftTreeParams.root(np.zeros(1), len(columns), "none"), columns) == 1.0)
    alone = columns.only(np.array([True, False, False]))
    assert np.all(relevance_factors(uneven_tree(alone), alone) == 1.0)


def test_a_tree_over_scaled_columns_answers_the_same() -> None:
    X, columns = three_inputs()
    tree, factor = uneven_tree(columns), np.linspace(0.5, 2.0, len(columns))
    moved = tree.rescale_columns(1.0 / factor)
    before, after = columns.make(X), columns.scaled(factor).make(X)
    np.testing.assert_allclose(after @ moved.gate[0, :-1], before @ tree.gate[0, :-1], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(after @ moved.slope[1, 0], before @ tree.slope[1, 0], rtol=1e-12, atol=1e-12)
    assert moved.gate[0, -1] == tree.gate[0, -1]


def test_scaled_columns_are_the_columns_times_their_factors() -> None:
    X, columns = three_inputs()
    factor = np.linspace(0.5, 2.0, len(columns))
    np.testing.assert_allclose(columns.scaled(factor).make(X), columns.make(X) * factor, rtol=1e-12, atol=1e-12)


def bump(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two of ten inputs matter much, the others a little."""
    r = np.random.default_rng(seed)
    X = r.uniform(-1.0, 1.0, size=(rows, 10))
    hill = 3.0 * np.exp(-6.0 * (X[:, 0] ** 2 + X[:, 1] ** 2))
    return X, hill + 0.2 * X[:, 2] + 0.1 * X[:, 3:].sum(axis=1) + 0.1 * r.normal(size=rows)


def grown_on(X: np.ndarray, y: np.ndarray, **how: Any) -> FitResult:
    dataset = Dataset(X, y[:, None], np.ones(len(y)), [0] * X.shape[1], Loss.SQUARED)
    return learn_joint(dataset, Schema.plain(X.shape[1], 1), JointOptions(**how), None)


@pytest.mark.long
def test_reweighted_trees_have_less_error() -> None:
    """Six tables, because the gain on a single one depends on the last bits of the machine."""
    fresh, truth = bump(3000, 99)

    def mean_error(steps: SearchSteps) -> float:
        trees = [grown_on(*bump(400, seed), steps=steps).tree for seed in range(6)]
        return float(np.mean([np.mean(np.square(tree.output(fresh)[:, 0] - truth)) for tree in trees]))

    smooth = SearchSteps(evidence=False)  # columns by evidence are weighted already
    assert mean_error(smooth) < 0.95 * mean_error(replace(smooth, reweight_features=False))


def test_under_a_given_penalty_no_input_is_reweighted() -> None:
    found = grown_on(*bump(200, 0), penalty=0.01).candidates
    assert found
    assert not any(one.reweighted for one in found)


def test_the_history_says_which_candidates_are_reweighted() -> None:
    history = SoftTreeRegressor(gate="linear").fit(*bump(400, 0)).history_
    assert {one["reweighted"] for one in history} == {True, False}


def test_where_rows_are_many_a_tree_is_refined_with_inputs_reweighted() -> None:
    found = grown_on(*bump(6200, 2), gate="linear", leaf="linear", max_leaves=3).candidates
    reweighted = [one.loss for one in found if one.reweighted]
    assert len(reweighted) == 1
    assert reweighted[0] < min(one.loss for one in found if not one.reweighted)
