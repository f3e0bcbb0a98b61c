"""From outputs to predictions and classes: the native link against the reference."""

from __future__ import annotations

import os

import numpy as np
import pytest

from softwood import Schema, Tree, TreeError
from softwood.kernels import reference
from softwood.kernels.kinds import Link, Term
from softwood.tree import Basis

if os.environ.get("SOFTWOOD_KERNELS") == "reference":
    pytest.skip("SOFTWOOD_KERNELS=reference: the native kernels are not to be used", allow_module_level=True)

from softwood.kernels import native

ROUNDING = 4 * np.finfo(float).eps  # NumPy's exponential differs in the last bit from machine to machine
CASES = [(Link.SIGMOID, 1), (Link.SIGMOID, 3), *((Link.SOFTMAX, k) for k in (1, 2, 3, 7, 8, 9, 130, 300)), (Link(0), 3)]


def passing(link: Link, n: int) -> Tree:
    """A leaf whose outputs are its inputs."""
    column = np.arange(n)
    basis = Basis(term=np.full(n, Term.IDENTITY), feature=column, parameter=np.zeros(n), when_missing=np.zeros(n))
    schema = Schema.plain(n, 2 if link == Link.SIGMOID and n == 1 else n, "classification")
    return Tree(response=np.zeros((1, n)), schema=schema, link=link, slope_row=[0], slope=np.eye(n)[None], basis=basis)


@pytest.mark.parametrize(("link", "n"), CASES)
def test_answers_and_classes_are_those_of_the_reference(link: Link, n: int) -> None:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(3_000, n)) * 10.0 ** rng.uniform(-17, 3, size=(3_000, 1))
    X[:3] = [[0.0], [900.0], [-900.0]]
    tree = passing(link, n)
    ours, theirs = native.Evaluator(tree), reference.Evaluator(tree)
    wanted = theirs.predict(X)
    np.testing.assert_allclose(ours.predict(X), wanted, rtol=ROUNDING, atol=1e-300)
    best = np.sort(wanted, axis=1)[:, -2:]
    clear = best[:, -1] - best[:, 0] > 1e-15 if wanted.shape[1] > 1 else np.ones(len(X), bool)
    assert np.array_equal(ours.decide(X)[clear], theirs.decide(X)[clear])
    assert np.array_equal(ours.decide(X), ours.predict(X).argmax(axis=1))  # a class is that of its own probability
    assert ours.predict(X, 3).tobytes() == ours.predict(X).tobytes()
    assert ours.decide(X, 3).tobytes() == ours.decide(X).tobytes()
    assert ours.predict(X[:0]).shape == (0, wanted.shape[1])
    assert ours.decide(X[:0]).shape == (0,)


@pytest.mark.parametrize("n", [1, 3])
def test_behind_a_log_link_answers_are_exponentials(n: int) -> None:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(3_000, n)) * 10.0 ** rng.uniform(-17, 2.5, size=(3_000, 1))
    X[:3] = [[0.0], [900.0], [-900.0]]
    tree = passing(Link.SOFTMAX, n).replace(schema=Schema.plain(n, n), link=Link.LOG)
    ours, theirs = native.Evaluator(tree).predict(X), reference.Evaluator(tree).predict(X)
    np.testing.assert_allclose(ours, theirs, rtol=ROUNDING, atol=1e-300)
    assert ours.min() >= 0.0
    assert np.isinf(ours[1]).all()
    np.testing.assert_allclose(np.log(ours[3:]), X[3:], rtol=1e-12, atol=1e-12)
    with pytest.raises(TreeError, match="a log link is for regression"):
        tree.replace(schema=Schema.plain(n, n, "classification"))


@pytest.mark.parametrize("link", [link for link in Link if link != Link.LOG])
def test_what_is_no_number_stays_so(link: Link) -> None:
    tree = Tree(response=[[0.0, 0.0, 0.0]], schema=Schema.plain(1, 3, "classification"), link=link)
    for row in [[np.inf, 0.0, 1.0], [0.0, np.inf, np.inf], [-np.inf, 0.0, 0.0], [-np.inf] * 3, [0.0, 0.0, 0.0]]:
        odd = object.__new__(Tree)
        odd.__dict__.update(vars(tree), response=np.array([row]))
        ours, theirs = native.Evaluator(odd), reference.Evaluator(odd)
        np.testing.assert_allclose(ours.predict(np.zeros((1, 1))), theirs.predict(np.zeros((1, 1))), rtol=ROUNDING)
        assert ours.decide(np.zeros((1, 1))) == theirs.decide(np.zeros((1, 1)))


def test_a_link_that_is_none_is_refused() -> None:
    evaluator = native.Evaluator(passing(Link.SIGMOID, 1))
    evaluator._link = 7
    with pytest.raises(ValueError, match="link must be"):
        evaluator.predict(np.zeros((1, 1)))
