"""softwood.torch: the module answers as the tree, its gradient is the kernels', and what it learns is a Tree again."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from softwood import BuddingTreeRegressor, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor, Tree
from softwood.kernels import make_rows, make_shape
from softwood.kernels.kinds import Link, Loss
from softwood.torch import SoftTree
from softwood.tree import Schema


def table(rows: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, a category and missing values; a target that needs curves."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(rows, 3)), rng.integers(0, 4, rows)]
    y = np.sin(2 * X[:, 0]) + (X[:, 3] == 2) * X[:, 1]
    X[::11, 0] = X[::7, 3] = np.nan
    return X, y


FITTED = {
    "curves": lambda X, y: SoftTreeRegressor(gate="additive", leaf="linear", categorical_features=[3]).fit(X, y),
    "squares": lambda X, y: SoftTreeRegressor(gate="quadratic", max_leaves=3).fit(X, y),
    "two classes": lambda X, y: SoftTreeClassifier(gate="linear").fit(X, y > 0),
    "classes": lambda X, y: SoftTreeClassifier(leaf="constant", max_leaves=4).fit(X, np.digitize(y, [-0.5, 0.5])),
    "few inputs a gate": lambda X, y: SoftTreeRegressor(max_gate_features=1).fit(X, y),
    "buds": lambda X, y: BuddingTreeRegressor(max_nodes=9).fit(X, y),
}


@pytest.mark.parametrize("kind", FITTED)
def test_the_module_answers_as_the_tree_and_is_the_tree_again(kind: str) -> None:
    X, y = table()
    tree = FITTED[kind](X, y).tree_
    module, rows = SoftTree.from_tree(tree), torch.tensor(X)
    np.testing.assert_allclose(module(rows).detach().numpy(), tree.output(X), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(module.reach(rows).detach().numpy(), tree.reach(X), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(module.predict(rows).detach().numpy(), tree.predict(X), rtol=1e-9, atol=1e-10)
    assert module.to_tree() is tree


def full_tree(depth: int, slopes: bool, outputs: int, link: Link) -> SoftTree:
    module = SoftTree(3, outputs, depth, slopes=slopes).double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(generator=torch.Generator().manual_seed(1))
    schema = Schema.plain(3, 2 if link == Link.SIGMOID else outputs)
    return SoftTree.from_tree(module.to_tree(schema, link))


LOSSES = {
    Loss.SQUARED: (2, Link.IDENTITY, lambda output, target: 0.5 * (output - target).square().sum(1)),
    Loss.LOGISTIC: (1, Link.SIGMOID, lambda output, target: (nn.functional.softplus(output) - target * output)[:, 0]),
    Loss.SOFTMAX: (3, Link.SOFTMAX, lambda output, target: -(target * output.log_softmax(1)).sum(1)),
}


@pytest.mark.parametrize("slopes", [False, True], ids=["constant", "linear"])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.kind.name.lower())
def test_the_gradient_is_that_of_the_kernels(loss: Loss, slopes: bool) -> None:
    outputs, link, row_loss = LOSSES[loss]
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(150, 3)), rng.uniform(0.5, 2.0, 150)
    target = (
        rng.normal(size=(150, outputs)) if loss == Loss.SQUARED else np.eye(outputs + 1)[rng.integers(0, outputs, 150)]
    )
    target = np.ascontiguousarray(target[:, :outputs])
    module = full_tree(3, slopes, outputs, link)
    part = torch.tensor(weight / weight.sum())
    mean = (part * row_loss(module(torch.tensor(X)), torch.tensor(target))).sum()
    mean.backward()
    tree, leaves = module.tree, np.arange(8)
    row = (leaves if slopes else -np.ones(8)).astype(np.int32)
    shape = make_shape(np.array(tree.first_child), row, len(tree.slope), 3, outputs)
    gates = (
        torch.cat([module.weight, module.bias[:, None]], dim=1),
        torch.cat([module.weight.grad, module.bias.grad[:, None]], dim=1),
    )
    parameters, gradient = (
        torch.cat([of_gates.flatten(), response.flatten(), slope.transpose(1, 2).flatten()]).detach().numpy()
        for of_gates, response, slope in (
            (gates[0], module.response, module.slope),
            (gates[1], module.response.grad, module.slope.grad if slopes else module.slope),
        )
    )
    value, expected = make_rows(X, target, weight, loss).gradient(shape, np.ascontiguousarray(parameters))
    assert mean.item() == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-13)


def test_the_gradient_by_the_inputs_is_that_of_finite_differences() -> None:
    X, y = table(40)
    X = np.nan_to_num(X)
    module = SoftTree.from_tree(SoftTreeRegressor(gate="quadratic", leaf="linear", max_leaves=3).fit(X, y))
    assert torch.autograd.gradcheck(module, torch.tensor(X[:5], requires_grad=True))


def test_a_network_before_the_tree_is_trained_with_it_and_the_tree_is_read() -> None:
    torch.manual_seed(0)
    X = torch.randn(400, 6)
    y = torch.tanh(X[:, :1] * X[:, 1:2])
    network = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), SoftTree(4, 1, depth=3))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.03)
    losses = []
    for _ in range(150):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(network(X), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]
    tree = network[2].to_tree(Schema.plain(4, 1))
    hidden = network[:2](X).detach().numpy()
    np.testing.assert_allclose(tree.output(hidden), network(X).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_training_moves_no_weight_that_the_gate_does_not_have_and_drops_what_was_said_of_other_rows() -> None:
    X, y = table()
    tree = SoftTreeRegressor(gate="linear", max_gate_features=1, max_leaves=4, leaf="constant").fit(X, y).tree_
    module = SoftTree.from_tree(tree)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (module(torch.tensor(X))[:, 0] - torch.tensor(y)).square().mean().backward()
        optimizer.step()
    moved = module.to_tree()
    np.testing.assert_array_equal(moved.weight_column, tree.weight_column)
    assert not np.array_equal(moved.weight, tree.weight)
    assert np.isnan(moved.count).all()
    assert moved.provenance is None
    np.testing.assert_allclose(moved.output(X), module(torch.tensor(X)).detach().numpy(), rtol=1e-9, atol=1e-12)


def test_a_state_is_saved_and_loaded() -> None:
    X, y = table()
    module = SoftTree.from_tree(SoftTreeRegressor(max_leaves=3).fit(X, y))
    other = SoftTree.from_tree(module.tree)
    with torch.no_grad():
        module.response.add_(1.0)
    other.load_state_dict(module.state_dict())
    assert other.to_tree() == module.to_tree()
    assert other.to_tree() != module.tree


def test_any_leading_axes_and_single_precision() -> None:
    module = full_tree(2, True, 2, Link.IDENTITY)
    X = torch.randn(4, 5, 3, dtype=torch.float64)
    # Products of 20 and of 5 rows: torch orders their sums by the shape, so they are equal up to rounding.
    torch.testing.assert_close(module(X)[1], module(X[1]), rtol=1e-13, atol=1e-13)
    single = SoftTree.from_tree(module.tree).float()(X.float())
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), module(X), rtol=1e-4, atol=1e-5)


def test_behind_a_log_link_answers_are_exponentials() -> None:
    module = SoftTree.from_tree(full_tree(2, True, 2, Link.IDENTITY).tree.replace(link=Link.LOG))
    X = torch.randn(20, 3, dtype=torch.float64)
    torch.testing.assert_close(module.predict(X), module(X).exp())
    np.testing.assert_allclose(module.predict(X).detach().numpy(), module.tree.predict(X.numpy()), rtol=1e-9)


def test_a_tree_of_one_leaf() -> None:
    tree = Tree(response=[[1.0, 2.0]], schema=Schema.plain(2, 2))
    assert SoftTree.from_tree(tree)(torch.zeros(3, 2)).tolist() == [[1.0, 2.0]] * 3


def test_what_is_refused() -> None:
    X, y = table()
    with pytest.raises(ValueError, match="gate of node 0 is a step of a threshold score"):
        SoftTree.from_tree(CARTRegressor(max_depth=2).fit(X, y))
    with pytest.raises(TypeError, match="a Tree or a fitted estimator, got list"):
        SoftTree.from_tree([])
    with pytest.raises(ValueError, match="depth must be an integer from 1 to 12, got 40"):
        SoftTree(3, depth=40)
    with pytest.raises(ValueError, match=r"X must have 3 columns, one per input, got \(5, 2\)"):
        SoftTree(3)(torch.zeros(5, 2))


def test_without_torch_the_error_names_the_extra() -> None:
    program = "import sys; sys.modules['torch'] = None; import softwood.torch"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False).stderr
    assert "softwood.torch needs PyTorch: pip install 'softwood[torch]'." in said
