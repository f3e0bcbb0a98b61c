"""The joint learners run on an engine that never has all rows: the search uses a sample, the last refinement sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from softwood.arrays import Floats
from softwood.engines import SumEngine
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.budding import joint as budding
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.learn import learn_joint, learn_joint_from
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import init_root, make_sample_engine
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema
from tests.engines.batches import Batch, BatchEngine

# After about twenty iterations rounding is still small; at the end of a refinement it decides the fifth digit.
HOW = JointOptions("linear", "constant", max_leaves=4, penalty=1e-3, max_iter=20, single=False)
SIZE = 64  # rows of a batch


def numbers(rows: int = 300) -> Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    y = np.tanh(2 * X[:, :1]) + np.sin(2 * X[:, 1:2]) + 0.1 * rng.normal(size=(rows, 1))
    return Dataset(X, y, rng.integers(1, 4, rows).astype(float), [0, 0, 0], Loss.SQUARED)


def classes(rows: int = 300) -> Dataset:
    rng = np.random.default_rng(1)
    X = np.c_[rng.normal(size=(rows, 2)), rng.integers(0, 4, rows)]
    X[::17, 0] = np.nan
    code = (np.nan_to_num(X[:, 0]) > 0.3).astype(int) + (X[:, 2] == 2)
    return Dataset(X, np.eye(3)[code], np.ones(rows), [0, 0, 4], Loss.SOFTMAX)


def schema_of(dataset: Dataset) -> Schema:
    levels = [tuple(map(str, range(n))) if n else None for n in dataset.n_levels]
    return replace(Schema.plain(3, dataset.target.shape[1]), categories=tuple(levels), kinds=())


def batches_of(dataset: Dataset, target: Floats) -> Iterator[Batch]:
    for begin in range(0, len(dataset), SIZE):
        at = slice(begin, begin + SIZE)
        yield Batch(dataset.X[at], target[at], dataset.weight[at])


def in_batches(dataset: Dataset, made: list[BatchEngine]) -> TrainingRows:
    """Training rows whose engine reads batches; engines that were made are noted."""
    rows = TrainingRows.in_memory(dataset, 0, single=False)
    target = (dataset.target - rows.centre) / rows.scale

    def make_engine(expansion: Expansion) -> SumEngine:
        made.append(BatchEngine(lambda: batches_of(dataset, target), expansion, dataset.loss))
        return made[-1]

    return replace(rows, make_engine=make_engine)


@pytest.mark.parametrize("dataset", [numbers(), classes()], ids=["numbers", "classes"])
def test_batches_give_the_tree_that_memory_gives(dataset: Dataset) -> None:
    made: list[BatchEngine] = []
    schema = schema_of(dataset)
    batched = learn_joint_from(in_batches(dataset, made), schema, HOW, None).tree
    memory = learn_joint(dataset, schema, HOW, None).tree
    assert memory.n_nodes > 1
    np.testing.assert_array_equal(batched.first_child, memory.first_child)
    np.testing.assert_allclose(batched.output(dataset.X), memory.output(dataset.X), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(batched.count, memory.count, rtol=1e-7)
    assert len(made) == 1
    assert made[0].largest == SIZE
    assert made[0].passes > 20  # the last refinement, the search for idle branches and the reach all went through it


def test_the_inherited_refinement_ends_where_the_native_one_does() -> None:
    dataset = numbers()
    design = build_design(dataset.X, dataset.n_levels, dataset.weight, BasisSpec())
    memory = make_sample_engine(dataset, design, single=False)
    batches = BatchEngine(lambda: batches_of(dataset, dataset.target), expansion_of(design, 3), dataset.loss)
    root = init_root(memory, len(design), "none")
    tree = root.split(0, np.array([1.0, 0.5, 0.0, 0.0]), root.response[0] + 0.5, root.response[0] - 0.5)
    ends = [tree.refine(engine, 1e-2, 500, tol=1e-13)[0] for engine in (memory, batches)]
    assert ends[1] == pytest.approx(ends[0], rel=1e-9)


def test_the_search_works_on_the_sample_and_all_rows_refine_its_tree() -> None:
    """A tree grown on a tenth of the rows has a lower loss on the others after it was also refined on them."""
    whole, made, schema = numbers(2000), list[BatchEngine](), Schema.plain(3, 1)
    rows = in_batches(whole, made)
    sample = rows.sample.head(200)
    refined = learn_joint_from(replace(rows, sample=sample), schema, HOW, None).tree
    alone = learn_joint(sample, schema, HOW, None).tree
    errors = [np.mean(np.square(tree.output(whole.X) - whole.target)) for tree in (refined, alone)]
    assert errors[0] < errors[1]
    assert refined.count[0] == pytest.approx(whole.total_weight)
    assert len(made) == 1


def test_budding_trees_are_refined_by_the_same_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budding, "FINISH_ITER", 10)  # iterations: rounding is still small then
    dataset, made = numbers(), list[BatchEngine]()
    how = budding.JointOptions(1e-3, 1e-3, "linear", "constant", max_nodes=7)
    batched = budding.learn_joint_from(in_batches(dataset, made), how, None).params
    memory = budding.learn_joint_from(TrainingRows.in_memory(dataset, 0, single=False), how, None).params
    assert memory.n_nodes > 1
    np.testing.assert_array_equal(batched.first_child, memory.first_child)
    for name in ("leafness", "gate", "response"):
        np.testing.assert_allclose(getattr(batched, name), getattr(memory, name), rtol=1e-6, atol=1e-6)
    assert made[0].passes > 10


def test_an_engine_without_a_gradient_cannot_be_made() -> None:
    class Nothing(SumEngine):
        pass

    with pytest.raises(TypeError, match="gradient"):
        Nothing()  # type: ignore[abstract]
