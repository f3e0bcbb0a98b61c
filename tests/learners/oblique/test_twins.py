"""The native growth of discriminant trees equals the NumPy one, node by node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.problem import Problem
from softwood.learners.oblique import discriminant
from softwood.learners.oblique.direction import KEPT_VARIANCE_SHARE, SINGULAR_VARIANCE_SHARE, solve
from softwood.learners.oblique.discriminant import Discriminant
from softwood.learners.oblique.grow import Limits, grow_nodes
from softwood.learners.oblique.grown import Grown
from softwood.learners.oblique.omnivariate import Omnivariate
from softwood.learners.oblique.rows import Rows
from softwood.learners.soft.columns.design import PLAIN

native = pytest.mark.skipif(kernels.grow_discriminant is None, reason="the native kernels are not built")
HOW = (
    Discriminant(),
    Discriminant(threshold="gain", least=3.0),
    Discriminant(shrinkage=0.0),
    Discriminant(univariate=True, threshold="gain"),
    Discriminant(univariate=True, shrinkage=0.5, least=2.5),
)


def make_problem(seed: int) -> Problem:
    """Correlated numbers, a category, missing values, unusual weights and factors, varied over the seeds."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 160)), int(rng.integers(1, 12))
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    levels = np.zeros(d, np.int32)
    if seed % 3 == 1 and d > 1:
        X[:, 0], levels[0] = rng.integers(0, 4, n), 4
    if seed % 4 == 2:
        X[rng.random((n, d)) < 0.1] = np.nan
    weight = np.ones(n) if seed % 2 else rng.integers(1, 4, n) * (0.7 if seed % 5 else 1.0)
    signal = np.nan_to_num(X) @ rng.normal(size=(d, 2)) + rng.normal(size=(n, 2))
    criterion = Criterion(seed % 4)
    if criterion == Criterion.SQUARED_ERROR:
        return Problem(X, levels, signal[:, : 1 + seed // 4 % 2], weight, criterion)
    classes = int(rng.integers(2, 7))
    y = np.digitize(signal[:, 0], np.quantile(signal[:, 0], np.linspace(0, 1, classes + 1)[1:-1])).astype(np.int32)
    factor = rng.uniform(0.5, 2.0, classes) if seed % 5 == 3 else None
    return Problem(X, levels, y, weight, criterion, classes, factor)


def grow_both(problem: Problem, how: Discriminant, monkeypatch: pytest.MonkeyPatch, limits: Limits) -> list[Grown]:
    rows = Rows.make(problem, PLAIN)
    fast = how.grow(rows, limits.max_depth, limits.min_samples_split, limits.min_impurity_decrease)
    monkeypatch.setattr(discriminant.kernels, "grow_discriminant", None)
    slow = grow_nodes(rows, how, limits)
    monkeypatch.undo()
    return [fast, slow]


@native
@pytest.mark.parametrize("seed", range(40))
def test_native_growth_equals_the_reference(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    how = HOW[seed % len(HOW)]
    # Nodes of few rows have several cuts of one gain, between which rounding may choose.
    limits = Limits(max_depth=4, min_samples_split=12, min_samples_leaf=how.least)
    fast, slow = grow_both(make_problem(seed), how, monkeypatch, limits)
    assert len(slow.first_child) > 1
    for name in ("first_child", "gate", "feature", "default", "group_begin", "group"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name), err_msg=name)
    for name in ("weight", "bias", "threshold", "count", "impurity", "gain", "value"):
        near = {"rtol": 1e-6, "atol": 1e-9, "err_msg": name}
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), **near)


def make_tied_problem(seed: int) -> Problem:
    """Small whole numbers and levels: scores, distances and gains are equal in many places, but for rounding."""
    rng = np.random.default_rng(seed)
    n, levels = int(rng.integers(10, 80)), rng.integers(2, 5, int(rng.integers(1, 4))).astype(np.int32)
    X = np.column_stack([rng.integers(0, size, n) for size in levels]).astype(np.float64)
    is_category, y = rng.random(len(levels)) < 0.5, X.sum(axis=1) + rng.integers(0, 2, n)
    levels, criterion = np.where(is_category, levels, 0).astype(np.int32), Criterion(seed % 4)
    if criterion == Criterion.SQUARED_ERROR:
        return Problem(X, levels, y[:, None], np.ones(n), criterion)
    codes = np.unique(y // 2, return_inverse=True)[1].astype(np.int32)
    return Problem(X, levels, codes, np.ones(n), criterion, int(codes.max()) + 1)


@pytest.mark.fewer(2)
@native
@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR])
@pytest.mark.parametrize("how", HOW[:3])
@pytest.mark.parametrize("classes", [2, 4])
def test_fewer_rows_than_columns_are_solved_in_their_span(
    classes: int, how: Discriminant, criterion: Criterion, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(40, 70)) @ rng.normal(size=(70, 70))
    signal = X[:, :2] @ rng.normal(size=(2, 2)) + rng.normal(size=(40, 2))
    y = np.digitize(signal[:, 0], np.quantile(signal[:, 0], np.arange(1, classes) / classes)).astype(np.int32)
    answers = (signal, np.ones(40), criterion) if criterion == Criterion.SQUARED_ERROR else (y, np.ones(40), criterion)
    problem = Problem(X, np.zeros(70, np.int32), *answers, classes if criterion == Criterion.GINI else 0)
    limits = Limits(max_depth=1, min_samples_split=12, min_samples_leaf=how.least)
    fast, slow = grow_both(problem, how, monkeypatch, limits)
    assert len(slow.first_child) == 3
    scale = np.abs(slow.weight).max()
    np.testing.assert_allclose(fast.weight / scale, slow.weight / scale, atol=1e-7)  # solutions of two equations
    np.testing.assert_allclose(fast.count, slow.count)


