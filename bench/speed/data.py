"""Synthetic tables of the benchmark, the same in every run."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification, make_regression

from softwood import Basis, Schema, SoftTreeRegressor, Tree
from softwood.kernels.kinds import Score, Squash, Term

Floats = npt.NDArray[np.float64]
Rows = tuple[Floats, npt.NDArray[np.generic]]


@cache
def two_classes(n: int, columns: int = 20) -> Rows:
    """Numbers, half of them useful, and two classes."""
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
    """Numbers, half of them useful, and one noisy target: one leaf per row at full depth."""
    X, y = make_regression(n, columns, n_informative=columns // 2, noise=10, random_state=0)
    return X, y


@cache
def california_like(n: int = 20_640) -> Rows:
    """Synthetic rows like California housing: skewed counts, places in two clusters, a nonlinear price.

    Eight inputs: longitude, latitude, age, rooms, bedrooms, people, households, income; the price in 100,000 dollars.
    """
    rng = np.random.default_rng(0)
    south = rng.uniform(size=n) < 0.6
    place = np.where(south, -118.0, -121.8) + rng.normal(0, 0.8, n), np.where(south, 34.0, 37.7) + rng.normal(0, 0.7, n)
    income = rng.lognormal(1.25, 0.45, n)
    age = rng.uniform(1, 52, n)
    households = rng.lognormal(6.0, 0.7, n)
    rooms = households * rng.lognormal(1.65, 0.25, n)
    bedrooms = households * rng.lognormal(0.06, 0.1, n)
    people = households * rng.lognormal(1.05, 0.3, n)
    coast = np.abs(place[0] + place[1] - np.where(south, -84.2, -84.4))  # how far from the line of the shore
    price = 0.45 * income + 1.2 * np.exp(-coast) + 0.008 * age - 0.25 * np.log(people / households)
    price = np.minimum(price * rng.lognormal(0, 0.2, n), 5.0)
    return np.stack([*place, age, rooms, bedrooms, people, households, income], axis=1), price


def soft_tree(n_features: int = 10, depth: int = 4, knots: int = 0) -> Tree:
    """A full tree of sigmoid gates over all inputs (15 of them for depth 4), as a soft learner would give.

    They use the inputs, or also hinges of each input (curves).
    """
    rng = np.random.default_rng(0)
    gates, nodes = 2**depth - 1, 2 ** (depth + 1) - 1
    is_gate = np.arange(nodes) < gates
    basis = _curves(n_features, knots) if knots else Basis.identity(n_features)
    ends = np.minimum(np.arange(nodes + 1), gates) * len(basis)
    return Tree(
        response=rng.normal(size=(nodes, 1)),
        schema=Schema.plain(n_features, 1),
        first_child=np.where(is_gate, 2 * np.arange(nodes) + 1, -1),
        n_children=np.where(is_gate, 2, 0),
        score=np.where(is_gate, Score.LINEAR, Score.NONE),
        squash=np.where(is_gate, Squash.SIGMOID, Squash.STEP),
        basis=basis,
        weight_begin=ends,
        weight_column=np.tile(np.arange(len(basis)), gates),
        weight=rng.normal(size=gates * len(basis)),
    )


def _curves(n_features: int, knots: int) -> Basis:
    """Every input, and hinges of it."""
    feature = np.repeat(np.arange(n_features, dtype=np.int32), 1 + knots)
    term = np.tile(np.r_[Term.IDENTITY, [Term.HINGE] * knots], n_features)
    knot = np.tile(np.r_[0.0, np.linspace(-2, 2, knots)], n_features)
    return Basis(term, feature, knot, np.zeros(len(term)))


def soft_model(X: Floats, y: npt.NDArray[np.generic], threads: int, knots: int = 0) -> SoftTreeRegressor:
    """A regressor with `soft_tree` inside: fitted to a few rows for its columns, then given the tree."""
    model = SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=2, weight_penalty=0.1, n_jobs=threads)
    model.fit(X, y)
    model.tree_ = soft_tree(X.shape[1], knots=knots)
    return model
