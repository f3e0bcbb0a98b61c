"""Mixed slopes: shared by all leaves for all columns, and each leaf its own for some of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from softwood.engines import SampleEngine
from softwood.engines.memory import from_columns
from softwood.kernels.kinds import Loss
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.search.selection import Candidate
from softwood.persistence.state_checks import CHECKS
from softwood.persistence.stored import read_value, write_value

COLUMNS, OUTPUTS, OWN = 5, 3, np.array([1, 3], np.int32)


def tree() -> SoftTreeParams:
    """Five nodes with random parameters."""
    rng = np.random.default_rng(0)
    found = SoftTreeParams.root(rng.normal(size=OUTPUTS), COLUMNS, "mixed", own_columns=OWN)
    for leaf in (0, 2):
        found = found.split(leaf, rng.normal(size=COLUMNS + 1), rng.normal(size=OUTPUTS), rng.normal(size=OUTPUTS))
    return found.with_parameters(rng.normal(size=len(found.parameters)))


def columns() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(80, COLUMNS))


def engine(phi: np.ndarray) -> SampleEngine:
    target = np.eye(OUTPUTS)[np.random.default_rng(2).integers(0, OUTPUTS, len(phi))]
    return from_columns(phi, target, np.ones(len(phi)), Loss.SOFTMAX, single=False)


def answers(of: SoftTreeParams, phi: np.ndarray) -> np.ndarray:
    return engine(phi).output(of.shape, of.parameters)


def test_parameters_are_shared_slopes_and_own_ones_of_own_columns() -> None:
    gates, responses, shared, own = 2 * (COLUMNS + 1), 3 * OUTPUTS, OUTPUTS * COLUMNS, 3 * OUTPUTS * len(OWN)
    assert len(tree().parameters) == tree().shape.parameters == gates + responses + shared + own
    again = tree().with_parameters(tree().parameters)
    np.testing.assert_array_equal(again.slope, tree().slope)
    assert not tree().slope[1:, :, [0, 2, 4]].any()


def test_own_slopes_of_all_columns_answer_the_same() -> None:
    own = tree().with_own_slopes()
    assert own.slopes == "own"
    assert own.with_own_slopes() is own
    np.testing.assert_allclose(answers(own, columns()), answers(tree(), columns()), rtol=1e-12)


KEEPS_ANSWERS: dict[str, Callable[[SoftTreeParams, np.ndarray], tuple[SoftTreeParams, np.ndarray]]] = {
    "rescaled columns": lambda of, phi: (of.rescale_columns(2.0), phi / 2.0),
    "a split by a gate that parts nothing": lambda of, phi: (
        of.split(1, np.zeros(COLUMNS + 1), of.response[1], of.response[1]),
        phi,
    ),
    "a split undone": lambda of, phi: (
        of.split(1, np.zeros(COLUMNS + 1), of.response[1], of.response[1]).collapse(1, 0.3),
        phi,
    ),
    "sums as columns": lambda of, phi: (of.linear_sums()[1], phi @ of.linear_sums()[0].T),
}


@pytest.mark.parametrize("what", KEEPS_ANSWERS)
def test_answers_stay_with(what: str) -> None:
    np.testing.assert_allclose(
        answers(*KEEPS_ANSWERS[what](tree(), columns())), answers(tree(), columns()), rtol=1e-10, atol=1e-12
    )


def test_selected_columns_keep_their_own_slopes() -> None:
    kept = np.array([False, True, True, True, True])
    phi = np.where(kept, columns(), 0.0)
    fewer = tree().select_columns(kept)
    assert fewer.own_columns.tolist() == [0, 2]
    np.testing.assert_allclose(answers(fewer, np.ascontiguousarray(phi[:, kept])), answers(tree(), phi), rtol=1e-10)


def test_refinement_moves_both_kinds_of_slopes() -> None:
    rows = engine(columns())
    value, better = tree().refine(rows, 1e-3, 50)
    assert value < tree().loss(rows)
    assert np.all(better.slope[0] != tree().slope[0])
    assert np.all(better.slope[1:][better.leaf][:, :, OWN] != tree().slope[1:][tree().leaf][:, :, OWN])
    assert not better.slope[1:, :, [0, 2, 4]].any()


def test_a_heavy_penalty_takes_both_to_nothing() -> None:
    found = tree().refine(engine(columns()), 1e6, 200)[1]
    np.testing.assert_allclose(found.slope[0], 0.0, atol=1e-3)
    np.testing.assert_allclose(found.slope[1:][found.leaf], 0.0, atol=1e-3)


def test_energy_is_of_shared_slopes_and_those_of_leaves() -> None:
    of = tree()
    wanted = np.square(of.gate[:, :-1]).sum(axis=0) + np.square(of.slope[0]).sum(axis=0)
    np.testing.assert_allclose(of.column_energy, wanted + np.square(of.slope[1:][of.leaf]).sum(axis=(0, 1)))


def test_they_are_as_complex_as_own_slopes() -> None:
    mixed, own = (
        replace(Candidate.nothing(), tree=[of], row_loss=np.ones(1)) for of in (tree(), tree().with_own_slopes())
    )
    assert mixed.complexity == own.complexity


def test_a_file_holds_them_and_older_files_have_none() -> None:
    arrays: dict[str, np.ndarray] = {}
    told = write_value(tree(), "tree", arrays)
    again = read_value(SoftTreeParams, told, "tree", dict(arrays))
    assert again.slopes == "mixed"
    np.testing.assert_array_equal(again.own_columns, OWN)
    np.testing.assert_array_equal(again.parameters, tree().parameters)
    arrays.clear()
    older = write_value(tree().with_own_slopes(), "tree", arrays)
    del older["own_columns"], arrays["tree/own_columns"]
    assert not len(read_value(SoftTreeParams, older, "tree", arrays).own_columns)


@pytest.mark.parametrize("own", [[-1], [5], [3, 1], [1, 1]])
def test_own_columns_of_a_file_are_checked(own: list[int]) -> None:
    CHECKS[SoftTreeParams](tree())
    with pytest.raises(ValueError, match="own_columns must"):
        CHECKS[SoftTreeParams](tree()._with(own_columns=np.array(own, np.int32)))
    with pytest.raises(ValueError, match="own_columns are for mixed slopes only"):
        CHECKS[SoftTreeParams](tree().with_own_slopes()._with(own_columns=OWN))


@pytest.mark.parametrize("wrong", [{"log_penalty": -1.0}, {"n_iter": -1}], ids=lambda one: next(iter(one)))
def test_a_negative_penalty_of_a_file_is_named(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="log_penalty and n_iter must not be negative"):
        CHECKS[SoftTreeParams](tree()._with(**wrong))
