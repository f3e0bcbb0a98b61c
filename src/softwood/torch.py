"""A soft tree as a PyTorch module: from a fitted `Tree`, trained as part of a network, and back.

    share  = sigmoid(weight . basis(x) + bias), the share of the first child
    reach[child] = (1 - leafness) * reach * share
    output = sum over nodes of leafness * reach * (response + basis(x) . slope)

The equation is that of kernels/formulas/equation.py; the gradient is autograd's, which tests compare with the kernels'.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Link, Score, Squash, Term
from softwood.tree import Basis, Schema, Tree

try:
    import torch
    from torch import nn
except ImportError as lacking:
    raise ImportError("softwood.torch needs PyTorch: pip install 'softwood[torch]'.") from lacking

from softwood.engines.torch.answers import AnswerPlan, can_answer, plan_answers

__all__ = ["SoftTree"]

# Statistics of the training rows, which further training invalidates.
STATISTICS = ("count", "impurity", "gain", "mean", "arrived", "column_mean", "weight_effect", "slope_effect")
DEEPEST = 12  # of a new tree: the number of gates doubles with each level
FIRST_RESPONSE = 0.01  # standard deviation of the responses of a new tree


class SoftTree(nn.Module):
    """A soft tree that maps inputs (..., n_features) to outputs (..., n_outputs) before the link; differentiable in
    inputs and parameters. A new module is a complete tree whose gates weigh all inputs, to be trained from scratch, for
    example as the last layer of a network. `from_tree` takes a fitted tree; `to_tree` returns a `Tree`, to print, draw,
    explain, export and save.

    Parameters
    ----------
    n_features, n_outputs : number of inputs and outputs.
    depth : levels of gates; 2^depth leaves.
    slopes : whether leaves have a weighted sum of the inputs instead of a constant.

    Attributes
    ----------
    weight, bias : parameters (gates, basis columns) and (gates,). A weight that the fitted gate does not have stays 0.
    response : parameter (leaves and buds, outputs).
    slope : parameter (slopes, basis columns, outputs).
    tree : the original tree; its basis, leafness and structure are fixed.

    Examples
    --------
    >>> from softwood.torch import SoftTree
    >>> layer = SoftTree(n_features=3, n_outputs=2, depth=2)
    >>> layer(torch.zeros(5, 3)).shape
    torch.Size([5, 2])
    >>> layer.to_tree()
    Tree(7 nodes, 4 leaves, depth 2, 3 features, 2 outputs, soft)
    """

    def __init__(self, n_features: int, n_outputs: int = 1, depth: int = 4, *, slopes: bool = False) -> None:
        super().__init__()
        for name, value, most in (
            ("n_features", n_features, None),
            ("n_outputs", n_outputs, None),
            ("depth", depth, DEEPEST),
        ):
            if not isinstance(value, int | np.integer) or value < 1 or (most is not None and value > most):
                raise ValueError(
                    f"{name} must be an integer from 1{'' if most is None else f' to {most}'}, got {value!r}."
                )
        self._take(_full_tree(int(n_features), int(n_outputs), int(depth), slopes), torch.get_default_dtype())
        nn.init.normal_(self.weight, std=n_features**-0.5)
        nn.init.normal_(self.response, std=FIRST_RESPONSE)

    @classmethod
    def from_tree(cls, tree: Any) -> Self:
        """A module with the same predictions as the tree, in float64 (`.float()` for single precision).

        tree : a `Tree` or a fitted estimator of soft trees or budding trees. Steps, ramps and soft thresholds are
            refused: only sigmoids of linear scores have a gradient everywhere.
        """
        tree = getattr(tree, "tree_", tree)
        if not isinstance(tree, Tree):
            raise TypeError(f"from_tree needs a Tree or a fitted estimator, got {type(tree).__name__}.")
        _check_gates(tree)
        module = cls.__new__(cls)
        nn.Module.__init__(module)
        module._take(tree, torch.float64)
        return module

    def _take(self, tree: Tree, dtype: Any) -> None:
        self.tree = tree
        branch, kept = np.flatnonzero(tree.score == Score.LINEAR), np.flatnonzero(tree.leafness > 0)
        self._branches = _branches(tree)
        self._kept = kept.tolist()
        weight, weighed = _dense_weights(tree, branch)
        uses = tree.slope_row[kept][:, None] == np.arange(len(tree.slope))
        basis, numbers = tree.basis, {"dtype": dtype}
        self.weight = nn.Parameter(torch.tensor(weight, **numbers))
        self.bias = nn.Parameter(torch.tensor(tree.bias[branch], **numbers))
        self.response = nn.Parameter(torch.tensor(tree.response[kept], **numbers))
        self.slope = nn.Parameter(torch.tensor(np.array(tree.slope), **numbers))
        for name, values in {
            "_weighed": weighed,
            "_leafness": tree.leafness[kept],
            "_uses_slope": uses,
            "_parameter": basis.parameter,
            "_when_missing": basis.when_missing,
        }.items():
            self.register_buffer(name, torch.tensor(np.array(values), **numbers), persistent=False)
        self.register_buffer("_feature", torch.tensor(basis.feature.astype(np.int64)), persistent=False)
        for term in (Term.SQUARE, Term.HINGE, Term.CATEGORY, Term.MISSING):
            mask = torch.tensor(np.asarray(basis.term == term))
            self.register_buffer(f"_is_{term.name.lower()}", mask, persistent=False)

    def columns(self, X: Any) -> Any:
        """The basis columns of the inputs, (..., columns); NaN is a missing value."""
        if X.shape[-1] != self.tree.n_features:
            raise ValueError(f"X must have {self.tree.n_features} columns, one per input, got {tuple(X.shape)}.")
        x = X.to(self.bias.dtype)[..., self._feature]
        gone = torch.isnan(x)
        x = torch.where(gone, torch.zeros_like(x), x)
        phi = torch.where(self._is_square, x * x, x)
        phi = torch.where(self._is_hinge, torch.relu(x - self._parameter), phi)
        phi = torch.where(self._is_category, (x == self._parameter).to(x.dtype), phi)
        phi = torch.where(gone, self._when_missing, phi)
        return torch.where(self._is_missing, gone.to(x.dtype), phi)

    def reach(self, X: Any) -> Any:
        """Reach: the proportion of each row that arrives at each node, (..., nodes)."""
        return torch.stack(self._reach(self.columns(X)), dim=-1)

    def forward(self, X: Any) -> Any:
        """The output before the link, (..., n_outputs).

        Without a gradient, large batches of float32 rows on a CUDA device use one kernel if the tree has one output.
        """
        if can_answer(X, self.bias) and X.shape[-1] == self.tree.n_features:
            plan = self._answer_plan(X.device)
            if plan is not None:
                return plan.output(X, self.weight, self.bias, self.response, self.slope)
        phi = self.columns(X)
        reach = self._reach(phi)
        kept = torch.stack([reach[m] for m in self._kept], dim=-1) * self._leafness
        output = kept @ self.response
        if len(self.slope):
            answers = torch.einsum("...c,scq->...sq", phi, self.slope)
            output = output + ((kept @ self._uses_slope)[..., None] * answers).sum(dim=-2)
        return output

    def _answer_plan(self, device: Any) -> AnswerPlan | None:
        """Built on first access on a device."""
        plans = self.__dict__.setdefault("_plans", {})
        if device not in plans:
            plans[device] = plan_answers(self.tree, self._weighed)
        found: AnswerPlan | None = plans[device]
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_plans"}

    def _reach(self, phi: Any) -> list[Any]:
        share = torch.sigmoid(phi @ (self.weight * self._weighed).T + self.bias)
        reach: list[Any] = [phi.new_ones(phi.shape[:-1])] * self.tree.n_nodes
        for each in self._branches:
            sent = reach[each.node] * each.passed
            for at, part in enumerate(each.shares):
                reach[each.first + at] = sent * part
            if each.gate >= 0:
                reach[each.first] = sent * share[..., each.gate]
                reach[each.first + 1] = sent - reach[each.first]
        return reach

    def predict(self, X: Any) -> Any:
        """The prediction after the link: numbers, or probabilities of all classes."""
        output = self(X)
        if self.tree.link == Link.SOFTMAX:
            return torch.softmax(output, dim=-1)
        if self.tree.link == Link.SIGMOID:
            p = torch.sigmoid(output)
            return torch.cat([1.0 - p, p], dim=-1) if self.tree.n_outputs == 1 else p
        return output.exp() if self.tree.link == Link.LOG else output

    def to_tree(self, schema: Schema | None = None, link: Link | None = None) -> Tree:
        """The current tree. Statistics of the training rows (counts, gains, effects) are dropped once a parameter has
        changed.

        schema, link : other names of inputs and answers, another link; None: those of the original tree.
        """
        tree, branch = self.tree, np.flatnonzero(self.tree.score == Score.LINEAR)
        bias, response = tree.bias.copy(), tree.response.copy()
        bias[branch], response[self._kept] = _numbers(self.bias), _numbers(self.response)
        weight, gate = _numbers(self.weight), np.repeat(np.arange(tree.n_nodes), np.diff(tree.weight_begin))
        gate_of_node = np.cumsum(tree.score == Score.LINEAR) - 1
        weight = weight[gate_of_node[gate], tree.weight_column]
        changes: dict[str, Any] = {"bias": bias, "response": response, "weight": weight, "slope": _numbers(self.slope)}
        if any(not np.array_equal(getattr(tree, name), value) for name, value in changes.items()):
            changes |= {name: np.zeros(0) for name in STATISTICS} | {"provenance": None, "note": ()}
        else:
            changes = {}
        changes |= {"schema": schema} if schema is not None else {}
        changes |= {"link": link} if link is not None else {}
        return tree.replace(**changes) if changes else tree

    def extra_repr(self) -> str:
        return f"{self.tree.n_features} inputs, {self.tree.n_outputs} outputs, {self.tree.n_leaves} leaves"


def _numbers(parameter: Any) -> npt.NDArray[np.float64]:
    return np.asarray(parameter.detach().cpu().double().numpy())


class _Branch(NamedTuple):
    """A node with children: the part that it passes on; its place among the gates, or -1 and the constant shares."""

    node: int
    first: int
    passed: float
    gate: int
    shares: tuple[float, ...] = ()


def _branches(tree: Tree) -> list[_Branch]:
    gate = np.cumsum(tree.score == Score.LINEAR) - 1
    found = []
    for m in np.flatnonzero(tree.n_children).tolist():
        constant = tree.score[m] == Score.CONSTANT
        shares = tuple(tree.fraction[tree.children(m)].tolist()) if constant else ()
        at = -1 if constant else int(gate[m])
        found.append(_Branch(m, int(tree.first_child[m]), float(1.0 - tree.leafness[m]), at, shares))
    return found


def _check_gates(tree: Tree) -> None:
    """Refuse a tree that has a gate other than the sigmoid of a linear score, or constant shares."""
    branch = (tree.n_children > 0) & (tree.score != Score.CONSTANT)
    other = branch & ((tree.score != Score.LINEAR) | (tree.squash != Squash.SIGMOID))
    if other.any():
        node = int(other.argmax())
        kind = f"{Squash(tree.squash[node]).name.lower()} of a {Score(tree.score[node]).name.lower()} score"
        raise ValueError(
            f"the gate of node {node} is a {kind}; a module supports sigmoids of linear scores only. Fit the tree with "
            "SoftTreeClassifier, SoftTreeRegressor or a budding tree."
        )


def _dense_weights(tree: Tree, branch: Any) -> tuple[Any, Any]:
    """Weights of the branches over all columns, and a mask of the gate's own columns."""
    weight, weighed = (np.zeros((len(branch), len(tree.basis))) for _ in range(2))
    for gate, m in enumerate(branch.tolist()):
        at = slice(tree.weight_begin[m], tree.weight_begin[m + 1])
        weight[gate, tree.weight_column[at]] = tree.weight[at]
        weighed[gate, tree.weight_column[at]] = 1.0
    return weight, weighed


def _full_tree(n_features: int, n_outputs: int, depth: int, slopes: bool) -> Tree:
    """All gates weigh all inputs by 0; the children of m are 2 m + 1 and 2 m + 2."""
    gates, leaves = 2**depth - 1, 2**depth
    of_gate = np.arange(gates + leaves) < gates
    row = np.where(of_gate, -1, np.arange(gates + leaves) - gates) if slopes else np.full(gates + leaves, -1)
    return Tree(
        response=np.zeros((gates + leaves, n_outputs)),
        schema=Schema.plain(n_features, n_outputs),
        first_child=np.where(of_gate, 2 * np.arange(gates + leaves) + 1, -1),
        n_children=np.where(of_gate, 2, 0),
        score=np.where(of_gate, Score.LINEAR, Score.NONE),
        squash=np.where(of_gate, Squash.SIGMOID, Squash.STEP),
        weight_begin=np.minimum(np.arange(gates + leaves + 1), gates) * n_features,
        weight_column=np.tile(np.arange(n_features), gates),
        weight=np.zeros(gates * n_features),
        basis=Basis.identity(n_features),
        slope_row=row,
        slope=np.zeros((leaves if slopes else 0, n_features, n_outputs)),
    )
