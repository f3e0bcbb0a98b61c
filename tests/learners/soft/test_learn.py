"""The joint learner never collapses, never trains on validation rows, and returns the selected tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood.engines.memory import MemoryEngine
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns import piecewise
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.learn import learn_joint
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.params.params import Slopes, SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import init_root, make_sample_engine
from softwood.tree import Schema

LINEAR = JointOptions(gate="linear", leaf="constant")


def numbers(n: int = 300, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, :1]) + X[:, 1:2] + 0.1 * rng.normal(size=(n, 1))
    return Dataset(X, y, np.ones(n), [0, 0, 0], Loss.SQUARED)


def random_params(columns: int, slopes: Slopes, rng: np.random.Generator) -> SoftTreeParams:
    own_columns = np.array([0] if slopes == "mixed" else [], np.int32)
    tree = SoftTreeParams.root(np.zeros(1), columns, slopes, own_columns=own_columns)
    for leaf in (0, 1, 2):
        tree = tree.split(leaf, rng.normal(size=columns + 1), rng.normal(size=1), rng.normal(size=1))
    return tree.with_parameters(rng.normal(size=tree.parameters.shape))


@pytest.mark.parametrize("slopes", ["none", "shared", "own", "mixed"])
@pytest.mark.parametrize(
    "basis_spec", [BasisSpec(), BasisSpec(square=0.5, normal_score=0.7, curve=(0.7, 0.3), quadratic=0.3)]
)
def test_the_tree_in_user_units_answers_as_the_parameters(
    slopes: Slopes, basis_spec: BasisSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(piecewise, "round_off", lambda values: values)  # passes round columns off; the tree does not
    dataset, rng = numbers(), np.random.default_rng(1)
    columns = build_design(dataset.X, dataset.n_levels, dataset.weight, basis_spec)
    params = random_params(len(columns), slopes, rng)
    engine = make_sample_engine(dataset, columns, single=False)
    schema = Schema.plain(3, 1)
    tree = to_tree(params, columns, schema, dataset.loss, engine, np.array([5.0]), np.array([2.0]))
    output = engine.rows.answers(params.shape, params.parameters)[0]
    np.testing.assert_allclose(tree.output(dataset.X), 5.0 + 2.0 * output, atol=1e-8)


@pytest.mark.parametrize("slopes", ["shared", "own"])
def test_slopes_that_are_all_zero_are_none(slopes: Slopes) -> None:
    dataset = numbers()
    columns = build_design(dataset.X, dataset.n_levels, dataset.weight, BasisSpec())
    root = SoftTreeParams.root(np.array([0.5]), len(columns), slopes)
    engine = make_sample_engine(dataset, columns)
    tree = to_tree(root, columns, Schema.plain(3, 1), dataset.loss, engine, np.zeros(1), np.ones(1))
    assert tree.slope_row.tolist() == [-1]
    np.testing.assert_array_equal(tree.output(dataset.X), np.full((300, 1), 0.5))


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_collapse_keeps_the_other_leaves(slopes: Slopes) -> None:
    rng = np.random.default_rng(3)
    tree = random_params(2, slopes, rng)
    small = tree.collapse(2, 0.25)
    assert small.n_nodes == tree.n_nodes - 2
    np.testing.assert_array_equal(small.response[3:], tree.response[3:5])
    np.testing.assert_allclose(small.response[2], 0.25 * tree.response[5] + 0.75 * tree.response[6])
    np.testing.assert_array_equal(small.gate[1], tree.gate[1])


def test_validation_rows_are_never_trained_on(monkeypatch: pytest.MonkeyPatch) -> None:
    trained_on = set()
    refine = MemoryEngine.refine

    def spy(engine: MemoryEngine, *args: Any) -> Any:
        trained_on.add(len(engine.target))
        return refine(engine, *args)

    monkeypatch.setattr(MemoryEngine, "refine", spy)
    learn_joint(numbers(200), Schema.plain(3, 1), JointOptions(penalty=0.01), numbers(77, seed=5))
    assert trained_on == {200, 160}  # all training rows, or four folds of five; the 77 only validate


def test_the_tree_loses_no_more_on_validation_rows_than_the_candidate_it_comes_from() -> None:
    for seed in range(3):
        rows, held = numbers(150, seed), numbers(60, seed + 50)
        learned = learn_joint(rows, Schema.plain(3, 1), LINEAR, held)
        error = np.square(learned.tree.output(held.X) - held.target).mean()
        scale = np.square(rows.target_scale()[1][0])
        first = learned.chosen.row_loss[: len(held.X)].mean()  # half the squared error, in spreads of the target
        assert error <= 2.0 * first * scale * (1 + 1e-5)


def test_order_and_weights_of_rows_do_not_matter() -> None:
    dataset = numbers(120)
    order = np.random.default_rng(2).permutation(np.r_[np.arange(120), np.arange(40)])
    twice = Dataset(dataset.X[order], dataset.target[order], np.ones(160), dataset.n_levels, dataset.loss)
    weighted = Dataset(dataset.X, dataset.target, np.r_[np.full(40, 2.0), np.ones(80)], dataset.n_levels, dataset.loss)
    trees = [learn_joint(rows, Schema.plain(3, 1), LINEAR, None).tree for rows in (twice, weighted)]
    assert trees[0] == trees[1]


def test_many_rows_need_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softwood.learners.soft.rows.dataset.SAMPLE_ROWS", 100)
    dataset = numbers(120)
    placed, copied = dataset.in_order(3, copied=False), dataset.in_order(3)
    assert placed.X is dataset.X
    assert copied.place is None
    np.testing.assert_array_equal(placed.target, copied.target)
    odd = np.arange(120) % 2 == 1
    for some, same in ((placed.head(30), copied.head(30)), (placed.rows(odd), copied.rows(odd))):
        np.testing.assert_array_equal(some.X, same.X)
        np.testing.assert_array_equal(some.target, same.target)


def test_threads_change_nothing_but_the_time() -> None:
    """Kinds, penalties and folds run in parallel: the same candidates, in the same order."""
    reported: dict[int, list[tuple[float, float]]] = {1: [], 3: []}
    trees = []
    for n, noted in reported.items():
        how = JointOptions(
            n_threads=n, max_leaves=4, report=lambda one, noted=noted: noted.append((one.loss, one.nodes))
        )
        trees.append(learn_joint(numbers(160), Schema.plain(3, 1), how, None).tree)
    assert reported[1] == reported[3]
    assert trees[0] == trees[1]


def test_one_thread_equals_five() -> None:
    trees = [
        learn_joint(
            numbers(1500), Schema.plain(3, 1), JointOptions("linear", "constant", penalty=0.001, n_threads=n), None
        ).tree
        for n in (1, 5)
    ]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("most", [1, 2])
def test_gates_look_at_few_inputs(most: int) -> None:
    how = JointOptions(gate="additive", leaf="constant", penalty=0.001, max_gate_features=most)
    tree = learn_joint(numbers(), Schema.plain(3, 1), how, None).tree
    assert tree.n_nodes > 1
    for node in np.flatnonzero(tree.n_children):
        at = slice(tree.weight_begin[node], tree.weight_begin[node + 1])
        used = tree.weight_column[at][tree.weight[at] != 0]
        assert len(np.unique(tree.basis.feature[used])) <= most


def test_root_answers_the_mean_and_the_log_odds() -> None:
    dataset = numbers()
    columns = build_design(dataset.X, dataset.n_levels, dataset.weight, BasisSpec())
    engine: Any = make_sample_engine(dataset, columns)
    assert init_root(engine, len(columns), "none").response[0] == pytest.approx(dataset.target.mean(axis=0))
