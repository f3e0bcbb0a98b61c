"""A bush and its fold: the soft tree of the same shape answers as the bush does, and slopes come back right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.engines.memory import MemoryEngine
from softwood.kernels.kinds import Loss
from softwood.learners.budding.bush import Bush, existence
from softwood.learners.budding.fold import bush_of, fold, shape_of, unfold_slopes, without_buds
from softwood.learners.budding.refine import Prices, refine, round_buds, settle
from softwood.learners.soft.sapling import Sapling

COLUMNS = 3


def some_sapling(slopes: str = "none") -> Sapling:
    rng = np.random.default_rng(0)
    tree = Sapling.root(rng.normal(size=2), COLUMNS, slopes)  # type: ignore[arg-type]
    for node in (0, 2, 1):
        tree = tree.split(node, rng.normal(size=COLUMNS + 1), rng.normal(size=2), rng.normal(size=2))
    return replace(tree, slope=rng.normal(size=tree.slope.shape))


def some_bush(slopes: str = "none") -> Bush:
    """Buds of leafness 0.3, 0.8 and 0, with responses of their own."""
    bush = bush_of(some_sapling(slopes), np.ones(7), 0.3)
    leafness = np.where(bush.first_child < 0, 1.0, 0.0)
    leafness[[0, 1]] = 0.3, 0.8
    return replace(bush, leafness=leafness)


def answer(bush: Bush, phi: np.ndarray, node: int = 0) -> np.ndarray:
    """The equation of the house, one row."""
    slope = {"none": 0.0, "shared": bush.slope[:1], "own": bush.slope[node : node + 1]}[bush.slopes]
    response = bush.response[node] + (slope[0] @ phi if bush.slopes != "none" else 0.0)
    first = int(bush.first_child[node])
    if first < 0:
        return np.asarray(response)
    share = 1 / (1 + np.exp(-(bush.gate[node, :-1] @ phi + bush.gate[node, -1])))
    below = share * answer(bush, phi, first) + (1 - share) * answer(bush, phi, first + 1)
    return np.asarray(bush.leafness[node] * response + (1 - bush.leafness[node]) * below)


PHI = np.random.default_rng(1).normal(size=(80, COLUMNS))


def engine() -> MemoryEngine:
    return MemoryEngine.make(PHI, np.c_[np.sin(PHI[:, 0]), PHI[:, 1] ** 2], np.ones(80), Loss.SQUARED, single=False)


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_a_folded_bush_answers_as_the_bush(slopes: str) -> None:
    bush, rows = some_bush(slopes), engine()
    wanted = [answer(bush, phi) for phi in PHI]
    np.testing.assert_allclose(rows.output(shape_of(bush), fold(bush)), wanted, atol=1e-10)
    bare = without_buds(bush)
    assert set(np.unique(bare.leafness)) == {0.0, 1.0}
    np.testing.assert_allclose([answer(bare, phi) for phi in PHI], wanted, atol=1e-10)


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
@pytest.mark.parametrize("leafness", [0.0, 0.3, 0.9])
def test_branches_that_become_buds_answer_as_before(slopes: str, leafness: float) -> None:
    tree, rows = some_sapling(slopes), engine()
    bush = bush_of(tree, np.linspace(0.1, 1.0, 7), leafness)
    np.testing.assert_allclose(
        rows.output(shape_of(bush), fold(bush)), rows.output(tree.shape, tree.parameters), atol=1e-9
    )


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_slopes_are_finite_differences(slopes: str) -> None:
    bush, rows, step = some_bush(slopes), engine(), 1e-5
    shape, branch = shape_of(bush), bush.branches
    found = unfold_slopes(bush, rows.gradient(shape, fold(bush))[1])

    def difference(name: str, place: tuple[int, ...]) -> float:
        loss = []
        for sign in (1, -1):
            numbers = getattr(bush, name).copy()
            numbers[place] += sign * step
            loss.append(rows.loss(shape, fold(replace(bush, **{name: numbers}))))
        return (loss[0] - loss[1]) / (2 * step)

    for row, m in enumerate(branch):
        assert found.leafness[row] == pytest.approx(difference("leafness", (int(m),)), rel=1e-4, abs=1e-7)
        assert found.gate[row, 1] == pytest.approx(difference("gate", (int(m), 1)), rel=1e-4, abs=1e-7)
    for m in range(bush.n_nodes):
        assert found.response[m, 1] == pytest.approx(difference("response", (m, 1)), rel=1e-4, abs=1e-7)
    for m in range(len(bush.slope)):
        assert found.slope[m, 0, 2] == pytest.approx(difference("slope", (m, 0, 2)), rel=1e-4, abs=1e-7)


def test_refinement_lowers_the_loss_and_a_high_price_makes_leaves() -> None:
    bush, rows = some_bush(), engine()
    before = rows.loss(shape_of(bush), fold(bush))
    value, better = refine(bush, rows, Prices(1e-4, 1e-3, np.zeros(2)), 50, 1e-8)
    assert value < before
    sizes = [settle(better, rows, Prices(price, 1e-3, np.zeros(2)), 200, 1e-8)[1] for price in (1e-4, 0.05, 10.0)]
    assert sizes[0].effective_size > sizes[1].effective_size > sizes[2].effective_size
    assert sizes[2].n_nodes == 1


def test_rounded_buds_are_leaves_or_branches() -> None:
    whole = round_buds(some_bush(), engine(), Prices(1e-4, 1e-3, np.zeros(2)), 100, 1e-8)
    assert set(np.unique(whole.leafness)) <= {0.0, 1.0}
    assert whole.n_nodes == 5  # the bud of leafness 0.8 became a leaf


def test_existence_multiplies_what_is_passed_on() -> None:
    bush = some_bush()
    there = existence(bush.first_child, bush.leafness)
    np.testing.assert_allclose(there, [1.0, 0.7, 0.7, 0.7, 0.7, 0.14, 0.14])
    assert bush.effective_size == pytest.approx(there.sum())
