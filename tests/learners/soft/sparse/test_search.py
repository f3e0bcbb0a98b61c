"""The joint learner on sparse rows: the same tree as with dense columns, and a known truth."""

import numpy as np
import pytest
from scipy import sparse

from softwood.kernels.kinds import Loss
from softwood.kernels.sparse.stored_rows import StoredColumns
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.soft.learn import learn_joint
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree import Schema


class DenseColumns(StoredColumns):
    """The same columns as an array: the reference for the sparse ones."""

    @property
    def phi(self):
        return self.stored.toarray() + self.shift

    def sums(self, weight):
        return self.phi @ weight

    def products(self, rows):
        return self.phi.T @ rows

    def squares(self, weight):
        return weight @ np.square(self.phi)

    def present(self, rows):
        return (self.stored.toarray() != 0.0).T.astype(float) @ rows


def make_regions(n=1500, words=60, seed=0):
    """One of two sums of words counts, depending on whether one of three other words occurs."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, words)) < 0.85, 0.0, 1.0)
    inside = X[:, :3].any(axis=1)
    score = np.where(inside, X[:, 3:8].sum(axis=1), -X[:, 3:8].sum(axis=1))
    return X, 2.0 * score, inside


def dataset(X, target, loss):
    return Dataset(SparseTable.of_dense(X), target[:, None], np.ones(len(X)), [0] * X.shape[1], loss)


@pytest.mark.parametrize("leaf", ["linear", "constant"])
def test_sparse_rows_learn_the_tree_of_the_same_columns_as_arrays(leaf, monkeypatch):
    X, score, _ = make_regions(400, 20)
    rows, schema = dataset(X, score, Loss.SQUARED), Schema.plain(20, 1)
    how = JointOptions(gate="linear", leaf=leaf, penalty=0.03, max_leaves=2, max_iter=20)
    thin = learn_joint(rows, schema, how, None).tree
    make = StoredColumns.make.__func__
    monkeypatch.setattr(StoredColumns, "make", classmethod(lambda cls, *args: make(DenseColumns, *args)))
    dense = learn_joint(rows, schema, how, None).tree
    assert dense.n_nodes == thin.n_nodes == 3
    for name in ("weight", "bias", "slope", "response", "gain"):
        np.testing.assert_allclose(getattr(thin, name), getattr(dense, name), rtol=1e-9, atol=1e-9)


def test_a_truth_of_two_regions_is_found_among_many_words():
    X, score, _ = make_regions()
    rng = np.random.default_rng(1)
    noise = sparse.random_array((len(X), 2000), density=0.01, rng=rng, format="csr")
    noise.data[:] = 1.0
    both = sparse.hstack([sparse.csr_array(X), noise], format="csr")
    table = SparseTable(both.indptr.astype(np.int64), both.indices.astype(np.int32), both.data, both.shape[1])
    found = learn_joint(
        Dataset(table, score[:, None] + 0.3 * rng.normal(size=(len(X), 1)), np.ones(len(X)), [0] * 2060, Loss.SQUARED),
        Schema.plain(2060, 1),
        JointOptions(gate="linear", leaf="linear", max_leaves=3),
        None,
    )
    used = np.unique(found.tree.basis.feature)
    assert set(range(8)) <= set(used.tolist())
    assert len(used) <= 16
    fresh, truth, _ = make_regions(2000, seed=5)
    answer = found.tree.predict(np.column_stack([fresh, np.zeros((2000, 2000))]))[:, 0]
    assert np.mean((answer - truth) ** 2) < 0.1 * np.var(truth)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_tables_of_nothing(n):
    rows = Dataset(
        SparseTable.of_dense(np.zeros((n, 3))), np.arange(float(n))[:, None], np.ones(n), [0] * 3, Loss.SQUARED
    )
    found = learn_joint(rows, Schema.plain(3, 1), JointOptions(gate="linear"), None)
    assert found.tree.n_nodes == 1
    np.testing.assert_allclose(found.tree.predict(np.zeros((1, 3))), [[np.arange(float(n)).mean()]])
