"""The native grower against the reference: the same tree on small tables of every kind.

Tables of small integers have many exact ties, which both must break equally; continuous ones test the arithmetic.
A table is drawn from a seed, so a failing example is one number.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood.kernels import reference
from softwood.kernels.contracts.growth import Grown, Growth, SurrogateTable, Target
from softwood.kernels.contracts.level_slots import EVERY_LEVEL, fill_levels
from softwood.kernels.kinds import Criterion, Missing

if os.environ.get("SOFTWOOD_KERNELS") == "reference":
    pytest.skip("SOFTWOOD_KERNELS=reference: the native kernels are not to be used", allow_module_level=True)

from softwood.kernels import native
from tests.examples import examples

seeds = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Case:
    """A table, its target, and the rules."""

    X: Any
    n_levels: Any
    target: Target
    growth: Growth
    max_bins: int

    def grower(self, kind: Any, n_threads: int = 1) -> Any:
        return kind(self.X, self.n_levels, self.target.weight, self.max_bins, n_threads)

    def grow(self, kind: Any, n_threads: int = 1) -> Grown:
        return self.grower(kind, n_threads).grow(self.target, self.growth)


def draw_case(seed: int, n_rows: int = 60, criterion: Criterion | None = None, missing: Missing | None = None) -> Case:
    """A random table and random rules."""
    rng = np.random.default_rng(seed)
    n, exact = int(rng.integers(1, n_rows + 1)), bool(rng.random() < 0.5)
    n_features = int(rng.integers(1, 6))
    n_levels = rng.choice([0, 0, 0, 2, 4, 9, 14], n_features).astype(np.int32)
    X = draw_table(rng, n, n_levels, exact)
    criterion = Criterion(rng.integers(len(Criterion))) if criterion is None else criterion
    target = draw_target(rng, X, criterion, exact)
    missing = Missing(rng.integers(4)) if missing is None else missing
    growth = draw_growth(rng, n_levels, criterion, missing)
    every_level = 0 if seed % 3 == 0 else EVERY_LEVEL  # some name the levels that their gates place
    growth = replace(growth, parameter=draw_parameter(rng, target.y, criterion, exact), every_level=every_level)
    return Case(X, n_levels, target, growth, int(rng.choice([0, 0, 2, 5, 200])))


def draw_table(rng: np.random.Generator, n: int, n_levels: Any, exact: bool) -> Any:
    shape = n, len(n_levels)
    X = rng.integers(0, 5, shape).astype(float) if exact else rng.normal(size=shape) * rng.choice([1.0, 1e4])
    if rng.random() < 0.3:
        X[:, -1] = X[:, 0]  # two features that split the rows equally
    for feature in np.flatnonzero(n_levels):
        X[:, feature] = rng.integers(0, n_levels[feature], n)
    if rng.random() < 0.6:
        X[rng.random(shape) < rng.choice([0.1, 0.5], shape[1])] = np.nan
    return X


def draw_target(rng: np.random.Generator, X: Any, criterion: Criterion, exact: bool) -> Target:
    n = len(X)
    weight = rng.choice([0.0, 1.0, 2.0, 3.0], n) if exact else rng.random(n)
    weight = np.ones(n) if rng.random() < 0.5 else weight
    weight[0] = max(weight[0], 1.0)
    seen = np.nan_to_num(X).sum(axis=1) / (1 + np.abs(np.nan_to_num(X)).max())
    if criterion >= Criterion.SQUARED_ERROR:
        y = seen[:, None] * rng.integers(0, 2) + rng.normal(size=(n, int(rng.integers(1, 4))))
        y = np.round(y) if exact else y * 10.0 ** rng.integers(-3, 5)
        return Target(np.maximum(y, 0.0) if criterion == Criterion.POISSON else y, weight)
    k = int(rng.integers(2, 5))
    y = np.clip(np.round(seen * rng.integers(0, 2) + rng.normal(size=n)) + k // 2, 0, k - 1).astype(np.int32)
    factor = rng.choice([0.5, 1.0, 3.0] if exact else rng.random(4) + 0.1, k) if rng.random() < 0.4 else np.zeros(0)
    return Target(y, weight, k, factor)


def draw_parameter(rng: np.random.Generator, y: Any, criterion: Criterion, exact: bool) -> Any:
    """A quantile of each target, or huber's width about their spread: small, and larger than any distance."""
    if criterion == Criterion.QUANTILE:
        return rng.choice([0.1, 0.5, 0.75, 0.9], y.shape[1]) if exact else rng.uniform(0.02, 0.98, y.shape[1])
    if criterion == Criterion.HUBER:
        wide = rng.choice([0.5, 1.0, 2.0], y.shape[1]) if exact else rng.choice([0.03, 0.5, 1.0, 10.0], y.shape[1])
        return wide if exact else wide * (np.std(y, axis=0) + 1e-3)
    return np.zeros(0)


