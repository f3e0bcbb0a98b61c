"""Laws of every tree, for all kernels."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import Schema, Tree
from softwood.kernels.kinds import Missing, Score, Squash, Term

from ..strategies import random_rows, trees

seeds = st.integers(0, 2**32 - 1)


def finite_rows(seed: int, n: int = 8) -> np.ndarray:
    X = random_rows(seed, n)
    return np.where(np.isinf(X), 1.0, X)


@given(trees(), seeds)
def test_reach_times_leafness_sums_to_one(tree: Tree, seed: int) -> None:
    kept = tree.reach(finite_rows(seed)) * tree.leafness
    np.testing.assert_allclose(kept.sum(axis=1), 1.0, rtol=0, atol=1e-12)


@given(trees(), seeds)
def test_shares_of_children_sum_to_what_the_parent_passes_on(tree: Tree, seed: int) -> None:
    reach = tree.reach(finite_rows(seed))
    for m in np.flatnonzero(tree.n_children):
        passed = reach[:, m] * (1 - tree.leafness[m])
        np.testing.assert_allclose(reach[:, tree.children(m)].sum(axis=1), passed, rtol=0, atol=1e-12)
    assert np.all(reach >= 0)
    assert np.all(reach <= 1)


@given(trees(hard=True), seeds)
def test_a_hard_tree_keeps_every_row_in_one_leaf(tree: Tree, seed: int) -> None:
    how = np.where(tree.missing == Missing.FRACTION, Missing.DIRECTION, tree.missing)
    tree = tree.replace(missing=how)
    X = random_rows(seed, 8)
    reach = tree.reach(X)
    assert np.array_equal(np.count_nonzero(reach * tree.leafness, axis=1), np.ones(len(X)))
    assert np.array_equal(tree.output(X), tree.response[tree.apply(X)])


@given(trees(hard=True), seeds)
def test_zero_softness_is_the_hard_tree(tree: Tree, seed: int) -> None:
    finite = (tree.score == Score.THRESHOLD) & np.isfinite(tree.threshold)
    ramps = tree.replace(squash=np.where(finite, Squash.RAMP, tree.squash), softness=np.zeros((tree.n_nodes, 2)))
    X = random_rows(seed, 8)
    at_threshold = np.isin(X, tree.threshold[finite]).any(axis=1)
    assert np.array_equal(ramps.reach(X)[~at_threshold], tree.reach(X)[~at_threshold])


def test_zero_softness_sends_half_to_each_side_at_the_threshold() -> None:
    tree = Tree(
        response=[[0.0], [1.0], [3.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1],
        n_children=[2, 0, 0], score=[1, 0, 0], squash=[1, 0, 0], feature=[0, -1, -1], threshold=[2.0, np.nan, np.nan],
    )  # fmt: skip
    assert tree.reach([[2.0]])[0, 1:].tolist() == [0.5, 0.5]
    assert tree.output([[np.nextafter(2.0, 0)], [2.0], [np.nextafter(2.0, 3)]]).ravel().tolist() == [1.0, 2.0, 3.0]


@given(trees(), seeds)
def test_output_is_the_recursive_equation(tree: Tree, seed: int) -> None:
    X = finite_rows(seed, 3)
    expected = [naive_output(tree, 0, x) for x in X]
    np.testing.assert_allclose(tree.output(X), expected, rtol=1e-12, atol=1e-12)


@given(trees(), seeds)
def test_apply_is_the_node_that_keeps_most(tree: Tree, seed: int) -> None:
    X = finite_rows(seed)
    assert np.array_equal(tree.apply(X), np.argmax(tree.reach(X) * tree.leafness, axis=1))


@given(trees(), seeds)
def test_a_row_gets_the_same_answer_alone_and_in_a_crowd(tree: Tree, seed: int) -> None:
    X = random_rows(seed, 70)
    alone = np.concatenate([tree.output(x[None]) for x in X[:5]])
    assert np.array_equal(alone, tree.output(X)[:5], equal_nan=True)


@given(trees(), seeds)
def test_a_copy_by_pickle_is_equal_and_answers_the_same(tree: Tree, seed: int) -> None:
    X = random_rows(seed, 4)
    for twin in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert twin == tree
        assert np.array_equal(twin.output(X), tree.output(X), equal_nan=True)
        with pytest.raises(ValueError, match="read-only"):
            twin.basis.term[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            twin.response[0] = 1


@given(trees())
def test_a_tree_with_another_response_is_another_tree(tree: Tree) -> None:
    other = tree.replace(response=tree.response + 1)
    assert tree != other
    assert tree == other.replace(response=tree.response)
    assert tree != "tree"


# -- the equation, one row at a time, in plain Python -------------------------------------------------------------


def naive_output(tree: Tree, m: int, x: np.ndarray) -> np.ndarray:
    phi = [naive_column(tree, c, x) for c in range(len(tree.basis))]
    answer = tree.response[m].copy()
    if tree.slope_row[m] >= 0:
        answer += np.array(phi) @ tree.slope[tree.slope_row[m]]
    if tree.n_children[m] == 0:
        return answer
    share = naive_shares(tree, m, x, phi)
    below = sum(s * naive_output(tree, child, x) for s, child in zip(share, tree.children(m), strict=True))
    return tree.leafness[m] * answer + (1 - tree.leafness[m]) * below


def naive_column(tree: Tree, c: int, x: np.ndarray) -> float:
    value, parameter = x[tree.basis.feature[c]], tree.basis.parameter[c]
    if tree.basis.term[c] == Term.MISSING:
        return float(np.isnan(value))
    if np.isnan(value):
        return float(tree.basis.when_missing[c])
    return float({Term.IDENTITY: value, Term.SQUARE: value**2, Term.HINGE: max(0.0, value - parameter),
                  Term.CATEGORY: value == parameter}[Term(tree.basis.term[c])])  # fmt: skip


def naive_shares(tree: Tree, m: int, x: np.ndarray, phi: list[float]) -> list[float]:
    squash = tree.squash[m]
    if tree.score[m] == Score.LINEAR:
        score = tree.bias[m]
        for j in range(tree.weight_begin[m], tree.weight_begin[m + 1]):
            score += tree.weight[j] * phi[tree.weight_column[j]]
        first = float(score >= 0) if squash == Squash.STEP else naive_sigmoid(score)
        return [first, 1 - first]
    if tree.score[m] == Score.CONSTANT:
        return [float(tree.fraction[child]) for child in tree.children(m)]
    value = x[tree.feature[m]]
    if tree.score[m] == Score.THRESHOLD and squash != Squash.STEP and not np.isnan(value):
        distance, (below, above) = value - tree.threshold[m], tree.softness[m]
        if squash == Squash.SIGMOID:
            first = naive_sigmoid(-distance / below)
        else:
            first = float(np.interp(distance, [-below, 0.0, above], [1.0, 0.5, 0.0])) if distance else 0.5
        return [first, 1 - first]
    slot = naive_slot(tree, m, value)
    if slot < 0 and tree.missing[m] == Missing.FRACTION:
        return [float(tree.fraction[child]) for child in tree.children(m)]
    if slot < 0 and tree.missing[m] == Missing.SURROGATE:
        answers = [naive_surrogate(tree, row, x) for row in tree.surrogates.of(m)]
        slot = next((s for s in answers if s >= 0), -1)
    slot = int(tree.default[m]) if slot < 0 else slot
    return [float(c == slot) for c in range(tree.n_children[m])]


def naive_slot(tree: Tree, m: int, value: float) -> int:
    if np.isnan(value):
        return -1
    if tree.score[m] == Score.CATEGORY:
        group = tree.group[tree.group_begin[m] : tree.group_begin[m + 1]]
        return int(group[int(value)]) if 0 <= value < len(group) else -1
    if tree.score[m] == Score.INTERVAL:
        return int(sum(value > cut for cut in tree.cut[tree.cut_begin[m] : tree.cut_begin[m + 1]]))
    return 0 if value <= tree.threshold[m] else 1


def naive_surrogate(tree: Tree, row: int, x: np.ndarray) -> int:
    table = tree.surrogates
    value, group = x[table.feature[row]], table.slots(row, tree.schema.n_levels(int(table.feature[row])))
    if np.isnan(value):
        return -1
    if len(group):
        return int(group[int(value)]) if 0 <= value < len(group) else -1
    return int((value <= table.threshold[row]) == table.flip[row])


def naive_sigmoid(score: float) -> float:
    return 1 / (1 + float(np.exp(-score))) if score > -700 else 0.0
