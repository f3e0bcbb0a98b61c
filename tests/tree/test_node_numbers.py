"""The two numbers of a node, what arrives and what it adds, by definition; and the sum of one row."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_moons

from softwood import (
    BuddingTreeClassifier,
    CARTClassifier,
    CARTRegressor,
    MixtureOfExpertsRegressor,
    Schema,
    SoftTreeClassifier,
    SoftTreeRegressor,
    Tree,
    from_json,
    load,
    soften,
    to_json,
)
from softwood.tree.node_numbers import is_summed, node_numbers
from softwood.tree.row_sum import row_sum

CANCER, IRIS, DIABETES = (load(return_X_y=True) for load in (load_breast_cancer, load_iris, load_diabetes))
MOONS = make_moons(300, noise=0.35, random_state=0)
FILES = Path(__file__).parent.parent / "files"


def observed(tree: Tree, X: np.ndarray, target: np.ndarray) -> np.ndarray:
    reach = tree.reach(X)
    return np.stack([np.average(target, axis=0, weights=part) for part in reach.T])


@pytest.mark.parametrize("data", [MOONS, IRIS], ids=["two", "three"])
@pytest.mark.parametrize("leaf", ["constant", "linear"])
def test_what_arrives_are_the_classes_of_the_training_rows(leaf: str, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    for model in (
        SoftTreeClassifier(gate="linear", leaf=leaf, max_leaves=4, random_state=0).fit(X, y),
        BuddingTreeClassifier(random_state=0).fit(X, y),
        soften(CARTClassifier(one_se=False).fit(X, y), X, y),
    ):
        tree = model.tree_
        np.testing.assert_allclose(tree.arrived, observed(tree, X, np.eye(len(set(y)))[y]), atol=1e-9)
        np.testing.assert_array_equal(node_numbers(tree).arrives, tree.arrived)
        assert node_numbers(tree).source == "observed"


def test_what_arrives_is_the_mean_target_in_the_users_unit() -> None:
    X, y = DIABETES
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    for model in (SoftTreeRegressor(max_leaves=3), MixtureOfExpertsRegressor(), SoftTreeRegressor(loss="poisson")):
        tree = model.fit(X, y, sample_weight=weight).tree_
        reach = tree.reach(X) * weight[:, None]
        np.testing.assert_allclose(tree.arrived[:, 0], (reach.T @ y) / reach.sum(axis=0), rtol=1e-6)
    hard = CARTRegressor(one_se=False).fit(X, y * 1e6)
    tree = soften(hard, X, y * 1e6).tree_
    np.testing.assert_allclose(tree.arrived, observed(tree, X, y[:, None] * 1e6), rtol=1e-9)


def test_a_branch_is_the_mean_of_its_children() -> None:
    tree = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=4, random_state=0).fit(*MOONS).tree_
    assert tree.n_leaves > 1
    for m in np.flatnonzero(tree.n_children).tolist():
        below = tree.children(m)
        np.testing.assert_allclose(np.average(tree.arrived[below], axis=0, weights=tree.count[below]), tree.arrived[m])


def test_a_linear_leaf_adds_its_mean_output_and_its_curves_have_mean_zero() -> None:
    X, y = CANCER
    for leaf, leaves in (("linear", 1), ("linear", 3)):
        tree = SoftTreeClassifier(gate="linear", leaf=leaf, max_leaves=leaves, random_state=0).fit(X, y).tree_
        numbers, reach = node_numbers(tree), tree.reach(X)
        for m in np.flatnonzero(tree.n_children == 0).tolist():
            sums = [row_sum(tree, x).parts for x in X]
            own = np.array([next(part.adds[0] for part in parts if part.node == m) for parts in sums])
            np.testing.assert_allclose(numbers.adds[m, 0], np.average(own, weights=reach[:, m]), rtol=1e-9, atol=1e-9)
            centred = np.stack([tree.curve(m, f, 0).centred(X[:, f]) for f in range(tree.n_features)], axis=1)
            np.testing.assert_allclose(np.average(centred, axis=0, weights=reach[:, m]), 0.0, atol=1e-9)
            np.testing.assert_allclose(centred.sum(axis=1) + numbers.adds[m, 0], own, rtol=1e-9, atol=1e-9)


def test_a_hard_tree_answers_what_arrives() -> None:
    tree = CARTClassifier().fit(*IRIS).tree_
    numbers = node_numbers(tree)
    assert (numbers.source, numbers.unit, is_summed(tree)) == ("observed", "probability", False)
    np.testing.assert_array_equal(numbers.arrives, tree.answers)


def test_scores_of_classes_are_given_about_their_mean() -> None:
    tree = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=3, random_state=0).fit(*IRIS).tree_
    numbers = node_numbers(tree)
    leaf = tree.n_children == 0
    assert numbers.unit == "score"
    np.testing.assert_allclose(numbers.adds[leaf].sum(axis=1), 0.0, atol=1e-9)
    assert np.isnan(numbers.adds[~leaf]).all()
    found = row_sum(tree, IRIS[0][70])
    np.testing.assert_allclose(sum(part.share * part.adds for part in found.parts), found.total, atol=1e-9)
    np.testing.assert_allclose(np.exp(found.total) / np.exp(found.total).sum(), found.answer, rtol=1e-9)


def test_a_file_of_version_1_says_that_it_knows_predictions_alone(tmp_path: Path) -> None:
    old = load(FILES / "v1" / "SoftTreeClassifier.softwood").tree_
    assert not len(old.arrived)
    assert not len(old.column_mean)
    assert node_numbers(old).source == "predicted"
    np.testing.assert_array_equal(node_numbers(old).arrives, old.mean)
    stored = json.loads(to_json(CARTClassifier().fit(*IRIS)))
    stored["version"] = 1
    for name in ("arrived", "column_mean"):
        del stored["tree"][name]
    assert node_numbers(from_json(json.dumps(stored))).source == "observed"


def test_the_parts_that_are_left_out_of_a_sum_are_counted() -> None:
    tree = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=4, random_state=0).fit(*MOONS).tree_
    found = row_sum(tree, MOONS[0][0])
    assert len(found.parts) == tree.n_leaves > 2
    assert f"from {tree.n_leaves - 1} more parts" in found.spell(most=1)
    assert "from 1 more part (" in found.spell(most=tree.n_leaves - 1)
    assert "more" not in found.spell()


@pytest.mark.parametrize(
    ("x", "line"),
    [
        (0.2, "60.0% × +4.00 − 0.80 from 1 more part (40.0%) = +1.60"),
        (-0.2, "60.0% × −2.00 + 1.60 from 1 more part (40.0%) = +0.40"),
    ],
)
def test_the_sum_of_the_parts_left_out_has_one_sign(x: float, line: str) -> None:
    tree = Tree(
        response=[[0.0], [-2.0], [4.0]], schema=Schema(("x",), (None,), ("y",)), first_child=[1, -1, -1],
        n_children=[2, 0, 0], score=[1, 0, 0], squash=[1, 0, 0], feature=[0, -1, -1], threshold=[0.0, np.nan, np.nan],
        softness=[[1.0, 1.0], [0, 0], [0, 0]],
    )  # fmt: skip
    assert row_sum(tree, np.array([x])).spell(most=1) == line
