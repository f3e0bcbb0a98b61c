"""Sums far out equal those of the tree, without rounding errors of cancelling terms, and without overflow."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels import reference
from softwood.kernels.formulas.equation import expand
from softwood.kernels.formulas.far_out import SteadyTree, steady_sums
from softwood.kernels.kinds import Score, Squash, Term
from softwood.tree import Basis, Schema, Tree
from tests.strategies import random_rows, random_tree

EVALUATORS = [reference.Evaluator, kernels.Evaluator]
KNOTS = [-1.7, -0.3, 0.1, 0.9, 2.3]
WEIGHTS = [0.1, 0.7, -0.3, 0.9, -1.4]  # flat beyond the last knot, but for rounding
FAR = np.concatenate([np.linspace(0.9, 1.1, 501) * size for size in (1e3, 1e9, 1e12, 1e15, 1e100, 1e300)])


def curve(weight: list[float], *, gate: bool = False, line: float = 0.0, missing: float = 0.0) -> Tree:
    """One input: a line and hinges, as the response of a leaf, or as the score of a soft gate."""
    n = 1 + len(weight)
    basis = Basis(
        [Term.IDENTITY] + [Term.HINGE] * len(weight), [0] * n, [0.0, *KNOTS[: len(weight)]], [0.0] * (n - 1) + [missing]
    )
    if not gate:
        slope = np.array([line, *weight]).reshape(1, n, 1)
        return Tree(response=[[0.5]], schema=Schema.plain(1, 1), basis=basis, slope=slope, slope_row=[0])
    return Tree(
        response=[[0.5], [1.0], [0.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
        score=[Score.LINEAR, 0, 0], squash=[Squash.SIGMOID, 0, 0], basis=basis, weight_begin=[0, n, n, n],
        weight_column=np.arange(n), weight=[line, *weight],
    )  # fmt: skip


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("gate", [False, True])
def test_a_flat_curve_stays_flat(evaluator: Any, gate: bool) -> None:
    ask = evaluator(curve(WEIGHTS, gate=gate))
    at_last_knot = ask.output(np.array([[KNOTS[-1]]])).item()
    assert np.array_equal(ask.output(FAR[:, None]), np.full((len(FAR), 1), at_last_knot))


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("line", [0.0, 0.25])
def test_a_rising_curve_rises_to_the_end(evaluator: Any, line: float) -> None:
    weight, x = [*WEIGHTS[:-1], -1.3], np.sort(FAR)
    told = evaluator(curve(weight, line=line)).output(x[:, None])[:, 0]
    assert np.all(np.diff(told) >= 0)
    assert np.isfinite(told).all()
    for at in (0, 700, 1200, 1800):
        terms = (Fraction(w) * (Fraction(x[at]) - Fraction(k)) for w, k in zip(weight, KNOTS, strict=True))
        exact = Fraction(0.5) + Fraction(line) * Fraction(x[at]) + sum(terms)
        assert told[at] == pytest.approx(float(exact), rel=1e-13)


def test_up_to_the_last_knot_nothing_changes() -> None:
    x = np.append(np.linspace(-9.0, KNOTS[-1], 400), np.nan)[:, None]
    for line in (0.0, 0.4):
        tree = curve(WEIGHTS, line=line)
        plain = 0.5 + np.cumsum(expand(tree.basis, x) * tree.slope[0, :, 0], axis=1)[:, -1]
        np.testing.assert_allclose(reference.Evaluator(tree).output(x)[:, 0], plain, rtol=1e-15, atol=1e-15)


def test_a_gate_that_lacks_the_last_hinge_gets_it() -> None:
    """Another gate has it: columns are shared by all gates."""
    tree = curve([*WEIGHTS[:-1], 0.0], gate=True)
    tree = tree.replace(weight_begin=[0, 2, 2, 2], weight_column=[1, 2], weight=[0.1, 0.7])
    sums = steady_sums(tree)
    assert sums.weight_begin.tolist() == [0, 3, 3, 3]
    assert sums.weight_column.tolist() == [1, 2, 5]
    np.testing.assert_allclose(sums.weight, [0.1, 0.7, 0.8])
    x = np.array([[5.0], [50.0], [np.nan]])
    score = np.array([0.1 * (5 + 1.7) + 0.7 * 5.3, 0.1 * 51.7 + 0.7 * 50.3, 0.0])
    np.testing.assert_allclose(tree.output(x)[:, 0], 1 / (1 + np.exp(-score)))


def test_a_missing_value_keeps_its_answer() -> None:
    for missing in (0.0, 3.0):
        tree = curve(WEIGHTS, missing=missing)
        assert tree.output([[np.nan]]).item() == 0.5 + WEIGHTS[-1] * missing


@pytest.mark.parametrize("seed", range(20))
def test_no_row_overflows_a_sum(seed: int) -> None:
    tree = random_tree(seed, 9, smooth=True)
    X = random_rows(seed, 40)
    X[X > 0] *= 1e306
    X[X < 0] *= 1e150
    with np.errstate(over="raise", invalid="raise"):
        phi = expand(tree.basis, X, (SteadyTree(tree).low, SteadyTree(tree).high))
    told = [evaluator(tree).output(X) for evaluator in EVALUATORS]
    assert np.isfinite(phi).all()
    assert np.isfinite(told[0]).all()
    np.testing.assert_allclose(*told, rtol=1e-9)
