"""The tables of the bench, made by rule, so that every run sees the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification, make_regression

from softwood import Basis, Schema, Tree
from softwood.kernels.kinds import Score, Squash

Floats = npt.NDArray[np.float64]
Rows = tuple[Floats, npt.NDArray[np.generic]]


@cache
def two_classes(n: int, columns: int = 20) -> Rows:
    """Numbers of which half matter, two classes."""
    X, y = make_classification(n, columns, n_informative=columns // 2, random_state=0)
    return X, y


@cache
def ten_classes(n: int) -> Rows:
    """Ten noisy numbers; the class is which of them is the largest."""
    X, _ = two_classes(n)
    noise = np.random.default_rng(0).normal(size=(n, 10))
    return X, np.argmax(X[:, :10] + noise, axis=1)


@cache
def numbers(n: int, columns: int = 20) -> Rows:
    """Numbers of which half matter, one target with noise: every row its own leaf at full depth."""
    X, y = make_regression(n, columns, n_informative=columns // 2, noise=10, random_state=0)
    return X, y


def soft_tree(n_features: int = 10, depth: int = 4) -> Tree:
    """A full tree of linear sigmoid gates over all inputs (15 of them for depth 4), as a soft learner would give."""
    rng = np.random.default_rng(0)
    gates, nodes = 2**depth - 1, 2 ** (depth + 1) - 1
    is_gate = np.arange(nodes) < gates
    ends = np.minimum(np.arange(nodes + 1), gates) * n_features
    return Tree(
        response=rng.normal(size=(nodes, 1)),
        schema=Schema.plain(n_features, 1),
        first_child=np.where(is_gate, 2 * np.arange(nodes) + 1, -1),
        n_children=np.where(is_gate, 2, 0),
        score=np.where(is_gate, Score.LINEAR, Score.NONE),
        squash=np.where(is_gate, Squash.SIGMOID, Squash.STEP),
        basis=Basis.identity(n_features),
        weight_begin=ends,
        weight_column=np.tile(np.arange(n_features), gates),
        weight=rng.normal(size=gates * n_features),
    )
