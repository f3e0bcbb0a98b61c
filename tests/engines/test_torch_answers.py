"""The input of the prediction kernel, on the CPU: a plan finds the numbers of the tree."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from softwood import SoftTreeRegressor
from softwood.engines.torch import answers
from softwood.engines.torch.fused import TO_BITS
from softwood.torch import SoftTree

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3))
Y = np.tanh(2 * X[:, 0]) + np.sin(2 * X[:, 1]) * X[:, 2]


@pytest.mark.parametrize("leaf", ["constant", "linear"])
def test_a_plan_finds_the_numbers_of_the_tree(leaf: str) -> None:
    module = SoftTree.from_tree(SoftTreeRegressor(gate="linear", leaf=leaf, max_leaves=5).fit(X, Y)).float()
    tree = module.tree
    plan = answers.plan_answers(tree, module._weighed)
    assert plan is not None
    assert plan.plain
    parts = [module.weight.flatten(), module.bias, module.response.flatten(), module.slope.flatten(), torch.zeros(1)]
    packed = (torch.cat(parts)[plan.index] * plan.scale).detach().numpy()
    layout, end = plan.layout, plan.n_terms * plan.layout.width
    lines = packed[:end].reshape(plan.n_terms, layout.width).T[:, :3]
    np.testing.assert_allclose(
        lines[: len(layout.gate)], TO_BITS * module.weight.detach().numpy()[layout.gate], rtol=1e-6
    )
    node = np.flatnonzero(tree.n_children == 0)[layout.leaf]
    np.testing.assert_allclose(packed[end + layout.width :][: len(node)], tree.response[node, 0], rtol=1e-6)
    if leaf == "linear":
        slope = tree.slope[tree.slope_row[node], :, 0]
        np.testing.assert_allclose(lines[len(layout.gate) : layout.lines], slope, rtol=1e-6)
    assert not packed[:end].reshape(plan.n_terms, layout.width)[3:].any()


def test_trees_that_go_by_operators() -> None:
    tree = SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=3).fit(X, Y).tree_
    buds = SoftTree.from_tree(tree.replace(leafness=np.where(tree.n_children > 0, 0.2, 1.0)))
    two = SoftTree.from_tree(SoftTreeRegressor(gate="linear", max_leaves=3).fit(X, np.c_[Y, -Y]))
    assert [answers.plan_answers(module.tree, module._weighed) for module in (buds, two)] == [None, None]


def test_rows_on_the_cpu_go_by_operators() -> None:
    assert not answers.can_answer(torch.zeros((100_000, 3)), torch.zeros(3))
