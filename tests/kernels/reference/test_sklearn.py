"""The same tree as scikit-learn's (structure, thresholds, values), if that is unique.

scikit-learn breaks ties between features at random and ties between thresholds by rounding. Weights slightly off 1
leave only ties of features that split the rows equally, so each test grows scikit-learn's tree with several
random_state. If all are equal, ours must be equal too, and there must be enough such tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from softwood.kernels.contracts.growth import Grown
from softwood.kernels.kinds import Criterion, Missing

NAMES = {
    Criterion.GINI: "gini",
    Criterion.ENTROPY: "entropy",
    Criterion.SQUARED_ERROR: "squared_error",
    Criterion.ABSOLUTE_ERROR: "absolute_error",
    Criterion.POISSON: "poisson",
}
RULES = [
    {"max_depth": 3},
    {"max_leaf_nodes": 9},
    {"min_samples_leaf": 7},
    {"min_samples_split": 30},
    {"min_impurity_decrease": 0.03},
    {"max_leaf_nodes": 6, "min_samples_leaf": 10},
]
OURS = {"max_leaf_nodes": "max_leaves"}
NEARLY = 0.999  # of a limit on rows: ours count weight, which is a little off 1


def table(seed: int, criterion: Criterion, n: int = 150) -> tuple[Any, Any, Any]:
    """Numbers that float32 holds exactly, and numbers or three classes to predict."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(np.float64)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=n) / 2
    if criterion == Criterion.POISSON:
        y = np.exp(y)
    return X, np.digitize(y, [-0.5, 0.8]) if criterion in (Criterion.GINI, Criterion.ENTROPY) else y, rng


def weights(n: int) -> Any:
    return 1 + np.random.default_rng(n).uniform(-1e-4, 1e-4, n)


def certain_tree(X: Any, y: Any, criterion: Criterion, **rules: Any) -> Any:
    """scikit-learn's tree, or None if it depends on random_state."""
    kind = DecisionTreeClassifier if y.dtype.kind == "i" else DecisionTreeRegressor
    trees = [
        kind(criterion=NAMES[criterion], random_state=s, **rules).fit(X, y, weights(len(y))).tree_ for s in range(6)
    ]
    ways = {(tree.feature.tobytes(), tree.threshold.tobytes()) for tree in trees}
    return trees[0] if len(ways) == 1 else None


def assert_same(grown: Grown, tree: Any, m: int = 0, at: int = 0) -> None:
    n_classes = grown.value.shape[1]
    share = grown.value[m] / grown.count[m] if n_classes > 1 else grown.value[m]
    np.testing.assert_allclose(share, tree.value[at, 0], rtol=1e-12, atol=1e-14)
    assert grown.count[m] == pytest.approx(tree.weighted_n_node_samples[at], rel=1e-12)
    first = grown.first_child[m]
    assert (first < 0) == (tree.children_left[at] < 0)
    if first < 0:
        return
    assert grown.feature[m] == tree.feature[at]
    assert grown.threshold[m] == tree.threshold[at]
    left, right = tree.children_left[at], tree.children_right[at]
    if tree.n_node_samples[left] != tree.n_node_samples[right]:  # else the larger is a matter of the weights
        assert grown.default[m] == 1 - tree.missing_go_to_left[at]
    assert_same(grown, tree, first, left)
    assert_same(grown, tree, first + 1, right)


def compare(tables: Any, grow_ours: Callable[..., Grown], criterion: Criterion, rules: dict[str, Any]) -> None:
    certain = 0
    for X, y in tables:
        tree = certain_tree(X, y, criterion, **rules)
        if tree is not None:
            certain += 1
            assert_same(grow_ours(X, y), tree)
    assert certain >= 3


@pytest.mark.fewer
@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("criterion", NAMES)
def test_same_tree(grow: Any, criterion: Criterion, rules: dict[str, Any]) -> None:
    ours = {OURS.get(n, n): value for n, value in {"min_samples_leaf": 1, "min_samples_split": 2, **rules}.items()}
    ours |= {n: ours[n] * NEARLY for n in ("min_samples_leaf", "min_samples_split")}
    if criterion == Criterion.ENTROPY and "min_impurity_decrease" in ours:
        ours["min_impurity_decrease"] *= np.log(2)  # scikit-learn counts in bits
    tables = (table(seed, criterion)[:2] for seed in range(12))
    compare(tables, lambda X, y: grow(X, y, criterion, weight=weights(len(y)), **ours), criterion, rules)


@pytest.mark.fewer
@pytest.mark.parametrize("leaves", [None, 5])
@pytest.mark.parametrize("signs", [(1, 1, -1), (1, -1, 1)])
@pytest.mark.parametrize(
    "criterion", [Criterion.GINI, Criterion.SQUARED_ERROR, Criterion.ABSOLUTE_ERROR, Criterion.POISSON]
)
def test_same_monotone_tree(grow: Any, criterion: Criterion, signs: tuple[int, ...], leaves: int | None) -> None:
    """Every feature has a sign: on features without one scikit-learn lets a candidate cross the bounds and clips it."""
    rules = {"min_samples_leaf": 8, "max_leaf_nodes": leaves}
    ours = {"min_samples_leaf": 8 * NEARLY, "max_leaves": leaves or 0, "monotone": signs}
    tables = (
        (X, np.minimum(y, 1) if y.dtype.kind == "i" else y) for X, y, _ in (table(s, criterion) for s in range(15))
    )
    compare(
        tables,
        lambda X, y: grow(X, y, criterion, weight=weights(len(y)), **ours),
        criterion,
        {**rules, "monotonic_cst": signs},
    )


def gappy(seed: int, criterion: Criterion) -> tuple[Any, Any]:
    """A table with informative missing values, so that some gate uses them."""
    X, y, rng = table(seed, criterion)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[(y > 1) & (rng.random(len(y)) < 0.8), 1] = np.nan
    return X, y


@pytest.mark.fewer
@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.ENTROPY, Criterion.SQUARED_ERROR])
def test_same_direction_of_missing_values(grow: Any, criterion: Criterion) -> None:
    rules = {"min_samples_leaf": 8, "max_depth": 4}
    ours = {"min_samples_leaf": 8 * NEARLY, "max_depth": 4}
    grown = []

    def grow_ours(X: Any, y: Any) -> Grown:
        grown.append(grow(X, y, criterion, weight=weights(len(y)), missing=Missing.DIRECTION, **ours))
        return grown[-1]

    compare((gappy(seed, criterion) for seed in range(12)), grow_ours, criterion, rules)
    assert any(np.isinf(tree.threshold).any() for tree in grown)
    assert any((tree.default[tree.feature >= 0] == 0).any() for tree in grown)
