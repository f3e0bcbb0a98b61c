"""Both C4.5 growers: the same trees, and the laws of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood.kernels import native, reference
from softwood.kernels.contracts.c45 import C45Grown, C45Growth

N_LEVELS = np.array([0, 3, 0, 6], np.int32)
GROWERS = {"native": native.grow_c45, "reference": reference.grow_c45}
seeds = st.integers(0, 2**32 - 1)


def table(seed: int, n: int, missing: float) -> tuple[Any, Any]:
    """Numbers with ties, categories, and classes that depend on both."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 12, n), rng.integers(0, 3, n), rng.normal(size=n), rng.integers(0, 6, n)])
    code = (X[:, 0] / 6 + (X[:, 3] % 2) + rng.normal(0, 0.4, n) > 1).astype(np.int32) + (X[:, 1] == 2)
    X[rng.random(X.shape) < missing] = np.nan
    return X.astype(np.float64), code.astype(np.int32)


def assert_same(one: C45Grown, other: C45Grown) -> None:
    for name in ("first_child", "n_children", "feature", "group_begin", "group", "default", "threshold"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name in ("fraction", "value", "gain"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-9, err_msg=name)


@given(seeds, st.integers(1, 120), st.sampled_from([0.0, 0.1, 0.6]), st.booleans(), st.sampled_from([0.5, 2.0, 10.0]))
def test_native_equals_reference(seed: int, n: int, missing: float, subsets: bool, min_cases: float) -> None:
    X, code = table(seed, n, missing)
    weight = np.random.default_rng(seed).integers(0, 3, n).astype(np.float64)
    weight[0] = 1.0
    growth = C45Growth(min_cases, subsets)
    assert_same(*(grow(X, N_LEVELS, code, weight, 3, growth) for grow in GROWERS.values()))


@pytest.mark.parametrize("grow", GROWERS.values(), ids=list(GROWERS))
def test_weight_two_is_a_row_twice_and_zero_its_absence(grow: Any) -> None:
    X, code = table(3, 90, 0.1)
    times = np.random.default_rng(3).integers(0, 3, 90)
    rows = np.repeat(np.arange(90), times)
    one = grow(X, N_LEVELS, code, times.astype(np.float64), 3, C45Growth())
    assert len(one.value) > 5
    assert_same(one, grow(X[rows], N_LEVELS, code[rows], np.ones(len(rows)), 3, C45Growth()))


def test_one_thread_equals_five() -> None:
    X, code = table(5, 6000, 0.05)
    one, five = (native.grow_c45(X, N_LEVELS, code, np.ones(6000), 3, C45Growth(), n) for n in (1, 5))
    for name in vars(one):
        np.testing.assert_array_equal(getattr(one, name), getattr(five, name), name)


@pytest.mark.parametrize("grow", GROWERS.values(), ids=list(GROWERS))
def test_subsets_join_categories_that_say_the_same(grow: Any) -> None:
    X = np.repeat(np.arange(4.0), 10)[:, None]
    code = np.isin(X[:, 0], [1, 3]).astype(np.int32)
    levels = np.array([4], np.int32)
    each, joined = (grow(X, levels, code, np.ones(40), 2, C45Growth(subsets=s)) for s in (False, True))
    assert each.n_children[0] == 4
    assert joined.n_children[0] == 2
    np.testing.assert_array_equal(joined.group, [0, 1, 0, 1])


@pytest.mark.parametrize("grow", GROWERS.values(), ids=list(GROWERS))
def test_an_identifier_does_not_win_by_its_many_values(grow: Any) -> None:
    rng = np.random.default_rng(0)
    useful = rng.integers(0, 2, 40)
    code = np.where(rng.random(40) < 0.9, useful, 1 - useful).astype(np.int32)
    X = np.column_stack([np.arange(40), useful]).astype(np.float64)
    grown = grow(X, np.array([40, 2], np.int32), code, np.ones(40), 2, C45Growth())
    assert grown.feature[0] == 1


@pytest.mark.parametrize("grow", GROWERS.values(), ids=list(GROWERS))
def test_no_weight_is_refused(grow: Any) -> None:
    with pytest.raises(ValueError, match="a row of weight > 0"):
        grow(np.zeros((2, 4)), N_LEVELS, np.zeros(2, np.int32), np.zeros(2), 2, C45Growth())
