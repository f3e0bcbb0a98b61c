"""A soft tree's text agrees with its predictions: every number has one meaning, and sums can be checked by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import Schema, Tree, to_text
from softwood.kernels.kinds import Link, Score, Squash
from softwood.tree import Basis
from softwood.tree.gain import Arrivals, Sample
from softwood.tree.node_numbers import node_numbers
from softwood.tree.row_sum import row_sum
from softwood.tree.wording import Wording

KINDS = ("two", "many", "numbers", "log", "probabilities")
N_FEATURES, ROWS = 2, 60
PART = re.compile(r"(<?[\d.]+)% × ([+−]?[\d.]+)")


def soft_tree(kind: str, linear: bool, seed: int) -> tuple[Tree, np.ndarray]:
    """A random tree with three leaves, with statistics from unrelated random rows."""
    rng = np.random.default_rng(seed)
    outputs = {"two": 1, "many": 3, "numbers": 1, "log": 1, "probabilities": 2}[kind]
    classes = kind in ("two", "many", "probabilities")
    answers = ("no", "yes", "perhaps")[: 3 if kind == "many" else 2] if classes else ("y",)
    names = ("a", "b")
    schema = Schema(names, (None,) * 2, answers, "classification" if classes else "regression")
    link = {"two": Link.SIGMOID, "many": Link.SOFTMAX, "log": Link.LOG}.get(kind, Link.IDENTITY)
    response = rng.normal(scale=3.0, size=(5, outputs))
    slope_row, slope = np.full(5, -1), np.zeros((0, N_FEATURES, outputs))
    if kind == "probabilities":
        response = rng.dirichlet(np.ones(outputs), 5)
    elif linear:
        slope_row, slope = np.array([-1, 0, -1, 1, 2]), rng.normal(size=(3, N_FEATURES, outputs))
    X = rng.normal(size=(ROWS, N_FEATURES))
    code = rng.integers(0, len(answers), ROWS)
    target = np.eye(len(answers))[code] if classes else np.exp(rng.normal(size=(ROWS, 1)))
    branch = np.array([True, False, True, False, False])
    tree = Tree(
        response=response, schema=schema, link=link, first_child=[1, -1, 3, -1, -1], n_children=[2, 0, 2, 0, 0],
        score=np.where(branch, Score.LINEAR, Score.NONE), squash=np.where(branch, Squash.SIGMOID, Squash.STEP),
        basis=Basis.identity(N_FEATURES), bias=np.where(branch, rng.normal(size=5), 0.0),
        weight_begin=[0, 2, 2, 4, 4, 4], weight_column=[0, 1, 0, 1], weight=rng.normal(size=4),
        slope_row=slope_row, slope=slope,
    )  # fmt: skip
    return Arrivals(tree, Sample(X, target, rng.random(ROWS) + 0.1)).counted().described(), X


def by_pencil(line: str) -> tuple[float, float, float]:
    """The sum of the printed products, the printed total, and their largest difference by rounding."""
    sums, total = line.rsplit("=", 1)[0], line.rsplit("= ", 1)[1].split(" ")[0]
    found = allowed = 0.0
    for share, adds in PART.findall(sums):
        value, text = float(adds.replace("−", "-")), adds.lstrip("+−")
        part = 0.0 if share.startswith("<") else float(share) / 100
        half = 0.5 * 10.0 ** -len(text.partition(".")[2])
        found += part * value
        allowed += 0.0005 * (abs(value) + half) + (part + 0.0005) * half + 0.001 * abs(value) * share.startswith("<")
    return found, float(total.replace("−", "-")), allowed + 0.5 * 10.0 ** -len(total.partition(".")[2])


@pytest.mark.parametrize("linear", [False, True], ids=["constant", "linear"])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6))
def test_label_colour_and_bar_of_a_node_do_not_contradict_each_other(kind: str, linear: bool, seed: int) -> None:
    tree, _ = soft_tree(kind, linear, seed)
    numbers = node_numbers(tree)
    assert numbers.source == "observed"
    np.testing.assert_array_equal(numbers.arrives, tree.mean_answers)  # what pictures and pages take them from
    for m in np.flatnonzero(tree.n_children).tolist():
        below = tree.children(m)
        mean = np.average(tree.arrived[below], axis=0, weights=tree.count[below])
        np.testing.assert_allclose(mean, tree.arrived[m], rtol=1e-9, atol=1e-12)
    if tree.schema.task == "classification":
        np.testing.assert_allclose(tree.arrived.sum(axis=1), 1.0)
        for line in to_text(tree).splitlines():
            node = re.match(r" *(\d) +[^ ]", line)
            if node and "%" in line:
                m = int(node[1])
                bar = tree.arrived[m]
                assert numbers.place(m) == int(bar.argmax())
                assert re.search(rf"% +{numbers.label(m)} ", line)
                assert all(f" {part:.3f}" in line for part in bar)


@pytest.mark.parametrize("linear", [False, True], ids=["constant", "linear"])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6))
def test_the_printed_sum_of_a_row_is_its_answer(kind: str, linear: bool, seed: int) -> None:
    tree, X = soft_tree(kind, linear, seed)
    found = row_sum(tree, X[0])
    np.testing.assert_allclose(sum(part.share for part in found.parts), 1.0)
    for line in found.lines():
        if "×" in line:
            pencil, total, allowed = by_pencil(line.partition(" →")[0])
            assert abs(pencil - total) <= allowed + 1e-9
    np.testing.assert_allclose(found.answer, tree.predict(X[:1])[0])
    total = {
        "two": lambda z: 1 / (1 + np.exp(-z)), "many": lambda z: np.exp(z) / np.exp(z).sum(), "log": np.exp,
    }.get(kind, lambda z: z)(found.total)  # fmt: skip
    np.testing.assert_allclose(total, found.answer[-1:] if kind == "two" else found.answer, rtol=1e-9)


@given(seed=st.integers(0, 10**6))
def test_a_written_sum_of_a_linear_leaf_is_what_it_adds(seed: int) -> None:
    """Its constant is the mean there, and its terms have mean 0, so the text can be evaluated."""
    tree, X = soft_tree("numbers", True, seed)
    numbers = node_numbers(tree)
    for m in (1, 3, 4):
        text = " ".join(Wording(tree, 6).equation(m, 0, 1000).pieces).removeprefix("y = ").replace("−", "-")
        text = re.sub(r" \(±[\d.]+\)", "", text).replace("·", "*")
        values = eval(text, {}, {"a": X[:, 0], "b": X[:, 1]})
        own = tree.response[m, 0] + X @ tree.slope[tree.slope_row[m]][:, 0]
        np.testing.assert_allclose(values, own, atol=1e-4)
        assert float(text.split(" ")[0]) == pytest.approx(float(numbers.adds[m, 0]), abs=1e-5)
