"""Mixtures of experts of wide and of long tables: the same mixture as by the plain way, in less time."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import MixtureOfExpertsRegressor
from softwood.learners.mixture import start
from softwood.learners.mixture.em import MixtureRows, expect
from softwood.learners.mixture.shape import MixtureShape
from softwood.learners.mixture.start import learn_mixture


def wide_rows(n: int = 20, columns: int = 60) -> MixtureRows:
    rng = np.random.default_rng(0)
    phi = np.column_stack([rng.normal(size=(n, columns)), np.ones(n)])
    target = phi[:, :3].sum(axis=1, keepdims=True) + 0.1 * rng.normal(size=(n, 1))
    return MixtureRows(phi, target, rng.integers(1, 3, n).astype(float), 2.0)


def test_weights_in_the_space_of_the_rows_are_weights_of_all_columns() -> None:
    rows = wide_rows()
    some, turn = rows.in_row_space()
    assert some.phi.shape == (20, 21)
    np.testing.assert_allclose(some.phi @ turn, rows.phi, atol=1e-12)
    np.testing.assert_allclose(turn @ turn.T, np.eye(21), atol=1e-12)


def test_wide_rows_have_the_same_mixture_either_way() -> None:
    rows, shape = wide_rows(), MixtureShape.make(1, 2, 0)
    some, turn = rows.in_row_space()
    plain, turned = (learn_mixture(shape, one, 1, 2, 30, 1e-7, 0) for one in (rows, some))
    np.testing.assert_allclose(turned.history[-1], plain.history[-1], rtol=1e-6)
    np.testing.assert_allclose(turned.gate @ turn, plain.gate, atol=1e-5)
    np.testing.assert_allclose(expect(turned, some)[1], expect(plain, rows)[1], atol=1e-5)


def test_a_wide_table_is_learned() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 80))
    model = MixtureOfExpertsRegressor(depth=1).fit(X, X[:, 0])
    assert np.corrcoef(model.predict(X), X[:, 0])[0, 1] > 0.9
    assert np.all(np.diff(model.log_likelihood_) > -1e-6)


@pytest.mark.parametrize("n", [1_500, 4_000])
def test_many_rows_begin_with_few_and_end_as_high(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] > 0, X[:, 1], -2.0 * X[:, 2]) + 0.2 * rng.normal(size=n)
    plain = MixtureOfExpertsRegressor(depth=1).fit(X, y)
    monkeypatch.setattr(start, "ALL_ROWS_MAX_ROWS", 1_000)
    monkeypatch.setattr(start, "FIRST_ROWS", 400)
    brief = MixtureOfExpertsRegressor(depth=1).fit(X, y)
    assert brief.log_likelihood_[-1] >= plain.log_likelihood_[-1] - 0.005 * n
    assert np.all(np.diff(brief.log_likelihood_) > -1e-6 * n)  # of all rows alone
    assert len(brief.log_likelihood_) < len(plain.log_likelihood_)
