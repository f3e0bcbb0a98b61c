"""The soft tree of a folded budding tree has the same predictions, and slopes map back correctly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.engines import SampleEngine
from softwood.engines.memory import from_columns
from softwood.kernels.kinds import Loss
from softwood.learners.budding.fold_buds import fold_buds, params_of, shape_of, unfold_slopes, without_buds
from softwood.learners.budding.params import BuddingParams, existence
from softwood.learners.budding.refine import BuddingPenalty, refine, round_buds, settle
from softwood.learners.soft.params.params import SoftTreeParams

COLUMNS = 3


def some_tree(slopes: str = "none") -> SoftTreeParams:
    rng = np.random.default_rng(0)
    tree = SoftTreeParams.root(rng.normal(size=2), COLUMNS, slopes)  # type: ignore[arg-type]
    for node in (0, 2, 1):
        tree = tree.split(node, rng.normal(size=COLUMNS + 1), rng.normal(size=2), rng.normal(size=2))
    return replace(tree, slope=rng.normal(size=tree.slope.shape))


def some_budding_tree(slopes: str = "none") -> BuddingParams:
    """Buds with leafness 0.3, 0.8 and 0, and own responses."""
    params = params_of(some_tree(slopes), np.ones(7), 0.3)
    leafness = np.where(params.first_child < 0, 1.0, 0.0)
    leafness[[0, 1]] = 0.3, 0.8
    return replace(params, leafness=leafness)


def answer(params: BuddingParams, phi: np.ndarray, node: int = 0) -> np.ndarray:
    """The equation of the tree, for one row."""
    slope = {"none": 0.0, "shared": params.slope[:1], "own": params.slope[node : node + 1]}[params.slopes]
    response = params.response[node] + (slope[0] @ phi if params.slopes != "none" else 0.0)
    first = int(params.first_child[node])
    if first < 0:
        return np.asarray(response)
    share = 1 / (1 + np.exp(-(params.gate[node, :-1] @ phi + params.gate[node, -1])))
    below = share * answer(params, phi, first) + (1 - share) * answer(params, phi, first + 1)
    return np.asarray(params.leafness[node] * response + (1 - params.leafness[node]) * below)


PHI = np.random.default_rng(1).normal(size=(80, COLUMNS))


def engine() -> SampleEngine:
    return from_columns(PHI, np.c_[np.sin(PHI[:, 0]), PHI[:, 1] ** 2], np.ones(80), Loss.SQUARED, single=False)


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_a_folded_budding_tree_answers_as_before(slopes: str) -> None:
    params, rows = some_budding_tree(slopes), engine()
    wanted = [answer(params, phi) for phi in PHI]
    np.testing.assert_allclose(rows.output(shape_of(params), fold_buds(params)), wanted, atol=1e-10)
    bare = without_buds(params)
    assert set(np.unique(bare.leafness)) == {0.0, 1.0}
    np.testing.assert_allclose([answer(bare, phi) for phi in PHI], wanted, atol=1e-10)


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
@pytest.mark.parametrize("leafness", [0.0, 0.3, 0.9])
def test_branches_that_become_buds_answer_as_before(slopes: str, leafness: float) -> None:
    tree, rows = some_tree(slopes), engine()
    params = params_of(tree, np.linspace(0.1, 1.0, 7), leafness)
    np.testing.assert_allclose(
        rows.output(shape_of(params), fold_buds(params)), rows.output(tree.shape, tree.parameters), atol=1e-9
    )


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_slopes_are_finite_differences(slopes: str) -> None:
    params, rows, step = some_budding_tree(slopes), engine(), 1e-5
    shape, branch = shape_of(params), params.branches
    found = unfold_slopes(params, rows.gradient(shape, fold_buds(params))[1])

    def difference(name: str, place: tuple[int, ...]) -> float:
        loss = []
        for sign in (1, -1):
            numbers = getattr(params, name).copy()
            numbers[place] += sign * step
            loss.append(rows.loss(shape, fold_buds(replace(params, **{name: numbers}))))
        return (loss[0] - loss[1]) / (2 * step)

    for row, m in enumerate(branch):
        assert found.leafness[row] == pytest.approx(difference("leafness", (int(m),)), rel=1e-4, abs=1e-7)
        assert found.gate[row, 1] == pytest.approx(difference("gate", (int(m), 1)), rel=1e-4, abs=1e-7)
    for m in range(params.n_nodes):
        assert found.response[m, 1] == pytest.approx(difference("response", (m, 1)), rel=1e-4, abs=1e-7)
    for m in range(len(params.slope)):
        assert found.slope[m, 0, 2] == pytest.approx(difference("slope", (m, 0, 2)), rel=1e-4, abs=1e-7)


def test_refinement_lowers_the_loss_and_a_high_price_makes_leaves() -> None:
    params, rows = some_budding_tree(), engine()
    before = rows.loss(shape_of(params), fold_buds(params))
    value, better = refine(params, rows, BuddingPenalty(1e-4, 1e-3, np.zeros(2)), 50, 1e-8)
    assert value < before
    sizes = [
        settle(better, rows, BuddingPenalty(leafness_penalty, 1e-3, np.zeros(2)), 200, 1e-8)[1]
        for leafness_penalty in (1e-4, 0.05, 10.0)
    ]
    assert sizes[0].effective_size > sizes[1].effective_size > sizes[2].effective_size
    assert sizes[2].n_nodes == 1


def test_rounded_buds_are_leaves_or_branches() -> None:
    whole = round_buds(some_budding_tree(), engine(), BuddingPenalty(1e-4, 1e-3, np.zeros(2)), 100, 1e-8)
    assert set(np.unique(whole.leafness)) <= {0.0, 1.0}
    assert whole.n_nodes == 5  # the bud of leafness 0.8 became a leaf


def test_existence_multiplies_what_is_passed_on() -> None:
    params = some_budding_tree()
    there = existence(params.first_child, params.leafness)
    np.testing.assert_allclose(there, [1.0, 0.7, 0.7, 0.7, 0.7, 0.14, 0.14])
    assert params.effective_size == pytest.approx(there.sum())
