"""The annealers: the same loss, slope and widths; the cost of a proposal does not affect the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris

from softwood import C45Classifier, CARTClassifier, CARTRegressor
from softwood.kernels import native, reference
from softwood.kernels.contracts.anneal import PROPOSALS, AnnealProblem, Ramps
from softwood.learners.softening.gates import SofteningRows, with_widths
from softwood.learners.softening.ramps import make_problem
from softwood.tree import Tree

KINDS = ("two classes", "three classes", "numbers", "two targets", "categories and gaps")


def example(kind: str) -> tuple[Tree, SofteningRows]:
    """A small hard tree and its rows."""
    rng = np.random.default_rng(0)
    if kind in ("numbers", "two targets"):
        X, y = load_diabetes(return_X_y=True)
        Y = y[:, None] if kind == "numbers" else np.column_stack([y, X[:, 2] * 100])
        tree = CARTRegressor(prune=None, max_leaves=5).fit(X, Y).tree_
        return tree, SofteningRows(X, Y, np.ones(len(y)))
    X, y = load_iris(return_X_y=True)
    X = X + rng.normal(0, 0.4, X.shape)
    if kind == "categories and gaps":
        X[:, 1] = rng.integers(0, 3, len(X))
        X[:, 1] = np.where(y == 1, 2, X[:, 1])
        X[rng.random(X.shape) < 0.1] = np.nan
        model = C45Classifier(confidence=None, categorical_features=[1], thresholds="middle").fit(X, y)
        return model.tree_, SofteningRows(model._read(X), y.astype(np.int32), rng.random(len(y)) + 0.5)
    code = (y == 1).astype(np.int32) if kind == "two classes" else y.astype(np.int32)
    tree = CARTClassifier(prune=None, max_leaves=9).fit(X, code).tree_
    return tree, SofteningRows(X, code, np.ones(len(y)))


EXAMPLES = {kind: example(kind) for kind in KINDS}


@pytest.fixture(params=KINDS)
def case(request: pytest.FixtureRequest) -> tuple[Tree, SofteningRows, AnnealProblem]:
    tree, rows = EXAMPLES[request.param]
    return tree, rows, make_problem(tree, rows)


def widths(problem: AnnealProblem, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return np.abs(rng.normal(0, 0.5, problem.scale.shape)) * (rng.random(problem.scale.shape) < 0.8)


@given(st.sampled_from(KINDS), st.integers(0, 1000))
def test_loss_is_that_of_the_softened_tree(kind: str, seed: int) -> None:
    tree, rows = EXAMPLES[kind]
    problem = make_problem(tree, rows)
    theta = widths(problem, seed)
    answer = with_widths(tree, theta * problem.scale).output(rows.X)
    if rows.is_classes:
        own = answer[np.arange(len(answer)), rows.y.astype(np.int64)]
        want = (rows.weight * np.exp(4 * (1 - own - 1))).sum()
    else:
        want = (rows.weight[:, None] * (answer - rows.y) ** 2).sum()
    for annealer in (native.Annealer(problem, 0), reference.Annealer(problem, 0)):
        assert annealer.loss(theta) == pytest.approx(want, rel=1e-10)


def some_ramps(problem: AnnealProblem) -> Ramps:
    """Ramps away from the tree's thresholds and responses: no row lies on a kink."""
    rng = np.random.default_rng(2)
    moved = problem.threshold + 0.013 * problem.scale.sum(axis=1)
    answer = problem.response * rng.uniform(0.9, 1.1, problem.response.shape)
    return Ramps(widths(problem, 1) + 0.05, moved, answer)


def test_gradient_equals_finite_differences(case: tuple[Tree, SofteningRows, AnnealProblem]) -> None:
    problem, ramps = case[2], some_ramps(case[2])
    annealer = native.Annealer(problem, 0)
    loss, slope = annealer.gradient(ramps)
    for name, unit in (("theta", 1.0), ("threshold", problem.scale.max()), ("response", np.ptp(problem.response))):
        step = 1e-6 * unit
        moves = {"theta": problem.scale > 0, "threshold": problem.softens > 0, "response": problem.n_children == 0}[
            name
        ]
        for at in zip(*np.nonzero(np.broadcast_to(moves.T, getattr(ramps, name).T.shape).T), strict=True):
            value = getattr(ramps, name)
            up, down = value.copy(), value.copy()
            up[at] += step
            down[at] -= step
            rise = (
                annealer.gradient(replace(ramps, **{name: up}))[0]
                - annealer.gradient(replace(ramps, **{name: down}))[0]
            )
            want = rise / (2e-6)
            assert getattr(slope, name)[at] * unit == pytest.approx(want, rel=1e-3, abs=1e-5 * loss)


def test_gradients_are_twins(case: tuple[Tree, SofteningRows, AnnealProblem]) -> None:
    ramps = some_ramps(case[2])
    loss, slope = native.Annealer(case[2], 0).gradient(ramps)
    other, same = reference.Annealer(case[2], 0).gradient(ramps)
    assert loss == pytest.approx(other, rel=1e-12)
    for name in ("theta", "threshold", "response"):
        size = np.abs(getattr(same, name)).max()
        np.testing.assert_allclose(getattr(slope, name), getattr(same, name), rtol=1e-9, atol=1e-9 * size)