def draw_growth(rng: np.random.Generator, n_levels: Any, criterion: Criterion, missing: Missing) -> Growth:
    def sometimes(value: Any, otherwise: Any) -> Any:
        return value if rng.random() < 0.3 else otherwise

    signs = np.where(n_levels > 0, 0, rng.integers(-1, 2, len(n_levels))).astype(np.int8)
    return Growth(
        criterion,
        max_depth=sometimes(int(rng.integers(0, 4)), 2**31 - 1),
        max_leaves=sometimes(int(rng.integers(1, 9)), 0),
        min_samples_split=sometimes(float(rng.integers(2, 20)), 2.0),
        min_samples_leaf=sometimes(float(rng.choice([0.0, 2.0, 5.0])), 1.0),
        min_impurity=sometimes(float(rng.random() / 4), 0.0),
        min_impurity_decrease=sometimes(float(rng.random() / 50), 0.0),
        missing=missing,
        max_surrogates=sometimes(int(rng.integers(0, 3)), 5),
        monotone=sometimes(signs, np.zeros(0, np.int8)),
    )


def assert_same(ours: Grown, theirs: Grown, scale: float) -> None:
    """Gates to the bit, numbers to 1e-12 of the target's scale."""
    for name in ("first_child", "feature", "threshold", "group_begin", "group", "group_level", "default"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in ("fraction", "count", "value", "impurity", "gain", "lower", "upper"):
        one, other = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * scale, err_msg=name)
    assert_same_surrogates(ours.surrogates, theirs.surrogates)


def assert_same_bits(one: Grown, other: Grown) -> None:
    """Every array, surrogates too."""
    for field in fields(Grown):
        if field.name != "surrogates":
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)
    for field in fields(SurrogateTable):
        np.testing.assert_array_equal(getattr(one.surrogates, field.name), getattr(other.surrogates, field.name))


def assert_same_surrogates(ours: SurrogateTable, theirs: SurrogateTable) -> None:
    for field in fields(SurrogateTable):
        one, other = getattr(ours, field.name), getattr(theirs, field.name)
        near = 1e-12 if field.name in ("agreement", "adjusted") else 0.0
        np.testing.assert_allclose(one, other, rtol=0, atol=near, err_msg=field.name)


def scale_of(case: Case) -> float:
    """The scale of rounding errors: weight times squared size of the target."""
    return float(case.target.weight.sum() * max(1.0, np.abs(case.target.y).max()) ** 2)


def assert_twins(case: Case) -> None:
    ours, theirs = case.grow(native.Grower), case.grow(reference.Grower)
    assert_same(ours, theirs, scale_of(case))
    signs = case.growth.monotone
    growers = [case.grower(kind) for kind in (native.Grower, reference.Grower)]
    every = case.growth.every_level
    assert_same_surrogates(*(grower.surrogates(theirs, case.target, 5, signs, every) for grower in growers))


@pytest.mark.fewer(16)
@pytest.mark.parametrize("missing", list(Missing))
@pytest.mark.parametrize("criterion", list(Criterion))
@examples(25)
@given(seed=seeds)
def test_native_equals_reference(criterion: Criterion, missing: Missing, seed: int) -> None:
    assert_twins(draw_case(seed, criterion=criterion, missing=missing))


@examples(25)
@given(seed=seeds)
def test_native_equals_reference_on_more_rows(seed: int) -> None:
    assert_twins(draw_case(seed, n_rows=600))


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.ENTROPY, Criterion.SQUARED_ERROR, Criterion.POISSON])
@pytest.mark.parametrize("missing", list(Missing))
def test_native_equals_reference_where_histograms_are_kept(criterion: Criterion, missing: Missing) -> None:
    """Large nodes are counted by bins, and one child's counts are the parent's minus its sibling's."""
    case = draw_case(int(missing) + 7, 9000, criterion, missing)
    assert_twins(replace(case, max_bins=64, growth=replace(case.growth, max_depth=3)))


@examples(40)
@given(seed=seeds, n_rows=st.sampled_from([60, 600, 40_000]))
def test_one_thread_equals_five(seed: int, n_rows: int) -> None:
    case = draw_case(seed, n_rows, Criterion(seed % 4))  # absolute_error takes too long on many rows
    assert_same_bits(case.grow(native.Grower), case.grow(native.Grower, 5))


@examples(50)
@given(seed=seeds, missing=st.sampled_from(Missing))
def test_named_levels_are_the_same_tree(seed: int, missing: Missing) -> None:
    """A gate that lists its levels, and one with a slot for every level, place the same levels."""
    case = draw_case(seed, missing=missing)
    every, named = (
        replace(case, growth=replace(case.growth, every_level=most)).grow(native.Grower) for most in (EVERY_LEVEL, 0)
    )
    for name in ("first_child", "feature", "threshold", "default", "fraction", "count", "value", "gain"):
        np.testing.assert_array_equal(getattr(every, name), getattr(named, name), err_msg=name)
    for full, short in ((every, named), (every.surrogates, named.surrogates)):
        n_levels = np.where(full.feature >= 0, case.n_levels[full.feature], 0)
        filled = fill_levels(short.group_begin, short.group, short.group_level, n_levels)
        for one, other in zip(filled, (full.group_begin, full.group, full.group_level), strict=True):
            np.testing.assert_array_equal(one, other)


@examples(50)
@given(seed=seeds)
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    case = draw_case(seed)
    order = np.random.default_rng(seed).permutation(len(case.X))
    target = Target(case.target.y[order], case.target.weight[order], case.target.n_classes, case.target.class_factor)
    shuffled = Case(case.X[order], case.n_levels, target, case.growth, case.max_bins)
    assert_same(shuffled.grow(native.Grower), case.grow(native.Grower), scale_of(case))
