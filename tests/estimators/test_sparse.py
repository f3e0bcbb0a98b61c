"""Sparse matrices: the tree of the dense table, answers by blocks of rows, a bound on memory said in words."""

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
)
from softwood.estimators import sparse_rows

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
    whole = sparse.csr_array(X)
    sizes, read = [], sparse_rows.densified

    def watched(X):
        sizes.append(X.shape[0] if sparse.issparse(X) else 0)
        return read(X)

    monkeypatch.setattr("softwood.estimators.intake.densified", watched)
    monkeypatch.setattr(sparse_rows, "BLOCK_BYTES", 8 * 6 * 33)
    for name in ("predict", "predict_proba", "apply", "predict_set"):
        sizes.clear()
        assert np.array_equal(getattr(model, name)(whole), getattr(model, name)(X))
        assert max(sizes) == 33
    monkeypatch.setattr(sparse_rows, "MOST_BYTES", 8 * 6 * 50)  # more than a block, less than the matrix
    assert np.array_equal(model.predict(whole), model.predict(X))


def test_regressors_answer_in_blocks(monkeypatch):
    X, y = rows(400)
    model = CARTRegressor().fit(sparse.csc_array(X), y)
    monkeypatch.setattr(sparse_rows, "BLOCK_BYTES", 8 * 6 * 33)
    assert np.array_equal(model.predict(sparse.csc_array(X)), model.predict(X))
    assert np.array_equal(model.predict_interval(sparse.csc_array(X)), model.predict_interval(X))


def test_a_stored_nan_is_missing_and_what_is_not_stored_is_zero():
    X, y = rows()
    X[::7, 1] = np.nan
    assert np.array_equal(CARTRegressor().fit(sparse.csr_array(X), y).predict(X), CARTRegressor().fit(X, y).predict(X))


def test_more_than_the_bound_is_refused_before_any_work(monkeypatch):
    X, y = rows()
    monkeypatch.setattr(sparse_rows, "MOST_BYTES", 1_000)
    with pytest.raises(ValueError, match=r"120 rows and 6 columns.*TruncatedSVD"):
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
