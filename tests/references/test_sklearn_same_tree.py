"""The same tree as scikit-learn's, through the estimators, on the sets that ship with it and on generated ones.

scikit-learn's trees read float32, break ties between features at random and ties between thresholds by rounding. So X
is rounded to float32 first, and weights slightly above 1 break ties of counts. Features that split the rows of a small
node equally remain: every tree is grown with several random_state, with the widest limits on depth and leaf for which
all of scikit-learn's trees are equal. Every data set must pass, none is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn import datasets
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from softwood import CARTClassifier, CARTRegressor
from softwood.tree import Tree

SEEDS = range(4)
LIMITS = [(8, 5), (6, 8), (5, 12), (4, 20), (3, 20), (3, 40), (2, 20), (2, 60)]  # depth, rows of a leaf; widest first
NEAR = {"rtol": 1e-12, "atol": 1e-12}


def embedded(load: Callable[..., Any]) -> Callable[[], tuple[Any, Any]]:
    return lambda: load(return_X_y=True)


CLASSES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris": lambda: (datasets.load_iris().data[:, :3], datasets.load_iris().target),  # petals' widths and lengths tie
    "wine": embedded(datasets.load_wine),
    "cancer": embedded(datasets.load_breast_cancer),
    "digits": embedded(datasets.load_digits),
    "blobs": lambda: datasets.make_classification(400, 8, n_informative=5, n_classes=3, random_state=0),
    "moons": lambda: datasets.make_moons(300, noise=0.3, random_state=1),
    "circles": lambda: datasets.make_circles(300, noise=0.2, factor=0.5, random_state=2),
    "hastie": lambda: datasets.make_hastie_10_2(600, random_state=3),
}
NUMBERS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "diabetes": embedded(datasets.load_diabetes),
    "linnerud": embedded(datasets.load_linnerud),
    "friedman1": lambda: datasets.make_friedman1(300, noise=1.0, random_state=4),
    "friedman2": lambda: datasets.make_friedman2(300, noise=9.0, random_state=5),
    "friedman3": lambda: datasets.make_friedman3(300, noise=0.1, random_state=6),
    "plane": lambda: datasets.make_regression(300, 6, noise=5.0, random_state=7),
    "planes": lambda: datasets.make_regression(200, 5, n_targets=3, noise=5.0, random_state=8),
}
SETS = {**CLASSES, **NUMBERS}
COUNTS = ("diabetes", "linnerud")  # no target is negative


@cache
def read(name: str) -> tuple[Any, Any]:
    X, y = SETS[name]()
    return np.asarray(X, np.float32).astype(np.float64), y


@cache
def weights(n: int) -> Any:
    """A little above 1, and short in binary: sums are exact, else scikit-learn finds pure nodes impure by rounding."""
    return 1 + np.random.default_rng(n).integers(0, 2**10, n) / 2**23


@cache
def certain_tree(name: str, **extra: Any) -> tuple[Any, dict[str, Any]]:
    """scikit-learn's tree under the widest limits at which its random_state says nothing, and these limits."""
    X, y = read(name)
    kind = DecisionTreeClassifier if name in CLASSES else DecisionTreeRegressor
    for depth, leaf in LIMITS:
        rules = {"max_depth": depth, "min_samples_leaf": min(leaf, len(X) // 5), **extra}
        models = [kind(random_state=seed, **rules).fit(X, y, weights(len(X))) for seed in SEEDS]
        if len({(model.tree_.feature.tobytes(), model.tree_.threshold.tobytes()) for model in models}) == 1:
            return models[0], rules
    raise AssertionError(f"scikit-learn has no one answer for {name} under any of the limits")


def grow_ours(name: str, rules: dict[str, Any]) -> Any:
    X, y = read(name)
    ours = {{"max_leaf_nodes": "max_leaves"}.get(rule, rule): value for rule, value in rules.items()}
    kind = CARTClassifier if name in CLASSES else CARTRegressor
    return kind(prune=None, missing="direction", **ours).fit(X, y, weights(len(X)))


def compare(name: str, **extra: Any) -> tuple[Any, Any]:
    """Both models, after their trees were found the same."""
    theirs, rules = certain_tree(name, **extra)
    assert theirs.tree_.node_count >= 5, "a stump proves little"
    ours = grow_ours(name, rules)
    assert_same_tree(ours, theirs)
    return ours, theirs


def pair_nodes(ours: Tree, theirs: Any) -> list[tuple[int, int]]:
    """Nodes of the two trees that stand in the same place; the shapes must be one."""
    pairs = [(0, 0)]
    for node, other in pairs:
        assert (ours.n_children[node] == 0) == (theirs.children_left[other] < 0)
        if ours.n_children[node]:
            first = int(ours.first_child[node])
            pairs += [(first, theirs.children_left[other]), (first + 1, theirs.children_right[other])]
    return pairs


def assert_same_tree(ours: Any, theirs: Any) -> None:
    tree, peer = ours.tree_, theirs.tree_
    node, other = map(list, zip(*pair_nodes(tree, peer), strict=True))
    assert len(node) == tree.n_nodes == peer.node_count
    branch = tree.n_children[node] > 0
    np.testing.assert_array_equal(tree.feature[node][branch], peer.feature[other][branch])
    np.testing.assert_array_equal(tree.threshold[node][branch], peer.threshold[other][branch])
    np.testing.assert_allclose(tree.response[node], peer.value[other].reshape(len(node), -1), **NEAR)
    np.testing.assert_allclose(tree.count[node], peer.weighted_n_node_samples[other], rtol=1e-12)
    bits = np.log(2) if getattr(theirs, "criterion", "") == "entropy" else 1.0
    np.testing.assert_allclose(tree.impurity[node], peer.impurity[other] * bits, rtol=1e-9, atol=1e-12)


def test_there_are_ten_sets_and_more() -> None:
    assert len(SETS) >= 10


@pytest.mark.fewer(12)
@pytest.mark.parametrize(
    ("name", "criterion"),
    [(name, criterion) for name in CLASSES for criterion in ("gini", "entropy")]
    + [(name, criterion) for name in NUMBERS for criterion in ("squared_error", "absolute_error")]
    + [(name, "poisson") for name in COUNTS],
)
def test_same_tree(name: str, criterion: str) -> None:
    compare(name, criterion=criterion)


@pytest.mark.parametrize("name", SETS)
def test_same_tree_best_first(name: str) -> None:
    compare(name, max_leaf_nodes=7)


@pytest.mark.parametrize("name", sorted(SETS.keys() - {"linnerud", "planes", "iris", "wine", "digits", "blobs"}))
def test_same_monotone_tree(name: str) -> None:
    """All signs set: on features without one scikit-learn lets a candidate cross the bounds and clips it."""
    X, y = read(name)
    signs = np.where([np.corrcoef(column, y)[0, 1] < 0 for column in X.T], -1, 1)
    compare(name, monotonic_cst=tuple(signs.tolist()))


GAPPY = [name for name in SETS if name != "linnerud"]  # scikit-learn wants more rows than those 20 to see a gap


@pytest.mark.parametrize("name", GAPPY)
def test_same_tree_where_values_are_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = read(name)
    rng = np.random.default_rng(9)
    gaps = rng.random(X.shape) < 0.1
    gaps[:, 0] |= (np.asarray(y).reshape(len(X), -1)[:, 0] > np.median(y)) & (rng.random(len(X)) < 0.5)
    for sets in (SETS, CLASSES if name in CLASSES else NUMBERS):
        monkeypatch.setitem(sets, f"{name} with gaps", lambda: (np.where(gaps, np.nan, X), y))
    ours, theirs = compare(f"{name} with gaps")
    holed = read(f"{name} with gaps")[0]
    np.testing.assert_allclose(ours.predict(holed), theirs.predict(holed), **NEAR)


# -- what the estimators answer ------------------------------------------------------------------------------------


def same_up_to_names(one: Any, other: Any) -> bool:
    """Whether two arrays of ids part the rows alike."""
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


@pytest.mark.parametrize("name", SETS)
def test_same_answers(name: str) -> None:
    X, _ = read(name)
    ours, theirs = compare(name)
    assert ours.get_depth() == theirs.get_depth()
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert same_up_to_names(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), **NEAR)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-9, atol=1e-12)
    path, peer = ours.decision_path(X), theirs.decision_path(X)
    np.testing.assert_array_equal(path.sum(axis=1), peer.sum(axis=1))
    node, other = zip(*pair_nodes(ours.tree_, theirs.tree_), strict=True)
    np.testing.assert_array_equal(path.toarray()[:, node], peer.toarray()[:, other])


@pytest.mark.parametrize("name", sorted(CLASSES.keys() & SETS.keys()))
def test_same_probabilities(name: str) -> None:
    X, _ = read(name)
    ours, theirs = compare(name)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), **NEAR)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), **NEAR)


def merge(path: Any) -> tuple[Any, Any]:
    """Alphas that differ by rounding as one, the last; scikit-learn lists them all."""
    alpha, impurity = path.ccp_alphas, path.impurities
    last = np.append(np.diff(alpha) > 1e-9 * alpha[1:], True)
    return alpha[last], impurity[last]


@pytest.mark.parametrize("name", SETS)
def test_same_pruning_path(name: str) -> None:
    X, y = read(name)
    ours, theirs = compare(name)
    path, peer = (model.cost_complexity_pruning_path(X, y, weights(len(X))) for model in (ours, theirs))
    for one, other in zip(merge(path), merge(peer), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert len(path.ccp_alphas) > 2
