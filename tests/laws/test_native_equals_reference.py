"""The native evaluator against the reference."""

from __future__ import annotations

import os
import pickle
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import Schema, Tree, from_json, to_json
from softwood.kernels import reference
from softwood.tree import cut_tree

from ..strategies import N_LEVELS, random_joined, random_rows, random_tree, trees

if os.environ.get("SOFTWOOD_KERNELS") == "reference":
    pytest.skip("SOFTWOOD_KERNELS=reference: the native kernels are not to be used", allow_module_level=True)

from softwood.kernels import native

seeds = st.integers(0, 2**32 - 1)


def assert_twins(tree: Tree, X: np.ndarray) -> None:
    ours, theirs = native.Evaluator(tree), reference.Evaluator(tree)
    kept = theirs.reach(X) * tree.leafness
    np.testing.assert_allclose(ours.reach(X), theirs.reach(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.output(X), theirs.output(X), rtol=1e-12, atol=1e-12)
    chosen = kept[np.arange(len(X)), ours.apply(X)]
    best = kept.max(axis=1)
    np.testing.assert_allclose(chosen[np.isfinite(best)], best[np.isfinite(best)], rtol=0, atol=1e-12)


@given(trees(), seeds, st.integers(0, 140))
def test_native_equals_reference(tree: Tree, seed: int, n: int) -> None:
    assert_twins(tree, random_rows(seed, n))


@given(seeds, st.booleans())
def test_native_equals_reference_where_gates_name_levels(seed: int, hard: bool) -> None:
    """Both equal the tree with a slot for every level, in predictions, views, text and files."""
    tree, X = random_tree(seed, 12, hard=hard), random_rows(seed, 80)
    X[:, 0] += np.linspace(-3, 3, 80)  # codes beyond the levels, and between them
    named = name_levels(tree)
    assert_twins(named, X)
    np.testing.assert_array_equal(named.output(X), tree.output(X))
    assert [named.gate(m) for m in range(tree.n_nodes)] == [tree.gate(m) for m in range(tree.n_nodes)]
    assert from_json(to_json(named)) == named == pickle.loads(pickle.dumps(named))
    assert cut_tree(named, np.arange(tree.n_nodes) == 1) == cut_tree(tree, np.arange(tree.n_nodes) == 1)


def name_levels(tree: Tree) -> Tree:
    """The tree with listed levels at gates and surrogates; a gate that places none lists its first."""

    def named(begin: np.ndarray, group: np.ndarray) -> dict[str, np.ndarray]:
        gate = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        level = np.arange(len(group)) - begin[gate]
        kept = (group >= 0) | (level == 0)
        size = np.bincount(gate[kept], minlength=len(begin) - 1)
        return {"group_begin": np.append(0, np.cumsum(size)), "group": group[kept], "group_level": level[kept]}

    table = tree.surrogates
    surrogates = replace(table, **named(table.group_begin, table.group))
    return tree.replace(surrogates=surrogates, **named(tree.group_begin, tree.group))


@pytest.mark.parametrize("kind", [{}, {"hard": True}, {"smooth": True}])
@given(seed=seeds, n=st.integers(0, 140))
def test_native_equals_reference_on_means_of_trees(seed: int, n: int, kind: dict[str, bool]) -> None:
    assert_twins(random_joined(seed, 4, **kind), random_rows(seed, n))


def test_a_node_that_keeps_all_passes_nothing_on_even_of_a_share_that_is_no_number() -> None:
    assert_twins(random_tree(54, 4), random_rows(54, 54))  # inf - inf above a branch of leafness 1


@given(trees(hard=True), seeds, st.integers(0, 300))
def test_native_equals_reference_on_hard_trees(tree: Tree, seed: int, n: int) -> None:
    X = random_rows(seed, n)
    assert_twins(tree, X)
    assert np.array_equal(native.Evaluator(tree).apply(X), reference.Evaluator(tree).apply(X))


@given(seeds, st.sampled_from([0.0, 0.02, 0.5]))
def test_native_equals_reference_where_all_gates_are_thresholds(seed: int, missing: float) -> None:
    tree = threshold_tree(seed, 40)
    X = random_rows(seed, 200, missing=missing)
    assert np.array_equal(native.Evaluator(tree).apply(X), reference.Evaluator(tree).apply(X))
    assert_twins(tree, X)


def threshold_tree(seed: int, n_branches: int, **fields: object) -> Tree:
    """A hard tree of thresholds on numbers, with every treatment of missing values except surrogates."""
    rng = np.random.default_rng(seed)
    first, branch, leaves = np.full(2 * n_branches + 1, -1), [], [0]
    for made in range(n_branches):
        branch.append(leaves.pop(rng.integers(len(leaves))))
        first[branch[-1]] = 2 * made + 1
        leaves += [2 * made + 1, 2 * made + 2]
    order = first >= 0
    n = len(first)
    return Tree(
        response=rng.normal(size=(n, 2)), schema=Schema.plain(len(N_LEVELS), 2), first_child=first,
        n_children=2 * order, score=1 * order, feature=np.where(order, rng.integers(0, len(N_LEVELS), n), -1),
        threshold=np.where(order, rng.integers(-8, 9, n) / 4, np.nan),
        missing=np.where(order, rng.choice([0, 1, 3], n), 0),
        default=np.where(order, rng.integers(0, 2, n), 0), fraction=np.r_[np.nan, np.full(n - 1, 0.5)], **fields,
    )  # fmt: skip


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_one_thread_equals_two_and_five(seed: int, hard: bool) -> None:
    evaluator = native.Evaluator(random_tree(seed, 12, hard=hard))
    X = random_rows(seed, 9_000)
    for answer in (evaluator.output, evaluator.reach, evaluator.apply):
        one = answer(X, 1)
        assert one.tobytes() == answer(X, 2).tobytes() == answer(X, 5).tobytes()


@given(trees(), seeds)
def test_any_layout_of_rows_gives_the_same_bits(tree: Tree, seed: int) -> None:
    X = random_rows(seed, 30)
    evaluator = native.Evaluator(tree)
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    record = np.zeros(len(X), [("flag", "i1"), ("x", "f8", X.shape[1])])
    record["x"] = X
    frozen = X.copy()
    frozen.setflags(write=False)
    layouts = [
        np.asfortranarray(X),
        wide[::2, ::3],
        X[::-1].copy()[::-1],
        X[:, ::-1].copy()[:, ::-1],
        record["x"],
        frozen,
    ]
    for answer in (evaluator.output, evaluator.reach, evaluator.apply):
        for layout in layouts:
            assert answer(layout).tobytes() == answer(X).tobytes()


@pytest.mark.parametrize("hard", [False, True])
def test_no_rows_give_no_answers(hard: bool) -> None:
    tree = random_tree(3, hard=hard)
    X = np.empty((0, len(N_LEVELS)))
    evaluator = native.Evaluator(tree)
    assert evaluator.output(X).shape == (0, tree.n_outputs)
    assert evaluator.reach(X, 2).shape == (0, tree.n_nodes)
    assert evaluator.apply(X).shape == (0,)
    assert evaluator.apply(X).dtype == np.int32


def test_a_chain_of_ten_thousand_nodes_does_not_overflow_the_stack() -> None:
    n = 20_001
    branch = np.arange(n) % 2 == 0
    branch[-1] = False
    tree = Tree(
        response=np.arange(n, dtype=float)[:, None], schema=Schema.plain(1, 1),
        first_child=np.where(branch, np.arange(n) + 1, -1), n_children=2 * branch, score=1 * branch,
        feature=np.where(branch, 0, -1), threshold=np.where(branch, np.arange(n), np.nan),
    )  # fmt: skip
    for gate in (tree, tree.replace(squash=np.where(branch, 1, 0))):
        assert gate.output([[-1.0], [1e9]]).ravel().tolist() == [1.0, n - 1.0]


@pytest.mark.parametrize("X", [np.zeros((3, 2)), np.zeros((3, 6), np.float32), np.zeros(6)])
def test_wrong_rows_are_refused_not_converted(X: np.ndarray) -> None:
    with pytest.raises((TypeError, ValueError)):
        native.Evaluator(random_tree(0)).output(X)


def test_other_threads_run_while_the_native_evaluator_works() -> None:
    """A thread with short sleeps wakes many times during one call, which therefore holds no lock."""
    evaluator = native.Evaluator(random_tree(5, 60))
    naps, stop = 0, threading.Event()

    def nap() -> None:
        nonlocal naps
        while not stop.is_set():
            time.sleep(1e-3)
            naps += 1

    thread = threading.Thread(target=nap)
    thread.start()
    for rows in 200_000 * 4 ** np.arange(
        4
    ):  # until one call lasts long enough for several naps, on a quick machine too
        X = random_rows(5, rows)
        before, start = naps, time.perf_counter()
        evaluator.output(X)
        during, took = naps - before, time.perf_counter() - start
        if took > 0.02:
            break
    stop.set()
    thread.join()
    assert during >= 3
