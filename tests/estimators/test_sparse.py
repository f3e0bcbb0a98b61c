"""Sparse matrices: the same tree as the dense table, predictions in blocks of rows, a memory limit with a message."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from softwood import (
    BuddingTreeRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeClassifier,
    MixtureOfExpertsRegressor,
    OmnivariateTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
    kernels,
)
from softwood.intake import row_blocks
from softwood.intake.cells import sparse_rows
from softwood.kernels.sparse import table as sparse_table

BRIEF = {"gate": "linear", "leaf": "constant", "weight_penalty": 0.01, "max_leaves": 3}
CASES = [
    (CARTClassifier, {}),
    (CARTRegressor, {}),
    (C45Classifier, {}),
    (LinearDiscriminantTreeClassifier, {}),
    (OmnivariateTreeClassifier, {}),
    (SoftTreeClassifier, BRIEF),
    (SoftTreeRegressor, BRIEF),
    (BuddingTreeRegressor, {"learner": "online", "max_epochs": 2, "max_nodes": 3}),
    (MixtureOfExpertsRegressor, {"depth": 1, "n_init": 1}),
]
FORMATS = [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix]


def rows(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, 6)) < 0.7, 0.0, rng.integers(1, 5, (n, 6)))
    return X, X[:, 0] - 2.0 * X[:, 1] + 0.3 * rng.normal(size=n)


@pytest.mark.fewer(12)
@pytest.mark.parametrize(("kind", "how"), CASES, ids=lambda case: getattr(case, "__name__", ""))
@pytest.mark.parametrize("make", FORMATS)
def test_a_sparse_table_is_the_dense_one(kind, how, make):
    X, y = rows()
    y = (y > 0).astype(int) if kind.__name__.endswith("Classifier") else y
    dense, thin = kind(**how).fit(X, y), kind(**how).fit(make(X), y)
    assert np.array_equal(dense.predict(X), thin.predict(make(X)))
    assert np.array_equal(dense.apply(X), thin.apply(make(X)))


@pytest.mark.parametrize("kind", [CARTClassifier, SoftTreeClassifier])
def test_large_matrices_are_answered_in_blocks(kind, monkeypatch):
    X, y = rows(400)
    model = kind(**(BRIEF if kind is SoftTreeClassifier else {})).fit(X, y > 0)
    monkeypatch.setattr(sparse_rows, "MOST_BYTES", 1)  # nothing is made dense as a whole
    monkeypatch.setattr(sparse_table, "BLOCK_NUMBERS", 6 * 33)
    whole = sparse.csr_array(X)
    for name in ("predict", "predict_proba", "apply", "predict_set"):
        assert np.array_equal(getattr(model, name)(whole), getattr(model, name)(X))
    assert [len(block) for _, block in sparse_table.SparseTable.of_dense(X).blocks()] == [33] * 12 + [4]


def test_trees_with_categories_are_answered_in_blocks(monkeypatch):
    X, y = rows(400)
    model = CARTClassifier(categorical_features=[0]).fit(X, y > 0)
    monkeypatch.setattr(row_blocks, "BLOCK_BYTES", 8 * 6 * 33)
    monkeypatch.setattr(sparse_rows, "MOST_BYTES", 8 * 6 * 50)  # more than a block, less than the matrix
    assert np.array_equal(model.predict(sparse.csr_array(X)), model.predict(X))


def test_regressors_answer_in_blocks(monkeypatch):
    X, y = rows(400)
    model = CARTRegressor().fit(sparse.csc_array(X), y)
    monkeypatch.setattr(sparse_table, "BLOCK_NUMBERS", 6 * 33)
    assert np.array_equal(model.predict(sparse.csc_array(X)), model.predict(X))
    assert np.array_equal(model.predict_interval(sparse.csc_array(X)), model.predict_interval(X))


def test_a_stored_nan_is_missing_and_what_is_not_stored_is_zero():
    X, y = rows()
    X[::7, 1] = np.nan
    assert np.array_equal(CARTRegressor().fit(sparse.csr_array(X), y).predict(X), CARTRegressor().fit(X, y).predict(X))


def test_more_than_the_bound_is_refused_before_any_work(monkeypatch):
    X, y = rows()
    monkeypatch.setattr(sparse_rows, "MOST_BYTES", 1_000)
    for model in (
        SoftTreeRegressor(gate="additive"),
        CARTRegressor(criterion="absolute_error"),
        CARTRegressor(categorical_features=[0]),
    ):
        with pytest.raises(ValueError, match=r"120 rows and 6 columns.*TruncatedSVD"):
            model.fit(sparse.csr_array(X), y)
    CARTRegressor().fit(sparse.csr_array(X), y)  # learns from the matrix as it is


@pytest.mark.fewer(12)
@pytest.mark.parametrize("missing", ["surrogate", "direction", "fraction", "mean", "category"])
@pytest.mark.parametrize(("kind", "how"), [
    (CARTClassifier, {}), (CARTClassifier, {"class_weight": "balanced", "criterion": "entropy"}),
    (CARTClassifier, {"prune": None, "max_leaves": 7, "smoothing": "laplace"}), (CARTRegressor, {}),
    (CARTRegressor, {"monotonic_cst": {0: 1, 1: -1}}), (CARTRegressor, {"max_bins": 8, "cv": 5}),
    (CARTRegressor, {"criterion": "poisson"}),
])  # fmt: skip
def test_cart_learns_the_tree_of_the_array(kind, how, missing):
    """For any options: sums by subtraction differ from sums over rows only in the last digits of gains."""
    X, y = rows(300)
    X[5::9, 2], X[3::8, 0] = np.nan, -1.0
    weight = np.where(np.arange(300) % 3, 1.0, 2.0)
    y = (y > 0).astype(int) if kind is CARTClassifier else np.maximum(y, 0.0) if "criterion" in how else y
    dense = kind(missing=missing, **how).fit(X, y, weight)
    thin = kind(missing=missing, **how).fit(sparse.csc_array(X), y, weight)
    one, other = dense.tree_, thin.tree_
    for name in ("first_child", "feature", "threshold", "default", "count"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True), name
    for name in ("response", "impurity", "gain"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-12, err_msg=name)
    np.testing.assert_array_equal(one.surrogates.feature, other.surrogates.feature)
    np.testing.assert_array_equal(one.surrogates.threshold, other.surrogates.threshold)
    np.testing.assert_allclose(dense.pruning_table_.tested_error, thin.pruning_table_.tested_error, rtol=1e-12)
    assert one.schema == other.schema
    np.testing.assert_allclose(dense.predict(X), thin.predict(sparse.csr_array(X)), rtol=1e-12)


def test_cart_chooses_by_sparse_rows_held_out():
    X, y = rows(300)
    half = slice(0, 150), slice(150, 300)
    dense = CARTRegressor(prune="validation").fit(X[half[0]], y[half[0]], X_val=X[half[1]], y_val=y[half[1]])
    held = sparse.csr_array(X[half[1]])
    thin = CARTRegressor(prune="validation").fit(sparse.csr_array(X[half[0]]), y[half[0]], X_val=held, y_val=y[half[1]])
    assert np.array_equal(dense.predict(X), thin.predict(X))
    calibrated = thin.calibrate(held, y[half[1]]).predict_interval(held)
    assert np.allclose(dense.calibrate(X[half[1]], y[half[1]]).predict_interval(X[half[1]]), calibrated)


@pytest.mark.long
@pytest.mark.skipif(kernels.kernels == "reference", reason="the reference goes over 2,000,000 columns one by one")
def test_a_matrix_far_larger_than_memory_is_learned():
    rng = np.random.default_rng(0)
    n, columns = 3_000, 500_000  # 12 GB as an array
    row, column = np.repeat(np.arange(n), 5), rng.integers(0, columns, 5 * n)
    told = rng.random(n) < 0.5
    row, column = np.append(row, np.flatnonzero(told)), np.append(column, np.full(told.sum(), 123_456))
    X = sparse.coo_array((np.ones(len(row)), (row, column)), shape=(n, columns))
    model = CARTClassifier(max_depth=3, prune=None).fit(X, told)
    assert model.tree_.feature[0] == 123_456
    assert np.array_equal(model.predict(X), told)


def test_the_matrix_stays_as_it_is_and_may_store_zeros_and_a_cell_twice():
    X, y = rows()
    cells = np.nonzero(np.ones_like(X))
    halves = sparse.csr_array((np.repeat(X[cells] / 2, 2), tuple(np.repeat(part, 2) for part in cells)), shape=X.shape)
    twice = sparse.csr_array(
        (np.repeat(X[cells] / 2, 2), np.repeat(cells[1], 2), np.arange(0, 2 * X.size + 1, 2 * X.shape[1])),
        shape=X.shape,
    )
    before = twice.data.copy()
    assert np.array_equal(CARTRegressor().fit(twice, y).predict(twice), CARTRegressor().fit(halves, y).predict(X))
    assert np.array_equal(twice.data, before)
    assert twice.nnz == 2 * X.size


def test_infinity_is_refused_by_its_place():
    X, y = rows()
    X[7, 2] = np.inf
    with pytest.raises(ValueError, match=r"column 'x2', row 7 is inf"):
        CARTRegressor().fit(sparse.csr_array(X), y)


def test_words_in_a_pipeline():
    text = [
        "cheap pills now",
        "meeting at noon",
        "cheap cheap offer",
        "lunch at noon",
        "pills offer",
        "meeting notes",
    ] * 5
    spam = [1, 0, 1, 0, 1, 0] * 5
    model = make_pipeline(CountVectorizer(), CARTClassifier(prune=None)).fit(text, spam)
    assert model.predict(["offer of cheap pills", "notes of the meeting"]).tolist() == [1, 0]
