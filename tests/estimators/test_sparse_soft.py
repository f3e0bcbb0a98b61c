"""Soft trees learn from large sparse matrices without conversion."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse

from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.intake.cells import sparse_rows
from softwood.kernels.sparse.table import SparseTable

HOW = {"gate": "linear", "max_leaves": 4}


@pytest.fixture
def always_sparse(monkeypatch):
    """Treat small matrices like large ones."""
    monkeypatch.setattr(sparse_rows, "FEW_BYTES", -1)
    monkeypatch.setattr(sparse_rows, "MOST_PART", 1.0)


def words(n=300, columns=50, seed=0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, columns)) < 0.9, 0.0, rng.integers(1, 4, (n, columns)).astype(float))
    return X, 2.0 * X[:, 0] - 1.5 * X[:, 1] + X[:, 2] + 0.2 * rng.normal(size=n)


def as_duplicates(X):
    """Rows with every value stored as two halves, columns in falling order, 64-bit indices."""
    row, column = np.nonzero(X)
    order = np.lexsort((-column, row))
    row, column = np.repeat(row[order], 2), np.repeat(column[order], 2)
    begin = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(X)))]).astype(np.int64)
    return sparse.csr_array((X[row, column] / 2, column.astype(np.int64), begin), shape=X.shape)


def test_the_rule_is_size_and_part_stored():
    thin = sparse.csr_array((10_000, 1_000))
    assert sparse_rows.is_worth_keeping(thin)
    assert not sparse_rows.is_worth_keeping(thin[:8_000])
    rng = np.random.default_rng(0)
    assert not sparse_rows.is_worth_keeping(sparse.random_array((10_000, 1_000), density=0.2, rng=rng))


@pytest.mark.usefixtures("always_sparse")
@pytest.mark.parametrize("make", [sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix, as_duplicates])
def test_formats_do_not_matter(make):
    X, y = words()
    plain, other = SoftTreeRegressor(**HOW).fit(sparse.csr_array(X), y), SoftTreeRegressor(**HOW).fit(make(X), y)
    assert plain.tree_ == other.tree_
    assert plain.score(X, y) > 0.97
    assert {0, 1, 2} <= set(plain.tree_.basis.feature.tolist())
    assert len(plain.tree_.basis) <= 12
    np.testing.assert_array_equal(plain.predict(X), plain.predict(make(X)))
    np.testing.assert_allclose(plain.feature_importances_.sum(), 1.0)
    assert np.argmax(plain.feature_importances_) == 0


@pytest.mark.usefixtures("always_sparse")
def test_a_row_of_weight_two_is_the_row_twice():
    X, y = words(150)
    twice = np.concatenate([np.arange(150), np.arange(0, 150, 3)])
    weight = np.ones(150)
    weight[::3] = 2.0
    weighted = SoftTreeRegressor(**HOW).fit(sparse.csr_array(X), y, sample_weight=weight)
    assert weighted.tree_ == SoftTreeRegressor(**HOW).fit(sparse.csr_array(X[twice]), y[twice]).tree_
    left_out = SoftTreeRegressor(**HOW).fit(
        sparse.csr_array(X), y, sample_weight=np.where(np.arange(150) < 120, 1.0, 0.0)
    )
    assert left_out.tree_ == SoftTreeRegressor(**HOW).fit(sparse.csr_array(X[:120]), y[:120]).tree_


@pytest.mark.usefixtures("always_sparse")
@pytest.mark.parametrize(
    "how",
    [
        {"gate": "axis"},
        {"gate": "auto", "max_gate_features": 2},
        {"leaf": "constant"},
        {"effort": "quick"},
        {"weight_penalty": 0.05},
        {"readable": True, "max_leaves": 3},
        {"loss": "poisson"},
        {"loss": "absolute_error", "max_leaves": 2},
    ],
    ids=str,
)
def test_options_are_heeded(how):
    X, y = words(200, 20)
    y = np.round(np.exp(y / 3)) if how.get("loss") == "poisson" else y
    model = SoftTreeRegressor(**{"max_leaves": 4, **how}).fit(sparse.csr_array(X), y)
    constant = np.abs(y - np.median(y)).mean()
    assert np.abs(model.predict(sparse.csr_array(X)) - y).mean() < 0.8 * constant
    assert isinstance(model._rows(sparse.csr_array(X)), SparseTable)
    if "gate" in how:
        most = how.get("max_gate_features", 1)
        assert np.diff(model.tree_.weight_begin).max(initial=0) <= most


@pytest.mark.usefixtures("always_sparse")
def test_classes_validation_rows_and_missing_values():
    X, y = words(400, 30)
    code = np.digitize(y, [-0.5, 0.5])
    thin = sparse.csr_array(X)
    held = {"X_val": thin[300:], "y_val": code[300:]}
    model = SoftTreeClassifier(**HOW).fit(thin[:300], code[:300], **held)
    assert model.score(thin[300:], code[300:]) > 0.8
    dense = SoftTreeClassifier(**HOW).fit(thin[:300], code[:300], X_val=X[300:], y_val=code[300:])
    assert dense.tree_ == model.tree_
    gone = X.copy()
    gone[np.random.default_rng(1).random(X.shape) < 0.02] = np.nan
    two = SoftTreeClassifier(**HOW).fit(sparse.csr_array(gone), y > 0.8)
    assert two.score(sparse.csr_array(gone), y > 0.8) > 0.9
    np.testing.assert_array_equal(two.predict_proba(sparse.csr_array(gone)), two.predict_proba(gone))


@pytest.mark.usefixtures("always_sparse")
def test_arrays_beside_sparse_validation_rows():
    X, y = words(200, 20)
    thin = sparse.csr_array(X[150:])
    model = SoftTreeRegressor(**HOW).fit(X[:150], y[:150], X_val=thin, y_val=y[150:])
    assert model.tree_ == SoftTreeRegressor(**HOW).fit(X[:150], y[:150], X_val=X[150:], y_val=y[150:]).tree_


@pytest.mark.usefixtures("always_sparse")
@pytest.mark.parametrize("n", [1, 2, 7])
def test_little_and_nothing(n):
    X, y = words(n, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for table in (X, np.zeros_like(X), np.ones_like(X), X[:, :1]):
            model = SoftTreeRegressor(**HOW).fit(sparse.csr_array(table), y)
            assert np.isfinite(model.predict(sparse.csr_array(table))).all()
    with pytest.warns(UserWarning, match="y has one class"):
        one = SoftTreeClassifier(**HOW).fit(sparse.csr_array(X), np.zeros(n))
    assert one.predict(sparse.csr_array(X)).tolist() == [0.0] * n


@pytest.mark.usefixtures("always_sparse")
def test_files_warm_starts_and_intervals(tmp_path):
    X, y = words()
    thin = sparse.csr_array(X)
    model = SoftTreeRegressor(**HOW, warm_start=True).fit(thin, y)
    low, high = model.predict_interval(thin).T
    assert 0.8 < np.mean((low <= y) & (y <= high)) < 1.0
    nodes = model.tree_.n_nodes
    again = model.fit(thin, y)
    assert again.score(thin, y) > 0.97
    assert again.tree_.n_nodes >= nodes
    with pytest.raises(ValueError, match="warm_start=True keeps the scale of the previous rows"):
        model.fit(thin * 1e30, y)


@pytest.mark.usefixtures("always_sparse")
def test_a_warm_start_from_an_array_is_refused_in_words():
    X, y = words(200, 10)
    X[0, 0] = 100.0  # beyond eight spreads: an array clips it
    model = SoftTreeRegressor(**HOW, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="fitted to an array; a large sparse matrix has others"):
        model.fit(sparse.csr_array(X), y)
    assert model.set_params(warm_start=False).fit(sparse.csr_array(X[1:]), y[1:]).score(X[1:], y[1:]) > 0.9


def test_what_is_too_large_is_refused_in_words(monkeypatch):
    monkeypatch.setenv("SOFTWOOD_MEMORY_LIMIT", "1 GiB")  # that it is sparse comes before the machine's size
    large = sparse.csr_array((np.ones(2), ([0, 1], [5, 7])), shape=(40_000, 20_000))
    y = np.arange(40_000) % 2
    for how in ({"gate": "additive"}, {"learner": "incremental"}, {"monotonic_cst": {0: 1}}):
        with pytest.raises(ValueError, match=r"5.96 GiB .* SoftTreeClassifier .* gate 'auto', 'linear' or 'axis'"):
            SoftTreeClassifier(**how).fit(large, y)


PROGRAM = """
import resource, numpy as np
from scipy import sparse
from softwood import SoftTreeClassifier
rng = np.random.default_rng(0)
X = sparse.random_array((4_000, 50_000), density=0.0004, rng=rng, format="csr")
X = sparse.hstack([sparse.random_array((4_000, 8), density=0.3, rng=rng), X], format="csr")
y = np.asarray(X[:, [0, 1]].sum(axis=1)).ravel() > np.asarray(X[:, [2, 3]].sum(axis=1)).ravel()
SoftTreeClassifier(effort="quick").fit(X[:200, :50], y[:200])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
model = SoftTreeClassifier(max_leaves=2).fit(X, y)
assert model.score(X, y) > 0.95, model.score(X, y)
print((peak() - before) * 1024)
"""


@pytest.mark.long
def test_memory_is_far_below_the_dense_table():
    """The table would be 1.6 GB as an array; ru_maxrss is in KiB on Linux."""
    if not sys.platform.startswith("linux"):
        pytest.skip("ru_maxrss has another unit")
    told = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout
    assert int(told) < 400e6


@pytest.mark.usefixtures("always_sparse")
def test_many_rows_of_few_columns():
    """More rows than in the screening of dense trees, and more than in the search."""
    rng = np.random.default_rng(3)
    X = sparse.random_array((21_000, 10), density=0.1, rng=rng, format="csr")
    y = X[:, [0]].toarray()[:, 0] - X[:, [1]].toarray()[:, 0] + 0.01 * rng.normal(size=21_000)
    model = SoftTreeRegressor(leaf="linear", max_leaves=2, max_iter=30).fit(X, y)
    assert model.score(X, y) > 0.98
    assert model.tree_.count[0] == 21_000
