"""Base class of all estimators that contain a tree, whichever learner grew it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.intervals import IntervalPrediction, SetPrediction
from softwood.estimators.base.lazy_answers import answer_lazily
from softwood.estimators.base.notebook import ShownInNotebook
from softwood.intake.classify import is_dask
from softwood.intake.options import threads
from softwood.intake.row_blocks import in_row_blocks
from softwood.intake.table.table import read_predict, read_sparse
from softwood.kernels.kinds import Link, Missing
from softwood.kernels.sparse.table import SparseTable
from softwood.release import __version__
from softwood.tree import HeldOut, Provenance, Tree
from softwood.tree.gain import gain_importances
from softwood.tree.provenance import json_value

PLAIN = (str, bool, int, type(None))  # types of parameters that need no conversion to JSON
FEW_ROWS = 64  # predicted in one thread, before joblib is asked for the number of threads


class RowCount(NamedTuple):
    """Rows of weight > 0, and the sum of their weights."""

    n_rows: int
    weight: float


class TreeEstimator(ShownInNotebook, BaseEstimator):
    """Base of all estimators: after fit `tree_` holds the tree with its schema."""

    tree_: Tree
    n_jobs: int | None
    _parameter_names: tuple[str, ...]
    _engines: tuple[str, ...] = ("memory",)  # the engines it supports (engine.py)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Names of the parameters, cached: scikit-learn reads the signature in every `get_params` and `clone`."""
        if "_parameter_names" not in vars(cls):
            cls._parameter_names = tuple(super()._get_param_names())
        return list(cls._parameter_names)

    @in_row_blocks
    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """The leaf each row ends in (in a soft tree: the node that keeps most of it), as node id of `tree_`."""
        check_is_fitted(self, "tree_")
        if is_dask(X):
            return answer_lazily(self, "apply", X, np.zeros(0, np.int32))
        return self.tree_.apply(self._rows(X), self._threads())

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Reach of every node by every row, a sparse matrix (rows, nodes); 1 along the path in a hard tree."""
        check_is_fitted(self, "tree_")
        tree, rows = self.tree_, self._rows(X)
        if not tree.is_hard or np.any(tree.missing == Missing.FRACTION):
            return sparse.csr_matrix(tree.reach(rows, self._threads()))
        row, node = np.arange(len(rows)), tree.apply(rows, self._threads()).astype(np.int64)
        pairs = [(row, node)]
        while node.any():
            row, node = row[node > 0], tree.parent[node[node > 0]].astype(np.int64)
            pairs.append((row, node))
        at = tuple(np.concatenate(part) for part in zip(*pairs, strict=True))
        path = sparse.csr_matrix((np.ones(len(at[0])), at), shape=(len(rows), tree.n_nodes))
        path.sort_indices()
        return path

    def encode(self, X: Any) -> Floats:
        """Rows of X as the numbers that `tree_` takes, (rows, inputs): categories as codes, missing values as NaN."""
        check_is_fitted(self, "tree_")
        return self._read(X)

    def get_depth(self) -> int:
        """Depth of the tree: the maximum distance between the root and any leaf."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the impurity reduction of all gates; sums to 1 (all 0 for a single leaf).

        Gains are measured on the training rows, so features with many distinct values look better than they are.
        `sklearn.inspection.permutation_importance` on held-out rows has no such bias.
        """
        check_is_fitted(self, "tree_")
        return gain_importances(self.tree_)

    @property
    def held_out_(self) -> dict[str, Any] | None:
        """Score on the rows held out while the size was chosen: measure, value, standard_error and by.

        None if no rows were held out, or if the learner does not report it.
        """
        return None

    @property
    def _answering_tree(self) -> Tree:
        """The tree, or one with the same predictions and no statistics."""
        return self.tree_

    def _rows(self, X: Any) -> Floats | SparseTable:
        """Rows as the tree reads them; a sparse matrix of numbers stays sparse."""
        return read_sparse(self, X, self._answering_tree.schema)

    def _read(self, X: Any) -> Floats:
        return read_predict(self, X, self._answering_tree.schema)

    def _provenance(
        self, weight: Floats | RowCount, held_out: HeldOut | None = None, before: Provenance | None = None
    ) -> Provenance:
        """The record of a tree just learned from rows of this weight (or number), after those of `before`."""
        kind: Any = type(self)
        given = vars(self)
        parameters = {
            name: given[name] if type(given.get(name, ())) in PLAIN else json_value(getattr(self, name))
            for name in _parameter_names(kind)
        }
        if not isinstance(weight, RowCount):
            weight = RowCount(int(np.count_nonzero(weight)), float(weight.sum()))
        if before is not None:
            weight = RowCount(before.n_rows + weight.n_rows, before.weight + weight.weight)
            is_same = (before.estimator, before.version, before.parameters) == (kind.__name__, __version__, parameters)
            if is_same and held_out is None:
                return before.of_rows(*weight)
        return Provenance(type(self).__name__, parameters, __version__, *weight, held_out)

    def _restore(self, tree: Tree, learned: dict[str, Any]) -> Self:
        """Set the fitted state from a file: the tree and everything else that was learned."""
        self.tree_ = tree
        self.__dict__.update(learned)
        return self

    def _threads(self) -> int:
        return threads(self.n_jobs)

    def _threads_for(self, rows: Floats | SparseTable) -> int:
        """Number of threads for predicting these rows; it changes only the time."""
        return 1 if len(rows) <= FEW_ROWS else self._threads()

    def _require_tree(self) -> None:
        """NotFittedError before `fit`. scikit-learn's own check takes longer than a prediction of a small tree."""
        if "tree_" not in vars(self):
            check_is_fitted(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags


@cache
def _parameter_names(estimator: type[BaseEstimator]) -> tuple[str, ...]:
    """scikit-learn reads the signature each time, which takes longer than a prediction of a small tree."""
    return tuple(estimator._get_param_names())


class Probabilities(SetPrediction):
    """Predictions of all classifiers; a mixin to the left of TreeEstimator."""

    classes_: npt.NDArray[Any]

    @in_row_blocks
    def predict_proba(self: Any, X: Any) -> Floats:
        """Class probabilities, columns in the order of `classes_`."""
        self._require_tree()
        if type(X) is not np.ndarray and is_dask(X):
            return answer_lazily(self, "predict_proba", X, np.zeros((0, len(self.classes_))))
        rows = self._rows(X)
        tree: Tree = self._answering_tree
        probability: Floats = tree.predict(rows, self._threads_for(rows))
        if tree.link != Link.IDENTITY:
            return probability
        return np.minimum(probability, 1.0)  # shares of a soft gate may round to more than 1

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the class probabilities."""
        if is_dask(X):
            return answer_lazily(self, "predict_log_proba", X, np.zeros((0, len(self.classes_))))
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @in_row_blocks
    def predict(self: Any, X: Any) -> npt.NDArray[Any]:
        """The class with the lowest expected cost; without costs, the most probable class (on ties, the first)."""
        self._require_tree()
        if type(X) is not np.ndarray and is_dask(X):
            return answer_lazily(self, "predict", X, self.classes_[:0])
        rows = self._rows(X)
        return np.asarray(self.classes_[self._answering_tree.decide(rows, self._threads_for(rows))])


class Numbers(IntervalPrediction):
    """Predictions of all regressors; a mixin to the left of TreeEstimator."""

    _one_target: bool

    @in_row_blocks
    def predict(self: Any, X: Any) -> Floats:
        """Predictions, of shape (rows,) or (rows, targets), like y in `fit`."""
        self._require_tree()
        if type(X) is not np.ndarray and is_dask(X):
            empty = np.zeros(0 if self._one_target else (0, self.tree_.n_outputs))
            return answer_lazily(self, "predict", X, empty)
        rows = self._rows(X)
        answer: Floats = self._answering_tree.predict(rows, self._threads_for(rows))
        return answer[:, 0] if self._one_target else answer

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of TreeEstimator
        tags.target_tags.multi_output = True
        return tags
