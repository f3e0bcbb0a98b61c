"""Fits of a sparse matrix, each in its own process: `python -m bench.speed.sparse NAME ROWS KIND`.

Like the words of texts: drawn by a power law, 40 a text of 20,000; the class is the sign of a sum over 40 of the 400
most frequent ones, with noise. Counts have few distinct values, weighted words (tf-idf) have as many as are stored. In
the table of two regions other words count where one of three frequent ones is there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.tree import DecisionTreeClassifier

from bench.speed.memory import peak_bytes
from softwood import CARTClassifier, SoftTreeClassifier

WORDS, LENGTH = 20_000, 40
KINDS = ("counts", "tf-idf", "regions")


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1)


FITS: dict[str, Callable[[], Any]] = {
    "CART, not pruned, no surrogates": lambda: CARTClassifier(prune=None, max_surrogates=0),
    "CART, our defaults (ten folds prune, surrogates)": CARTClassifier,
    "CART, our defaults, 16 bins": lambda: CARTClassifier(max_bins=16),
    "soft tree, our defaults": SoftTreeClassifier,
    "soft tree, quick": lambda: SoftTreeClassifier(effort="quick"),
    "scikit-learn's tree, not pruned": lambda: DecisionTreeClassifier(random_state=0),
    "LightGBM, its defaults (100 trees)": _lightgbm,
    "scikit-learn's logistic regression (its defaults, 1,000 iterations)": lambda: LogisticRegression(max_iter=1_000),
    "scikit-learn's logistic regression, L1 (C = 0.3)": lambda: LogisticRegression(
        C=0.3, l1_ratio=1.0, solver="liblinear"
    ),
    "scikit-learn's SGDClassifier, log loss": lambda: SGDClassifier(loss="log_loss", random_state=0),
}


@dataclass(frozen=True)
class Fit:
    """CPU seconds, peak in MB above the matrix, MB that the matrix stores, leaves, words looked at, part
    misclassified.
    """

    seconds: float
    peak: float
    stored: float
    leaves: int
    words: int
    error: float


def fit_of(name: str, n: int, kind: str) -> Fit:
    """Fit n rows of a kind of table in a process of its own."""
    command = [sys.executable, "-m", "bench.speed.sparse", name, str(n), kind]
    return Fit(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def make_texts(n: int, kind: str) -> tuple[Any, npt.NDArray[np.bool_]]:
    """A sparse matrix (texts, words) and the class of every text."""
    rng = np.random.default_rng(0)
    frequency = np.arange(1, WORDS + 1) ** -0.8
    length = rng.poisson(LENGTH, n) + 1
    cells = np.repeat(np.arange(n), length), rng.choice(WORDS, length.sum(), p=frequency / frequency.sum())
    X = sparse.csr_matrix((np.ones(len(cells[0])), cells), shape=(n, WORDS))
    X.sum_duplicates()
    score = X @ _few_words(rng)
    if kind == "regions":
        inside = np.asarray(X[:, [2, 5, 9]].sum(axis=1)).ravel() > 0
        score = np.where(inside, score, X @ _few_words(rng))
    y = score + 0.5 * rng.normal(size=n) > np.median(score)
    if kind == "tf-idf":
        X.data *= np.log(n / np.maximum(np.bincount(X.indices, minlength=WORDS), 1.0))[X.indices]
        X = sparse.csr_matrix(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # scikit-learn takes no others
    return X, y


def _few_words(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    weight = np.zeros(WORDS)
    weight[rng.choice(400, 40, replace=False)] = 2.0 * rng.normal(size=40)
    return weight


def _words(model: Any) -> int:
    """How many words a model looks at."""
    if hasattr(model, "coef_"):
        return int(np.count_nonzero(model.coef_))
    if isinstance(model, CARTClassifier | SoftTreeClassifier):
        return len(np.union1d(model.tree_.feature[model.tree_.feature >= 0], model.tree_.basis.feature))
    return int(np.count_nonzero(model.feature_importances_))


def _leaves(model: Any) -> int:
    return int(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else 1 if hasattr(model, "coef_") else 31 * 100


def _measure(name: str, n: int, kind: str) -> Fit:
    model = FITS[name]()
    X, y = make_texts(n * 5 // 4, kind)
    model.fit(X[:100, :50], y[:100])  # all that is imported late is there now
    fresh, answer, X, y = X[n:], y[n:], X[:n].copy(), y[:n]
    before, start = peak_bytes(), time.process_time()
    model.fit(X, y)
    seconds, peak = time.process_time() - start, (peak_bytes() - before) / 1e6
    stored = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 1e6
    error = float(np.mean(model.predict(fresh) != answer))
    return Fit(seconds, peak, stored, _leaves(model), _words(model), error)


if __name__ == "__main__":
    print(json.dumps(asdict(_measure(sys.argv[1], int(sys.argv[2]), sys.argv[3]))))
