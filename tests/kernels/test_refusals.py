"""Errors of growers before native code reads anything: invalid codes, and sizes that do not match."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from softwood import CARTRegressor, kernels
from softwood.kernels import dispatch, reference
from softwood.kernels.contracts.c45 import C45Growth
from softwood.kernels.contracts.growth import Growth, Target
from softwood.kernels.kinds import Criterion

ONES, Y = np.ones(4), np.array([0, 1, 0, 1], np.int32)
X, LEVELS = np.array([[0.0, 1.5], [1.0, 2.5], [2.0, np.nan], [np.nan, 0.5]]), np.array([3, 0], np.int32)
GROWERS = [reference.Grower, kernels.Grower]


def with_value(array: np.ndarray, at: Any, value: float) -> np.ndarray:
    changed = array.copy()
    changed[at] = value
    return changed


@pytest.mark.parametrize("grower", GROWERS)
@pytest.mark.parametrize("code", [3.0, -1.0, 0.5, 1e18, -np.inf])
def test_a_category_that_is_not_there_is_refused(grower: Any, code: float) -> None:
    with pytest.raises(ValueError, match=r"categories of feature 0 must be whole numbers 0\.\.2"):
        grower(with_value(X, (1, 0), code), LEVELS, ONES)


@pytest.mark.parametrize("grower", GROWERS)
@pytest.mark.parametrize("code", [2, -1, 2**31 - 1])
def test_a_class_that_is_not_there_is_refused(grower: Any, code: int) -> None:
    with pytest.raises(ValueError, match=r"classes must be whole numbers 0\.\.1"):
        grower(X, LEVELS, ONES).grow(Target(with_value(Y, 2, code), ONES, 2), Growth(Criterion.GINI))


@pytest.mark.parametrize("grower", GROWERS)
@pytest.mark.parametrize(
    "target", [Target(Y[:3], ONES, 2), Target(Y, ONES[:3], 2), Target(Y, ONES, 2, np.ones(1)), Target(Y, ONES, 0)]
)
def test_sizes_that_do_not_agree_are_refused(grower: Any, target: Target) -> None:
    criterion = Criterion.GINI if target.n_classes else Criterion.SQUARED_ERROR
    with pytest.raises(ValueError, match="must have"):
        grower(X, LEVELS, ONES).grow(target, Growth(criterion))


@pytest.mark.parametrize("grow", [reference.grow_c45, kernels.grow_c45])
def test_c45_refuses_the_same(grow: Any) -> None:
    with pytest.raises(ValueError, match="classes must be"):
        grow(X, LEVELS, with_value(Y, 0, 9), ONES, 2, C45Growth())
    with pytest.raises(ValueError, match="categories of feature 0"):
        grow(with_value(X, (0, 0), 7.0), LEVELS, Y, ONES, 2, C45Growth())


def test_a_pruning_sequence_from_a_broken_file_is_refused() -> None:
    model = CARTRegressor(cv=2).fit(np.arange(20.0)[:, None], np.arange(20.0))
    sequence = model.pruning_sequence_
    again = pickle.loads(pickle.dumps(sequence))
    assert again.alpha == pytest.approx(sequence.alpha)
    state = sequence.__getstate__()
    for name, value in (("risk", state["risk"][:-1]), ("error", "text"), ("tree", None)):
        with pytest.raises((ValueError, TypeError), match=name):
            type(sequence).__new__(type(sequence)).__setstate__(state | {name: value})


@pytest.mark.skipif(dispatch.kernels != "native", reason="what native code reads")
@pytest.mark.parametrize(("loss", "outputs"), [(-1, 1), (3, 1), (255, 1), (1, 2)])
def test_descent_refuses_a_loss_that_it_does_not_know(loss: int, outputs: int) -> None:
    rows, target = np.zeros((2, 1)), np.zeros((2, outputs))
    split, order = np.zeros((1, 2 + 2 * outputs)), np.array([[0, 1]])
    with pytest.raises(
        ValueError, match=r"loss must be 0 to 2|logistic loss and that of one probability have one output"
    ):
        kernels.descend(rows, target, np.ones(2), target, np.ones(2), loss, split, order, np.ones(1), 0.9, 1.0, 1)


@pytest.mark.skipif(dispatch.kernels != "native", reason="what native code reads")
def test_columns_of_a_shape_are_whole_numbers_of_columns() -> None:
    def make(own: Any) -> Any:
        return kernels.make_shape(np.array([-1], np.int32), np.array([-1], np.int32), 0, 3, 1, own)

    assert list(make(np.array([0, 2], np.int32)).own_columns) == list(make((0, 2)).own_columns) == [0, 2]
    with pytest.raises(TypeError, match="own_columns has an item of another type"):
        make(["a"])
    with pytest.raises(ValueError, match="own_columns are outside the columns"):
        make([3])


@pytest.mark.skipif(dispatch.kernels != "native", reason="what native code reads")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"code": Y[:3]}, "entry for each row"),
        ({"weight": ONES[:3]}, "entry for each row"),
        ({"code": np.array([0, 1, 2, 0], np.int32)}, "a code names no class"),
        ({"factor": np.ones(3)}, "entry for each class"),
        ({"n_classes": 0}, "entry for each row"),
    ],
)
def test_native_growth_checks_sizes_before_it_reads(wrong: dict[str, Any], told: str) -> None:
    native = dispatch.native
    columns = native.Columns(X, LEVELS.tolist(), ONES, 0, 1)
    given = {"code": Y, "y": np.zeros((0, 1)), "weight": ONES, "factor": np.zeros(0), "n_classes": 2} | wrong
    limits = {"criterion": 0, "max_depth": 3, "max_leaves": 9, "min_samples_split": 2.0, "min_samples_leaf": 1.0}
    rest = {"min_impurity": 0.0, "min_impurity_decrease": 0.0, "missing": 0, "max_surrogates": 0, "monotone": []}
    with pytest.raises(ValueError, match=told):
        native.grow(columns, **given, **limits, **rest, parameter=[], max_places=9, every_level=9, n_threads=1)
    with pytest.raises(ValueError, match="one for each column"):
        native.Columns(X, [0], ONES, 0, 1)


@pytest.mark.skipif(dispatch.native is None, reason="the native kernels are not built")
def test_what_fails_in_an_attribute_is_raised_and_does_not_end_the_process() -> None:
    class Interrupted:
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt(name)

    class WithBasis(Interrupted):
        basis = surrogates = Interrupted()

    for tree in (Interrupted(), WithBasis()):
        with pytest.raises(KeyboardInterrupt):
            dispatch.native.Evaluator(tree, np.zeros(0), np.zeros(0))
