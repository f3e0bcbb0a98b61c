"""Predictions of `softwood.torch.SoftTree` by the kernel: those of the tree, up to the rounding of float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.engines.torch import answers
from softwood.torch import SoftTree

rng = np.random.default_rng(0)
X = np.c_[rng.normal(size=(3000, 3)), rng.integers(0, 4, 3000)]
Y = np.sin(2 * X[:, 0]) + (X[:, 3] == 2) * X[:, 1]
X[::11, 0] = X[::7, 3] = np.nan
MANY = np.tile(X, (20, 1))[:-7]  # fills no block

FITTED = {
    "linear": lambda: SoftTreeRegressor(gate="linear", leaf="constant").fit(X, Y),
    "curves and slopes": lambda: SoftTreeRegressor(gate="additive", leaf="linear", categorical_features=[3]).fit(X, Y),
    "squares": lambda: SoftTreeRegressor(gate="quadratic", max_leaves=3).fit(X, Y),
    "two classes": lambda: SoftTreeClassifier(gate="linear").fit(X, Y > 0),
}


@pytest.mark.parametrize("kind", FITTED)
def test_answers_are_those_of_the_tree(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FITTED[kind]().tree_
    module, rows = SoftTree.from_tree(tree).float().cuda(), torch.tensor(MANY, device="cuda").float()
    asked: list[Any] = []
    output = answers.AnswerPlan.output
    monkeypatch.setattr(answers.AnswerPlan, "output", lambda *given: asked.append(1) or output(*given))
    with torch.no_grad():
        found = module(rows)
    assert tree.n_nodes == 1 or asked
    expected = tree.output(MANY)
    np.testing.assert_allclose(found.cpu().numpy(), expected, atol=2e-4 * np.abs(expected).max())


def test_a_gradient_and_other_rows_go_by_operators() -> None:
    module = SoftTree(4, 1, 3).cuda()
    rows = torch.randn((60_000, 4), device="cuda")
    with torch.no_grad():
        quick, infinite = module(rows), module(torch.full((60_000, 4), torch.inf, device="cuda"))
    slow = module(rows)
    assert slow.requires_grad
    torch.testing.assert_close(quick, slow.detach(), rtol=1e-5, atol=1e-6)
    assert torch.isfinite(infinite).all()
    with torch.no_grad():
        torch.testing.assert_close(module(rows[:100]), quick[:100], rtol=1e-5, atol=1e-6)
        assert module(rows.double()).dtype == torch.float32
