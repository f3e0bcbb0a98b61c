"""Trees of sparse tables: the native grower against the reference, and both against the same table as an array."""

from __future__ import annotations

import os
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given

from softwood.kernels import reference
from softwood.kernels.contracts.growth import SUMS, Grown
from softwood.kernels.kinds import Criterion, Missing
from softwood.kernels.sparse.table import SparseTable

if os.environ.get("SOFTWOOD_KERNELS") == "reference":
    pytest.skip("SOFTWOOD_KERNELS=reference: the native kernels are not to be used", allow_module_level=True)

from softwood.kernels import native
from tests.examples import examples
from tests.laws.test_growers_agree import (
    Case,
    assert_same,
    assert_same_bits,
    assert_same_surrogates,
    assert_twins,
    draw_growth,
    draw_table,
    draw_target,
    scale_of,
    seeds,
)


def draw_dense(seed: int, criterion: Criterion, missing: Missing, n_rows: int = 60, n_features: int = 8) -> Case:
    """A random table of numbers, mostly 0."""
    rng = np.random.default_rng(seed)
    n, exact = int(rng.integers(1, n_rows + 1)), bool(rng.random() < 0.5)
    n_levels = np.zeros(int(rng.integers(1, n_features + 1)), np.int32)
    X = draw_table(rng, n, n_levels, exact) - (2.0 * exact if rng.random() < 0.5 else 0.0)
    X[rng.random(X.shape) < rng.choice([0.3, 0.7, 0.95], X.shape[1])] = 0.0
    target = draw_target(rng, X, criterion, exact)
    growth = draw_growth(rng, n_levels, criterion, missing)
    return Case(X, n_levels, target, growth, int(rng.choice([0, 0, 2, 5, 200])))


def sparse(case: Case) -> Case:
    return replace(case, X=SparseTable.of_dense(case.X))


def assert_one_tree(case: Case) -> None:
    """The same tree from both growers and every container."""
    assert_twins(sparse(case))
    assert_same(sparse(case).grow(native.Grower), case.grow(native.Grower), scale_of(case))
    grown = case.grow(native.Grower)
    growers = [one.grower(native.Grower) for one in (case, sparse(case))]
    assert_same_surrogates(*(grower.surrogates(grown, case.target, 5, case.growth.monotone) for grower in growers))


@pytest.mark.parametrize("missing", list(Missing))
@pytest.mark.parametrize("criterion", SUMS)
@examples(25)
@given(seed=seeds)
def test_a_sparse_table_has_the_tree_of_the_array(criterion: Criterion, missing: Missing, seed: int) -> None:
    assert_one_tree(draw_dense(seed, criterion, missing))


@pytest.mark.parametrize("criterion", SUMS)
@examples(10)
@given(seed=seeds)
def test_the_same_where_sums_are_kept_and_taken_away(criterion: Criterion, seed: int) -> None:
    """Many rows with few distinct values: a large child's sums are its parent's minus those of its sibling's rows."""
    case = draw_dense(seed, criterion, Missing(seed % 4), n_rows=3000, n_features=20)
    case.X[:] = np.round(np.clip(case.X, -3, 3))
    assert_one_tree(replace(case, growth=replace(case.growth, max_leaves=40)))


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR])
def test_plain_rows_have_the_same_tree_to_the_last_bit(criterion: Criterion) -> None:
    for seed in range(30):
        case = draw_dense(seed, criterion, Missing.SURROGATE, 300)
        case = replace(case, max_bins=0, target=replace(case.target, weight=np.ones(len(case.X))))
        if criterion == Criterion.GINI:
            case = replace(case, target=replace(case.target, class_factor=np.zeros(0)))
        case.X[np.isnan(case.X)] = 0.0
        one, other = case.grow(native.Grower), sparse(case).grow(native.Grower)
        names = {f.name for f in fields(Grown)} - {"surrogates"} - ({"gain"} if criterion != Criterion.GINI else set())
        for name in names:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@examples(20)
@given(seed=seeds)
def test_one_thread_equals_five(seed: int) -> None:
    case = sparse(draw_dense(seed, SUMS[seed % 4], Missing(seed // 4 % 4), 4000, 300))
    case = replace(case, growth=replace(case.growth, max_leaves=20))
    assert_same_bits(case.grow(native.Grower), case.grow(native.Grower, 5))


@pytest.mark.parametrize("kind", [native.Grower, reference.Grower])
def test_categories_and_centres_are_refused(kind: type) -> None:
    case = sparse(draw_dense(0, Criterion.SQUARED_ERROR, Missing.SURROGATE))
    with pytest.raises(ValueError, match="not a function of sums"):
        replace(case, growth=replace(case.growth, criterion=Criterion.ABSOLUTE_ERROR)).grow(kind)
    with pytest.raises(ValueError, match="numbers only"):
        replace(case, n_levels=case.n_levels + 3).grow(kind)


def test_native_code_refuses_columns_that_are_not_there() -> None:
    table = SparseTable.of_dense(np.array([[0.0, 2.0], [1.0, 3.0]]))
    for wrong in (replace(table, column=table.column + 1), replace(table, column=table.column * 0)):
        with pytest.raises(ValueError, match="column"):
            native.Grower(wrong, np.zeros(2, np.int32), np.ones(2))
    with pytest.raises(ValueError, match="begin must rise"):
        native.Grower(replace(table, begin=table.begin[::-1].copy()), np.zeros(2, np.int32), np.ones(2))
