"""One more split gives the same tree in one native call and step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels import make_split_features
from softwood.kernels.contracts.split_step import PackedTree, SplitStepOptions
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.growth.split_step import GrowOptions, native_split_step, reference_split_step
from softwood.learners.soft.params.params import Gates, Slopes, SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import Fold, init_root, make_sample_engine

N, LEVELS = 300, 6
KINDS = {
    "a number": (Loss.SQUARED, 1),
    "two numbers": (Loss.SQUARED, 2),
    "two classes": (Loss.LOGISTIC, 1),
    "four classes": (Loss.SOFTMAX, 4),
}
MIXING = {
    "one probability": (Loss.LOGISTIC.mixing_answers, 1),
    "four probabilities": (Loss.SOFTMAX.mixing_answers, 4),
    "a mean": (Loss.POISSON.mixing_answers, 1),
    "two means": (Loss(LossKind.TWEEDIE, 1.5).mixing_answers, 2),
}


def table(kind: str, noise: float = 0.1) -> Dataset:
    """Curves, a product, a category and missing values."""
    rng = np.random.default_rng(0)
    loss, k = (KINDS | MIXING)[kind]
    X = rng.normal(size=(N, 4))
    X[:, 3] = rng.integers(0, LEVELS, N)
    signal = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] % 2 + noise * rng.normal(size=N)
    if loss.link == Link.LOG:
        target = rng.poisson(np.exp(np.clip(np.outer(signal, np.arange(1, k + 1)), -2.0, 2.0))).astype(np.float64)
    elif loss == Loss.SQUARED:
        target = np.outer(signal, np.arange(1, k + 1)) + X[:, :k]
    elif k == 1:
        target = (signal[:, None] > 0.5).astype(np.float64)
    else:
        target = np.eye(k)[np.digitize(signal, [-0.5, 0.5, 1.5])]
    X[rng.random(X.shape) < 0.05] = np.nan
    return Dataset(X, target, rng.uniform(0.5, 2.0, N), [0, 0, 0, LEVELS], loss)


def ground_of(rows: Dataset) -> tuple[Fold, int]:
    columns = build_design(rows.X, rows.n_levels, rows.weight, BasisSpec())
    return Fold.make(rows, rows, columns, single=False), len(columns)


def both_ways(tree: SoftTreeParams, fold: Fold, how: GrowOptions) -> SoftTreeParams:
    """One more split, in one call and step by step: the same."""
    whole, steps = (
        make(tree, fold.train, fold.split_features, how) for make in (native_split_step, reference_split_step)
    )
    assert whole is not None
    assert steps is not None
    for name in ("first_child", "frozen", "unpenalized", "n_iter"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(steps, name), err_msg=name)
    np.testing.assert_allclose(whole.parameters, steps.parameters, atol=1e-6)
    return whole


@pytest.mark.fewer(12)
@pytest.mark.parametrize("gates", ["open", "axis", "unpenalized", "either"])
@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_call_equals_the_steps(kind: str, slopes: Slopes, gates: Gates) -> None:
    fold, columns = ground_of(table(kind))
    how = GrowOptions(1e-3, gates=gates, tries=2)
    tree = init_root(fold.train, columns, slopes)
    for _ in range(4):
        tree = both_ways(tree, fold, how)
    assert tree.n_nodes == 9


@pytest.mark.fewer(6)
@pytest.mark.parametrize("gates", ["open", "axis", "unpenalized", "either"])
@pytest.mark.parametrize("kind", MIXING)
def test_one_call_equals_the_steps_where_leaves_mix_answers(kind: str, gates: Gates) -> None:
    test_one_call_equals_the_steps(kind, "none", gates)


@pytest.mark.parametrize("most", [1, 2])
def test_gates_of_few_inputs(most: int) -> None:
    fold, columns = ground_of(table("a number"))
    tree = both_ways(init_root(fold.train, columns, "none"), fold, GrowOptions(1e-3, max_gate_features=most))
    assert len(set(fold.split_features.place[~tree.frozen[0, :-1]])) == most


def test_nothing_to_split_is_none() -> None:
    rows = table("a number")
    fold, columns = ground_of(replace(rows, target=np.zeros((N, 1))))
    root = init_root(fold.train, columns, "none")
    assert native_split_step(root, fold.train, fold.split_features, GrowOptions(1e-3)) is None
    assert reference_split_step(root, fold.train, fold.split_features, GrowOptions(1e-3)) is None


def test_an_engine_without_histograms_does_not_enlarge() -> None:
    rows = table("a number")
    columns = build_design(rows.X, rows.n_levels, rows.weight, BasisSpec())
    assert not make_sample_engine(rows, columns).has_split_step
    assert ground_of(rows)[0].train.has_split_step == (kernels.kernels == "native")


RULES = SplitStepOptions(0, 0, 1e-3, 0.1, 0.0, 1, 1.5, 5.0, 2.0, 2.5, 8, 4, 25, 1e-4)


def packed() -> PackedTree:
    shape = kernels.make_shape(np.full(1, -1, np.int32), np.full(1, -1, np.int32), 0, 2, 1)
    nothing = np.zeros((0, 3), np.bool_)
    return PackedTree(shape, np.zeros(1), 0, nothing, np.zeros(0, np.bool_), np.zeros(1), np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("change", "bins", "message"),
    [
        ({"parameters": np.zeros(2)}, 4, "wrong number of parameters"),
        ({"origin": np.zeros(3)}, 4, "wrong number of parameters"),
        ({"frozen": np.zeros((1, 3), np.bool_)}, 4, "wrong number of parameters"),
        ({}, 1, "more cuts than bins"),
    ],
)
def test_wrong_sizes_are_refused(change: dict[str, np.ndarray], bins: int, message: str) -> None:
    rows = kernels.make_rows(np.zeros((5, 2)), np.zeros((5, 1)), np.ones(5), Loss.SQUARED)
    split_features = make_split_features([2, 2], np.arange(2, dtype=np.int32), [np.zeros(2)] * 2, np.arange(2), [])
    with pytest.raises(ValueError, match=message):
        kernels.split_step(
            rows, replace(packed(), **change), np.zeros((5, 2), np.uint8), bins, split_features, RULES, 5.0, 1
        )


@pytest.mark.parametrize(
    ("linear", "place", "levels", "message"),
    [
        ([0, 1, 1], [0, 1], [], "one entry an input"),
        ([0, 7], [0, 1], [], "needs a linear column"),
        ([0, 1], [0, 9], [], "none of the inputs"),
        ([0, 1], [0, 1], [(0, [0], [5], [1.0], [0.0])], "a level needs"),
    ],
)
def test_wrong_axes_are_refused(linear: list[int], place: list[int], levels: list[tuple], message: str) -> None:
    made = [(f, np.array(b), np.array(c), np.array(h), np.array(e)) for f, b, c, h, e in levels]
    with pytest.raises(ValueError, match=message):
        make_split_features([1, 1], np.array(linear, np.int32), [np.zeros(1)] * 2, np.array(place), made)
