"""Trees that mix answers: links of leaves and their derivatives, splits found, collapsed branches, temperature."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels import make_rows, make_shape
from softwood.kernels.formulas.leaf_link import chain_slopes, chain_sums, leaf_answers, response_of, silent_response
from softwood.kernels.formulas.losses import LEAST_ANSWER, loss_derivatives, row_loss
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.learners.soft.growth.temperature_scaling import best_output_scale, best_response_scale
from softwood.learners.soft.params.params import SoftTreeParams

MIXING = [
    (loss.mixing_answers, outputs)
    for loss, outputs in ((Loss.LOGISTIC, 1), (Loss.SOFTMAX, 3), (Loss.POISSON, 1), (Loss.GAMMA, 2))
]
MIXING.append((Loss(LossKind.TWEEDIE, 1.3).mixing_answers, 1))
of_all = pytest.mark.parametrize(("loss", "outputs"), MIXING, ids=[f"{loss.kind.name}-{k}" for loss, k in MIXING])


def answers_and_targets(loss: Loss, outputs: int, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    answer = leaf_answers(loss.link, rng.normal(size=(n, outputs)))
    if loss.kind == LossKind.PROBABILITIES:
        return answer, np.eye(outputs)[rng.integers(0, outputs, n)]
    if loss.kind == LossKind.PROBABILITY:
        return answer, rng.integers(0, 2, (n, 1)).astype(float)
    return answer, rng.poisson(2.0, (n, outputs)) + 1.0


@of_all
def test_derivatives_equal_finite_differences_beyond_the_least_answer_too(loss: Loss, outputs: int) -> None:
    answer, target = answers_and_targets(loss, outputs)
    answer[:6] = np.array([-0.5, 0.0, 0.3 * LEAST_ANSWER, 0.2, 0.7, 1.2])[:, None]
    slope = loss_derivatives(loss, answer, target)[0]
    for q in range(outputs):
        step = 1e-3 * np.clip(answer[:, [q]], LEAST_ANSWER, None) * np.eye(outputs)[q]
        rise = row_loss(loss, answer + step, target) - row_loss(loss, answer - step, target)
        np.testing.assert_allclose(slope[:, q], rise / (2 * step[:, q]), rtol=1e-4, atol=1e-6)


@of_all
def test_one_leaf_loses_what_its_response_loses_before_the_link(loss: Loss, outputs: int) -> None:
    """With one leaf the two ways to mix are equal: loss, slope and expected curvature by the response."""
    _, target = answers_and_targets(loss, outputs)
    response = np.random.default_rng(5).normal(size=(len(target), outputs))
    answer, before = leaf_answers(loss.link, response), loss.mixing_outputs
    np.testing.assert_allclose(row_loss(loss, answer, target), row_loss(before, response, target), atol=1e-12)
    sums = np.stack(loss_derivatives(loss, answer, target), axis=1)
    wanted = np.stack(loss_derivatives(before, response, target), axis=1)
    chained = np.concatenate([chain_sums(loss.link, a, s)[None] for a, s in zip(answer, sums, strict=True)])
    np.testing.assert_allclose(chained, wanted, atol=2e-4)  # a class loss has at least a curvature of 1e-4


@pytest.mark.parametrize("link", [Link.SIGMOID, Link.SOFTMAX, Link.LOG, Link.IDENTITY])
def test_slopes_are_chained_as_finite_differences_say(link: Link) -> None:
    rng, step = np.random.default_rng(0), 1e-6
    response, slope = rng.normal(size=(1, 3)), rng.normal(size=(1, 3))
    found = chain_slopes(link, leaf_answers(link, response), slope)
    for q, along in enumerate(step * np.eye(3)):
        rise = leaf_answers(link, response + along) - leaf_answers(link, response - along)
        assert found[0, q] == pytest.approx(float(np.sum(slope * rise)) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("link", [Link.SIGMOID, Link.SOFTMAX, Link.LOG, Link.IDENTITY])
def test_a_response_gives_back_the_answer_and_a_silent_one_nothing(link: Link) -> None:
    answer = leaf_answers(link, np.array([[0.3, -2.0, 1.0]]))
    np.testing.assert_allclose(leaf_answers(link, response_of(link, answer[0])[None]), answer, rtol=1e-12)
    assert not leaf_answers(link, np.full((1, 3), silent_response(link))).any()


@of_all
def test_a_collapsed_branch_answers_the_mean_of_its_children(loss: Loss, outputs: int) -> None:
    rng = np.random.default_rng(1)
    root = SoftTreeParams.root(np.zeros(outputs), 2, "none", leaf_link=loss.leaf_link)
    first, second = response_of(loss.link, np.full(outputs, 0.2)), rng.normal(size=outputs)
    tree = root.split(0, np.array([1.0, 0.5, 0.0]), first, second)
    both = leaf_answers(loss.link, tree.response[1:])
    mean = leaf_answers(loss.link, tree.collapse(0, 0.25).response)[0]
    np.testing.assert_allclose(mean, 0.25 * both[0] + 0.75 * both[1], rtol=1e-10)


@of_all
def test_the_factor_on_responses_is_the_best_one(loss: Loss, outputs: int) -> None:
    rng = np.random.default_rng(2)
    _, target = answers_and_targets(loss, outputs, 400)
    share = rng.random((400, 1))
    reach, response = np.concatenate([share, 1.0 - share], axis=1), rng.normal(size=(2, outputs))
    if not loss.is_classes:
        assert best_output_scale(loss, reach @ leaf_answers(loss.link, response), target, np.ones(400)) == 1.0
        return
    factor = best_response_scale(loss, reach, response, target, np.ones(400))

    def objective(log: float) -> float:
        output = reach @ leaf_answers(loss.link, np.exp(log) * response)
        return float(row_loss(loss, output, target).sum() + 2.0 * log * log)

    tried = np.linspace(np.log(0.25), np.log(8.0), 400)
    assert objective(np.log(factor)) <= min(map(objective, tried)) + 1e-3


def test_a_tree_that_mixes_answers_has_no_slopes() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(9, 2)), rng.integers(0, 2, (9, 1)).astype(float), np.ones(9)
    rows = make_rows(*table, Loss.LOGISTIC.mixing_answers)
    none, shared = np.full(1, -1, np.int32), np.zeros(1, np.int32)
    assert rows.loss(make_shape(none, none, 0, 2, 1), np.zeros(1)) == pytest.approx(np.log(2.0))
    with pytest.raises(ValueError, match="they have no slopes"):
        rows.loss(make_shape(none, shared, 1, 2, 1), np.zeros(3))
