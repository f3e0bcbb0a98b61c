"""Inputs are held back as the tree leans on them: what factors are, and what a tree gains by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood import SoftTreeRegressor
from softwood.learners.soft.columns import Columns, Recipe, build_columns
from softwood.learners.soft.leaning import LEAST, leanings
from softwood.learners.soft.sapling import Sapling
from softwood.learners.soft.search import Search

BENT = Recipe(score=0.7, curve=(0.7, 0.3), bow=0.3)


def three_inputs(rows: int = 200) -> tuple[np.ndarray, Columns]:
    X = np.random.default_rng(0).normal(size=(rows, 3))
    return X, build_columns(X, [0, 0, 0], np.ones(rows), BENT)


def leaning_tree(columns: Columns) -> Sapling:
    """One gate that leans on the first input, a little on the second, not at all on the third; slopes that do, too."""
    n = len(columns)
    share = np.array([1.0, 0.2, 0.0])[columns.feature]
    tree = Sapling.root(np.zeros(1), n, "own")
    tree = tree.split(0, np.append(share, 0.5), np.ones(1), -np.ones(1))
    return replace(tree, slope=np.broadcast_to(share, tree.slope.shape).copy())


def test_an_input_has_one_factor_as_large_as_its_weights_and_never_nothing() -> None:
    _, columns = three_inputs()
    factor = leanings(leaning_tree(columns), columns)
    by_input = [factor[columns.feature == f] for f in range(3)]
    for mine in by_input:
        np.testing.assert_array_equal(mine, mine[0])
    first, second, third = (mine[0] for mine in by_input)
    assert second / first == pytest.approx(0.2)
    assert third / first == pytest.approx(LEAST)


def test_an_input_of_many_columns_is_not_leaned_on_for_that() -> None:
    """A category of four levels and a number, weights of one size: neither is held back."""
    X = np.column_stack([np.arange(200) % 4, np.random.default_rng(0).normal(size=200)]).astype(float)
    columns = build_columns(X, [4, 0], np.ones(200), Recipe())
    assert np.sum(columns.feature == 0) > np.sum(columns.feature == 1)
    tree = Sapling.root(np.zeros(1), len(columns), "none")
    tree = tree.split(0, np.append(np.full(len(columns), -0.3), 0.5), np.ones(1), -np.ones(1))
    np.testing.assert_allclose(leanings(tree, columns), 1.0)


def test_the_tree_as_it_is_costs_what_it_did() -> None:
    _, columns = three_inputs()
    tree = leaning_tree(columns)
    factor = leanings(tree, columns)
    assert np.sum(tree.energies / factor**2) == pytest.approx(tree.energies.sum())


def test_where_inputs_are_not_told_apart_there_is_nothing_to_lean_on() -> None:
    _, columns = three_inputs()
    assert np.all(leanings(Sapling.root(np.zeros(1), len(columns), "none"), columns) == 1.0)
    alone = columns.only(np.array([True, False, False]))
    assert np.all(leanings(leaning_tree(alone), alone) == 1.0)


def test_a_tree_over_scaled_columns_answers_the_same() -> None:
    X, columns = three_inputs()
    tree, factor = leaning_tree(columns), np.linspace(0.5, 2.0, len(columns))
    moved = tree.over(1.0 / factor)
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


def test_trees_that_lean_have_less_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six tables: which one gains depends on the last bits of the machine, the mean does not."""
    fresh, truth = bump(3000, 99)
    tables = [bump(400, seed) for seed in range(6)]

    def errors() -> list[float]:
        models = [SoftTreeRegressor().fit(X, y) for X, y in tables]
        return [float(np.mean(np.square(model.predict(fresh) - truth))) for model in models]

    leaning = errors()
    monkeypatch.setattr(Search, "_lean", lambda search: None)
    assert np.mean(leaning) < 0.95 * np.mean(errors())


def test_a_penalty_that_is_given_holds_all_inputs_back_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = bump(200, 0)
    before = SoftTreeRegressor(weight_penalty=0.01).fit(X, y).predict(X)
    monkeypatch.setattr(Search, "_lean", lambda search: None)
    np.testing.assert_array_equal(SoftTreeRegressor(weight_penalty=0.01).fit(X, y).predict(X), before)


def test_the_search_says_which_candidates_lean() -> None:
    history = SoftTreeRegressor().fit(*bump(400, 0)).history_
    assert {one["leans"] for one in history} == {True, False}
