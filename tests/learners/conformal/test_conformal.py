"""Laws of conformal prediction: coverage, thresholds, and spreads independent of the row itself."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels import arithmetic
from softwood.learners.conformal import spread as spread_module
from softwood.learners.conformal.intervals import ClassSets, Intervals
from softwood.learners.conformal.score_table import MAX_POINTS, ScoreTable
from softwood.learners.conformal.spread import MIN_SPREAD_SHARE, Ridge, learn_spread
from softwood.parts.held_out import HeldOutRows
from softwood.tree import Schema


def schema_of(n: int) -> Schema:
    return Schema(tuple(f"x{i}" for i in range(n)), (None,) * n, ("y",))


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.99])
def test_a_threshold_is_the_score_of_that_rank(coverage: float) -> None:
    score = np.random.default_rng(0).permutation(199.0 * np.arange(1, 200))
    rank = int(np.ceil(coverage * 200 - 1e-9))
    assert ScoreTable.of(score, np.ones(199)).threshold(coverage) == 199.0 * rank


def test_weight_two_is_a_row_twice() -> None:
    rng = np.random.default_rng(1)
    score, weight = rng.exponential(size=50), rng.integers(1, 4, 50).astype(float)
    one = ScoreTable.of(score, weight)
    other = ScoreTable.of(np.repeat(score, weight.astype(int)), np.ones(int(weight.sum())))
    assert np.array_equal(one.score, other.score)
    assert np.allclose(one.weight, other.weight)


def test_too_few_rows_have_no_finite_threshold() -> None:
    assert ScoreTable.of(np.arange(8.0), np.ones(8)).threshold(0.9) == np.inf
    assert ScoreTable.of(np.arange(9.0), np.ones(9)).threshold(0.9) == 8.0


def test_a_thinned_table_never_promises_less() -> None:
    score = np.random.default_rng(2).exponential(size=7_777)
    table = ScoreTable.of(score, np.ones(len(score)))
    assert len(table.score) == MAX_POINTS
    for coverage in (0.01, 0.3, 0.9, 0.999):
        exact = np.sort(score)[int(np.ceil(coverage * 7_778 - 1e-5)) - 1]
        assert table.threshold(coverage) >= exact
        assert np.mean(score <= table.threshold(coverage)) < coverage + 2.0 / MAX_POINTS


def test_the_error_without_a_row_is_that_of_a_regression_without_it() -> None:
    rng = np.random.default_rng(3)
    phi, target, weight = rng.normal(size=(40, 4)), rng.normal(size=40), rng.uniform(0.5, 2.0, 40)
    found = Ridge.of(phi, target, weight).without(3.0)
    for row in (0, 17, 39):
        kept = np.arange(40) != row
        # Columns and target are about the means of all rows in the closed form; the constant is free in both.
        A = np.column_stack([np.ones(39), phi[kept]])
        W = weight[kept]
        b = np.linalg.solve(A.T @ (W[:, None] * A) + 3.0 * np.diag([0.0, 1, 1, 1, 1]), A.T @ (W * target[kept]))
        assert found[row] == pytest.approx(b[0] + phi[row] @ b[1:], abs=1e-9)


def test_more_columns_than_rows_are_solved_by_products_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same regression; the work that grows with the cube is that of the rows."""
    rng = np.random.default_rng(4)
    phi, target, weight = rng.normal(size=(30, 90)), rng.normal(size=30), rng.uniform(0.5, 2.0, 30)
    sizes: list[int] = []
    monkeypatch.setattr(spread_module, "eigh", lambda S: (sizes.append(len(S)), arithmetic.eigh(S))[1])
    ridge = Ridge.of(phi, target, weight)
    assert sizes == [30]
    centred = phi - weight @ phi / weight.sum()
    W = weight[:, None]
    known = np.linalg.solve(centred.T @ (W * centred) + 3.0 * np.eye(90), centred.T @ (weight * (target - ridge.mean)))
    np.testing.assert_allclose(ridge.weights(3.0), known, atol=1e-10)
    for row in (0, 29):
        kept = np.arange(30) != row
        A = np.column_stack([np.ones(29), phi[kept]])
        b = np.linalg.solve(
            A.T @ (W[kept] * A) + 3.0 * np.diag([0.0, *[1.0] * 90]), A.T @ (weight[kept] * target[kept])
        )
        assert ridge.without(3.0)[row] == pytest.approx(b[0] + phi[row] @ b[1:], abs=1e-9)