def test_ramps_of_the_wrong_size_are_refused() -> None:
    problem = make_problem(*EXAMPLES["two classes"])
    ramps = some_ramps(problem)
    with pytest.raises(ValueError, match="threshold must have 17 numbers, got 16"):
        native.Annealer(problem, 0).gradient(replace(ramps, threshold=ramps.threshold[1:]))


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"feature": np.zeros(3, np.int32)}, "array of nodes"),
        ({"response": np.zeros((0, 2))}, "array of nodes|names no class"),
        ({"missing_begin": np.array([0, 9], np.int64)}, "missing_begin must rise"),
        ({"weight": np.ones(2)}, "entry for each row"),
        ({"code": np.full(1, 7, np.int32)}, "entry for each row"),
        ({"first_child": np.zeros(17, np.int32)}, "children must come after"),
        ({"feature": np.full(17, 99, np.int32)}, "a gate needs an input"),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
def test_problems_that_do_not_fit_are_refused(broken: dict[str, np.ndarray], told: str) -> None:
    problem = make_problem(*EXAMPLES["two classes"])
    with pytest.raises(ValueError, match=told):
        native.Annealer(replace(problem, **broken), 0)


def test_widths_of_zero_divide_rows_on_the_threshold() -> None:
    """Everywhere else they are the hard tree."""
    tree, rows = EXAMPLES["two classes"]
    X = rows.X.copy()
    X[:5, tree.feature[0]] = tree.threshold[0]
    for rows_of, is_hard in ((rows.X, True), (X, False)):
        problem = make_problem(tree, SofteningRows(rows_of, rows.y, rows.weight))
        hard = tree.output(rows_of)[np.arange(len(X)), rows.y.astype(np.int64)]
        want = np.exp(-4 * hard).sum()
        losses = [kernel.Annealer(problem, 0).loss(np.zeros_like(problem.scale)) for kernel in (native, reference)]
        assert losses[0] == pytest.approx(losses[1], rel=1e-12)
        assert (losses[0] == pytest.approx(want, rel=1e-12)) == is_hard


def test_native_equals_reference(case: tuple[Tree, SofteningRows, AnnealProblem]) -> None:
    problem = case[2]
    for seed in (0, 1):
        ours, theirs = native.Annealer(problem, seed), reference.Annealer(problem, seed)
        one, other = ours.run(8, 50), theirs.run(8, 50)
        assert (one.calls, one.successes, one.failures) == (other.calls, other.successes, other.failures)
        assert one.loss == pytest.approx(other.loss, rel=1e-9)
        np.testing.assert_allclose(ours.theta(), theirs.theta(), rtol=1e-9)


def test_the_loss_kept_up_is_the_loss_of_the_whole_tree(case: tuple[Tree, SofteningRows, AnnealProblem]) -> None:
    annealer = native.Annealer(case[2], 3)
    start = annealer.loss(np.zeros_like(case[2].scale))
    now = annealer.run(60, 60)
    assert now.successes > 0
    assert now.loss < start
    assert now.loss == pytest.approx(annealer.loss(annealer.theta()), rel=1e-9)
    assert (annealer.theta() >= 0).all()


def test_calls_in_parts_are_calls_at_once(case: tuple[Tree, SofteningRows, AnnealProblem]) -> None:
    parts, whole = native.Annealer(case[2], 5), native.Annealer(case[2], 5)
    for _ in range(6):
        parts.run(5, 50)
    whole.run(30, 50)
    np.testing.assert_array_equal(parts.theta(), whole.theta())


def test_one_thread_equals_five() -> None:
    tree, rows = EXAMPLES["three classes"]
    big = SofteningRows(np.tile(rows.X, (20, 1)), np.tile(rows.y, 20), np.ones(3000))
    problem = make_problem(tree, big)
    annealer, theta = native.Annealer(problem, 0), widths(problem, 2)
    assert annealer.loss(theta, 1) == annealer.loss(theta, 5)
    ramps = replace(some_ramps(problem), theta=theta)
    (_, one), (_, five) = annealer.gradient(ramps, 1), annealer.gradient(ramps, 5)
    for name in ("theta", "threshold", "response"):
        np.testing.assert_array_equal(getattr(one, name), getattr(five, name))


def test_patience_stops() -> None:
    tree, rows = EXAMPLES["two classes"]
    annealer = native.Annealer(make_problem(tree, rows), 0)
    now = annealer.run(100_000, 5)
    assert now.failures == 5
    assert annealer.run(100, 5).calls == now.calls


def test_groups_have_three_five_or_seven_widths() -> None:
    tree, rows = EXAMPLES["three classes"]
    groups = reference.Annealer(make_problem(tree, rows), 0).candidates
    assert {len(group) for group in groups} <= {3, 5, 7}
    for (node, side), *_ in groups:
        assert tree.n_children[tree.first_child[node] + side] == 2


def test_a_proposal_costs_less_than_a_twentieth_of_the_whole_tree() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 6))
    code = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 0.5, 6000) > 0).astype(np.int32)
    tree = CARTClassifier(prune=None, max_leaves=40).fit(X, code).tree_
    problem = make_problem(tree, SofteningRows(X, code, np.ones(6000)))
    annealer = native.Annealer(problem, 0)
    annealer.run(20, 50)
    proposal = shortest(lambda: annealer.run(5, 1000)) / (5 * PROPOSALS)
    soft = with_widths(tree, annealer.theta() * problem.scale)
    whole = shortest(lambda: soft.output(X))
    assert whole / proposal > 20


def shortest(work: Callable[[], object]) -> float:
    """Processor seconds of this process, independent of other load."""
    times = []
    for _ in range(5):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)
