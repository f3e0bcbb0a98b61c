"""Columns of a sparse table: centred, scaled by the stored values, the same in any unit."""

import numpy as np
import pytest

from softwood.kernels.kinds import Loss
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.soft.columns.sparse_design import stored_design
from softwood.learners.soft.columns.sparse_rows import stored_columns, stored_engine, stored_split_features
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.sparse_ablation import stored_ablation


def table(n=80, columns=7):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((n, columns)) < 0.8, 0.0, rng.integers(1, 4, (n, columns)).astype(float))
    X[:, 0], X[:, 1] = 2.0, 0.0  # one value, and none
    X[:, 2] = 100.0 + rng.normal(size=n)  # all rows store it
    X[:, 3], X[4, 3] = 0.0, 7.0  # one row does
    return X, rng.uniform(0.5, 2.0, n)


def test_columns_are_centred_and_as_large_as_what_is_stored():
    X, weight = table()
    design = stored_design(SparseTable.of_dense(X), weight)
    assert design.feature.tolist() == [2, 4, 5, 6]
    phi = design.make(X)
    np.testing.assert_allclose(np.average(phi, axis=0, weights=weight), 0.0, atol=1e-9)
    stored = np.average(X[:, design.feature] != 0, axis=0, weights=weight)
    np.testing.assert_allclose(np.average(phi**2, axis=0, weights=weight), stored, rtol=1e-6)


def test_units_do_not_matter():
    X, weight = table()
    unit = np.array([1.0, 1.0, 1e-200, 3.0, 1e200, 0.01, 7.0])
    plain, scaled = (stored_design(SparseTable.of_dense(one), weight) for one in (X, X * unit))
    np.testing.assert_allclose(scaled.make(X * unit), plain.make(X), rtol=1e-9, atol=1e-9)


def test_missing_values_count_as_the_mean_and_have_an_indicator():
    X, weight = table()
    X[::9, 5] = np.nan
    thin = SparseTable.of_dense(X)
    design = stored_design(thin, weight)
    assert design.feature.tolist() == [2, 4, 5, 6, 5]
    phi = design.make(X)
    np.testing.assert_allclose(phi[::9, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.average(phi, axis=0, weights=weight), 0.0, atol=1e-9)
    assert len(set(phi[:, 4])) == 2
    np.testing.assert_allclose(stored_columns(thin, design).sums(np.eye(5)), phi, atol=1e-12)


def test_numbers_that_doubles_hold_no_weight_for_are_refused():
    X, weight = table()
    with pytest.raises(ValueError, match=r"column 4 .* up to 3e\+304"):
        stored_design(SparseTable.of_dense(X * np.array([1, 1, 1, 1, 1e304, 1, 1])), weight)


def test_some_columns_are_columns_of_all():
    X, weight = table()
    X[::7, 6] = np.nan
    thin = SparseTable.of_dense(X)
    design = stored_design(thin, weight)
    some = design.only(np.isin(np.arange(7), [4, 6]))
    np.testing.assert_allclose(stored_columns(thin, some).sums(np.eye(3)), some.make(X), atol=1e-12)


def test_gates_start_half_way_to_what_is_stored():
    X, weight = table()
    thin = SparseTable.of_dense(X)
    design = stored_design(thin, weight)
    features = stored_split_features(thin, design)
    for place, f in enumerate(design.feature):
        middle = X[X[:, f] != 0, f].mean() / 2
        np.testing.assert_allclose(features.cut[place], [middle])
        np.testing.assert_allclose(features.at_cut[place], design.of_input(f, np.array([middle]), np.array([place]))[0])


@pytest.mark.parametrize("missing", [False, True])
def test_ablation_is_the_loss_without_an_input(missing):
    X, weight = table()
    if missing:
        X[::9, 5] = np.nan
    rng, thin = np.random.default_rng(2), SparseTable.of_dense(X)
    design = stored_design(thin, weight)
    rows = Dataset(thin, (X[:, 4:5] > 0).astype(float), weight, [0] * 7, Loss.LOGISTIC)
    tree = SoftTreeParams.root(np.zeros(1), len(design), "own")
    tree = tree.split(0, rng.normal(size=len(design) + 1), np.ones(1), -np.ones(1))
    tree = tree.with_parameters(rng.normal(size=len(tree.parameters)))
    found = stored_ablation(tree, design, rows)
    base = tree.loss(stored_engine(rows, design))
    for f in range(7):
        held = X.copy()
        if f not in design.feature:
            assert found[f] == 0.0
            continue
        if f == 2:  # all rows store it: held at the mean
            held[:, f] = np.average(X[:, f], weights=weight)
        else:
            held[:, f] = 0.0
        without = Dataset(SparseTable.of_dense(held), rows.target, weight, [0] * 7, Loss.LOGISTIC)
        np.testing.assert_allclose(found[f], tree.loss(stored_engine(without, design)) - base, atol=1e-9)