def test_a_spread_follows_the_noise_and_is_constant_where_there_is_nothing_to_follow() -> None:
    rng = np.random.default_rng(4)
    X, answer = rng.uniform(size=(800, 3)), rng.normal(size=800)
    noise = np.abs(rng.normal(size=800))
    varies, without = learn_spread(X, answer, (0.2 + 2 * X[:, 1]) * noise, np.ones(800), schema_of(3))
    assert varies.tree is not None
    assert np.corrcoef(without, X[:, 1])[0, 1] > 0.9
    assert np.allclose(varies.at(X, answer), without, rtol=0.05, atol=0.05)
    assert np.all(varies.at(np.array([[0.0, -50.0, 0.0]]), np.zeros(1)) == varies.floor)
    assert varies.floor == pytest.approx(MIN_SPREAD_SHARE * np.mean((0.2 + 2 * X[:, 1]) * noise))
    assert learn_spread(X, answer, noise, np.ones(800), schema_of(3))[0].tree is None


def test_a_spread_that_follows_the_answer() -> None:
    rng = np.random.default_rng(5)
    X, answer = np.full((1000, 1), np.nan), rng.uniform(-1, 1, 1000)
    error = (0.1 + np.abs(answer)) * np.abs(rng.normal(size=1000))
    spread, _ = learn_spread(X, answer, error, np.ones(1000), schema_of(1))
    ends, middle = spread.at(X[:2], np.array([-0.95, 0.95])), spread.at(X[:1], np.zeros(1))
    assert ends.min() > 2 * middle[0]


@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
def test_intervals_have_the_unit_of_the_target(unit: float) -> None:
    rng = np.random.default_rng(6)
    X = rng.uniform(size=(300, 2))
    answer, noise = X[:, :1], rng.normal(size=(300, 1)) * (0.1 + X[:, 1:])
    rows = HeldOutRows(X, answer + noise, answer, np.ones(300))
    plain = Intervals.learn(rows, schema_of(2)).at(X, answer, 0.8)
    scaled = Intervals.learn(rows.in_unit(unit), schema_of(2)).at(X, answer * unit, 0.8)
    assert np.allclose(scaled, plain * unit, rtol=1e-6, atol=0.0)


def test_coverage_of_fresh_rows_is_what_was_asked_for() -> None:
    rng, held = np.random.default_rng(7), []
    for _ in range(40):
        X = rng.uniform(size=(600, 2))
        answer, target = X[:, :1], X[:, :1] + (0.1 + X[:, 1:]) * rng.standard_t(4, size=(600, 1))
        known = HeldOutRows(X[:300], target[:300], answer[:300], np.ones(300))
        ends = Intervals.learn(known, schema_of(2)).at(X[300:], answer[300:], 0.9)[:, 0]
        held.append(np.mean((ends[:, 0] <= target[300:, 0]) & (target[300:, 0] <= ends[:, 1])))
    assert 0.885 < np.mean(held) < 0.915


def test_sets_hold_the_class_and_never_are_empty() -> None:
    rng, found = np.random.default_rng(8), []
    for _ in range(40):
        p = rng.dirichlet(np.ones(4), 600)
        code = np.array([rng.choice(4, p=row) for row in p])
        sets = ClassSets.learn(HeldOutRows(p[:300], code[:300], p[:300], np.ones(300))).at(p[300:], 0.9)
        assert sets.any(axis=1).all()
        assert not sets.all()
        found.append(sets[np.arange(300), code[300:]].mean())
    assert 0.885 < np.mean(found) < 0.915


def test_inputs_that_no_weight_suits_have_a_constant_spread() -> None:
    rng = np.random.default_rng(9)
    X, error = rng.normal(size=(200, 1)) * 1e-310, np.abs(rng.normal(size=200))
    spread, without = learn_spread(X, rng.normal(size=200), error, np.ones(200), schema_of(1))
    assert spread.tree is None
    assert np.all(without == spread.floor)