@native
@pytest.mark.parametrize("how", HOW)
def test_ties_are_settled_alike(how: Discriminant, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(60):
        fast, slow = grow_both(make_tied_problem(seed), how, monkeypatch, Limits(min_samples_leaf=how.least))
        for name in ("first_child", "gate", "feature", "group_begin", "group"):
            np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name), err_msg=f"{name} of seed {seed}")


@native
def test_limits_mean_the_same_to_both(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(1)
    for limits in (Limits(max_depth=0), Limits(max_depth=2), Limits(min_impurity_decrease=0.1, min_samples_split=30)):
        fast, slow = grow_both(problem, Discriminant(), monkeypatch, limits)
        np.testing.assert_array_equal(fast.first_child, slow.first_child)


@native
def test_a_child_by_subtraction_has_the_scatter_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows far from zero and nodes of very different sizes: the difference from the parent is still accurate."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(600, 5)), 1000.0 + 1e-2 * rng.normal(size=(60, 5))])
    y = (X @ rng.normal(size=5) + rng.normal(size=660) > 0).astype(np.int32) + 2 * (X[:, 0] > 500)
    problem = Problem(X, np.zeros(5, np.int32), y, np.ones(660), Criterion.ENTROPY, 4)
    fast, slow = grow_both(problem, Discriminant(), monkeypatch, Limits(max_depth=3, min_samples_split=20))
    np.testing.assert_allclose(fast.weight, slow.weight, rtol=1e-5, atol=1e-7)


@native
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 40])
def test_eigenvectors_and_solutions_are_those_of_lapack(n: int) -> None:
    from softwood.kernels import _native

    rng = np.random.default_rng(n)
    A = rng.normal(size=(2 * n, n))
    S, right = A.T @ A, rng.normal(size=(n, 3))
    value, vector = _native.eigen_symmetric(S)
    np.testing.assert_allclose(value, np.linalg.eigvalsh(S)[::-1], rtol=1e-9)
    np.testing.assert_allclose(vector @ vector.T, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(vector.T @ np.diag(value) @ vector, S, atol=1e-11 * value[0])
    np.testing.assert_allclose(
        _native.solve_symmetric(S, right, SINGULAR_VARIANCE_SHARE, KEPT_VARIANCE_SHARE),
        np.linalg.solve(S, right),
        rtol=1e-7,
    )
    flat = S[:, : (n + 1) // 2] @ S[: (n + 1) // 2]  # no full rank where n > 1
    given = _native.solve_symmetric(
        np.ascontiguousarray(flat @ flat.T), right, SINGULAR_VARIANCE_SHARE, KEPT_VARIANCE_SHARE
    )
    np.testing.assert_allclose(given, solve(flat @ flat.T, right), rtol=1e-5, atol=1e-12)


@native
def test_a_row_of_weight_two_is_the_row_twice() -> None:
    problem = make_problem(5)
    twice = problem.with_rows(
        np.vstack([problem.X, problem.X[:7]]), np.r_[problem.y, problem.y[:7]], np.r_[problem.weight, np.ones(7)]
    )
    weighted = problem.with_rows(problem.X, problem.y, np.r_[problem.weight[:7] + 1.0, problem.weight[7:]])
    grown = [Discriminant().grow(Rows.make(p, PLAIN), 9, 2.0, 0.0) for p in (twice, weighted)]
    for name in ("first_child", "weight", "bias", "value"):
        np.testing.assert_array_equal(getattr(grown[0], name), getattr(grown[1], name))


@native
def test_a_univariate_tree_may_win_with_every_kind_of_question() -> None:
    problem = replace(make_problem(13), criterion=Criterion.GINI)
    grown = Discriminant(univariate=True).grow(Rows.make(problem, PLAIN), 9, 2.0, 0.0)
    assert (grown.gate >= 0).any()
    assert (grown.feature >= 0).any()


@native
@pytest.mark.parametrize("seed", range(12))
def test_native_gate_losses_are_the_losses_of_the_reference(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    how = Omnivariate(discriminant=Discriminant(threshold="gain", least=1.0 + seed % 3))
    rows = Rows.make(make_problem(seed), how.basis_spec)
    kinds = [how.gate_kind(name) for name in how.kinds]
    fast = how.held_out_losses(rows, kinds)
    monkeypatch.setattr(kernels, "gate_losses", None)
    monkeypatch.setattr(kernels, "grow_discriminant", None)
    slow = how.held_out_losses(rows, kinds)
    assert list(fast) == list(slow)
    for name, losses in slow.items():
        np.testing.assert_allclose(fast[name], losses, rtol=1e-9, err_msg=name)
