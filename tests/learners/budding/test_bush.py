"""A bush and its graft: the soft tree with constant gates answers as the bush does, and slopes come back right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.engines.memory import MemoryEngine
from softwood.kernels.kinds import Loss
from softwood.learners.budding.bush import Bush, existence
from softwood.learners.budding.graft import Graft
from softwood.learners.budding.growth import round_buds
from softwood.learners.budding.refine import Prices, refine

COLUMNS = 3


def some_bush(slopes: str = "none") -> Bush:
    rng = np.random.default_rng(0)
    bush = Bush.leaf(rng.normal(size=2), COLUMNS, slopes)  # type: ignore[arg-type]
    for node, leafness in ((0, 0.3), (2, 0.0), (1, 0.8)):
        bush = bush.bud(node, rng.normal(size=COLUMNS + 1), rng.normal(size=2), rng.normal(size=2), leafness)
    return replace(bush, slope=rng.normal(size=bush.slope.shape))


def answer(bush: Bush, phi: np.ndarray, node: int = 0) -> np.ndarray:
    """The equation of the house, one row."""
    slope = {"none": 0.0, "own": bush.slope[min(node, len(bush.slope) - 1)] @ phi if len(bush.slope) else 0.0}
    response = bush.response[node] + slope[bush.slopes]
    first = int(bush.first_child[node])
    if first < 0:
        return np.asarray(response)
    share = 1 / (1 + np.exp(-(bush.gate[node, :-1] @ phi + bush.gate[node, -1])))
    below = share * answer(bush, phi, first) + (1 - share) * answer(bush, phi, first + 1)
    return np.asarray(bush.leafness[node] * response + (1 - bush.leafness[node]) * below)


def engine() -> MemoryEngine:
    rng = np.random.default_rng(1)
    phi = rng.normal(size=(80, COLUMNS))
    return MemoryEngine.make(phi, np.c_[np.sin(phi[:, 0]), phi[:, 1] ** 2], np.ones(80), Loss.SQUARED, single=False)


@pytest.mark.parametrize("slopes", ["none", "own"])
def test_a_graft_answers_as_the_bush(slopes: str) -> None:
    bush, rows = some_bush(slopes), engine()
    graft = Graft.make(bush)
    out = rows.rows.answers(graft.shape, graft.parameters(bush), 1)[0]
    np.testing.assert_allclose(out, [answer(bush, phi) for phi in rows.phi], atol=1e-7)


def test_slopes_by_leafness_are_finite_differences() -> None:
    bush, rows = some_bush(), engine()
    graft, step = Graft.make(bush), 1e-5
    slope = graft.pull_back(bush, rows.gradient(graft.shape, graft.parameters(bush))[1])[1]
    for place, m in enumerate(bush.branches):
        if bush.leafness[m] == 0:
            continue
        loss = []
        for sign in (1, -1):
            leafness = bush.leafness.copy()
            leafness[m] += sign * step
            loss.append(rows.loss(graft.shape, graft.parameters(replace(bush, leafness=leafness))))
        assert slope[place] == pytest.approx((loss[0] - loss[1]) / (2 * step), rel=1e-4)


def test_refinement_lowers_the_loss_and_a_high_price_makes_leaves() -> None:
    bush, rows = some_bush(), engine()
    graft = Graft.make(bush)
    before = rows.loss(graft.shape, graft.parameters(bush))
    value, better = refine(bush, rows, Prices(1e-4, 1e-3, np.zeros(2)), 50)
    assert value < before
    dear = refine(better, rows, Prices(10.0, 1e-3, np.zeros(2)), 200)[1]
    assert (dear.leafness[dear.branches] == 1.0).all()


def test_rounded_buds_are_leaves_or_branches() -> None:
    rows = engine()
    whole = round_buds(some_bush(), rows, Prices(1e-4, 1e-3, np.zeros(2)))
    assert set(np.unique(whole.leafness)) <= {0.0, 1.0}
    assert whole.n_nodes == 5  # the bud of leafness 0.8 became a leaf


def test_existence_multiplies_what_is_passed_on() -> None:
    bush = some_bush()
    there = existence(bush.first_child, bush.leafness)
    np.testing.assert_allclose(there, [1.0, 0.7, 0.7, 0.7, 0.7, 0.14, 0.14])
    assert bush.effective_size == pytest.approx(there.sum())
