"""Interventional Shapley values of a tree's output: the method for each node, and the sum over nodes.

By linearity the values of a tree are the sum of those of its nodes with responses, so each gets the cheapest method:

    steps          step gates of one input each               exact, all nodes at once (step_values.py)
    products       other gates of one input each              exact, any number of inputs and background rows
    coalitions     gates that use few inputs together         exact
    permutations   other gates                                sampled, adds up exactly, with standard errors

Strumbelj & Kononenko (2014), Lundberg & Lee (2017); "interventional": inputs outside a coalition are those of a
background row, even if the blend is unlikely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.explain.blends import Blends, ByScores, Rows, ScoreBlends
from softwood.explain.coalitions import add_coalitions
from softwood.explain.factors import Answer, Apart, Factors, ProductGate, times
from softwood.explain.permutations import permuted, sample_orders
from softwood.explain.products import MOST_INPUTS, Product, Response, add_product
from softwood.explain.score_tree import make_score_tree
from softwood.explain.step_values import add_steps, most_inputs
from softwood.explain.steps import Steps, find_steps
from softwood.tree import Tree

FEW_INPUTS = 8  # maximum number of inputs for which "auto" tries all coalitions
MOST_COALITIONS = 16  # inputs, for method="exact"
MOST_PRODUCTS = 256  # of one path: surrogates multiply
PAIRS_AT_ONCE = 2**15


@dataclass(frozen=True)
class Values:
    """Contributions and their standard errors, (rows, inputs, outputs); whether any were sampled."""

    contributions: Floats
    standard_error: Floats
    sampled: bool


@dataclass(frozen=True)
class Plan:
    """The nodes by method."""

    steps: list[Steps]
    products: list[tuple[Answer, list[Factors]]]
    coalitions: dict[frozenset[int], list[Answer]]
    permutations: list[Answer]

    @property
    def compares_pairs(self) -> bool:
        """Whether time grows with the number of background rows."""
        many = any(len(factors) > MOST_INPUTS for _, products in self.products for factors in products)
        many = many or most_inputs(self.steps) > MOST_INPUTS
        return many or bool(self.coalitions) or bool(self.permutations)


def take_apart(tree: Tree, rows: Floats, method: str) -> tuple[Apart, list[Steps]]:
    """The nodes below step gates, whose values need no decomposition, and the others decomposed over the rows."""
    steps = find_steps(tree) if method != "sampling" else []
    done = [one.nodes for one in steps]
    return Apart(tree, rows, np.concatenate(done) if done else None), steps


def make_plan(apart: Apart, steps: list[Steps], method: str) -> Plan:
    """The cheapest method for every node with a response."""
    plan = Plan(steps, [], {}, [])
    for answer in apart.answers:
        products = _products(apart, answer) if method != "sampling" or not answer.path else None
        inputs = apart.inputs_of(answer)
        if products is not None:
            plan.products.append((answer, products))
        elif method == "exact" and len(inputs) > MOST_COALITIONS:
            raise ValueError(
                f"method='exact' would try 2^{len(inputs)} coalitions: the gates on the path to node "
                f"{answer.node} use {len(inputs)} inputs together; the maximum is {MOST_COALITIONS}. Use method='auto' "
                "or 'sampling', which report standard errors."
            )
        elif method == "exact" or (method == "auto" and len(inputs) <= FEW_INPUTS):
            plan.coalitions.setdefault(inputs, []).append(answer)
        else:
            plan.permutations.append(answer)
    return plan


def _products(apart: Apart, answer: Answer) -> list[Factors] | None:
    """The products whose sum is the reach of a node; None if there is no such sum or it is too long."""
    if not apart.is_product(answer):
        return None
    found: list[Factors] = [{}]
    for m, slot in answer.path:
        gate = apart.gates[m]
        assert isinstance(gate, ProductGate)
        found = [times(one, factors) for one in found for factors in gate.slots[slot]]
        found = [factors for factors in found if all(np.any(factor) for factor in factors.values())]
        if len(found) > MOST_PRODUCTS:
            return None
    too_long = bool(answer.parts) and any(len(factors) > MOST_INPUTS for factors in found)
    return None if too_long else found


@dataclass(frozen=True)
class Sampling:
    """The sampling of orders: pairs per background row, seed and threads."""

    n_pairs: int
    seed: int
    n_threads: int = 1


def shapley_values(apart: Apart, plan: Plan, n: int, weight: Floats, sampling: Sampling) -> Values:
    """Shapley values of some rows.

    Parameters
    ----------
    apart : the tree, decomposed over the rows followed by the background.
    n : number of rows before the background.
    weight : weights of the background rows; they sum to 1.
    """
    tree = apart.tree
    total = np.zeros((n, tree.n_features, tree.n_outputs))
    variance = np.zeros_like(total)
    for steps in plan.steps:
        add_steps(total, steps, apart.rows[:n], apart.rows[n:], weight)
    for answer, products in plan.products:
        response = _response(answer, len(apart.rows), n)
        for factors in products:
            add_product(total, _product(factors, len(apart.rows), n), response, weight)
    if plan.coalitions or plan.permutations:
        reach = tree.reach(apart.rows)
        for inputs, answers in plan.coalitions.items():
            _by_coalitions(total, Group(apart, answers, inputs, sampling.n_threads), weight, reach)
        if plan.permutations:
            inputs = frozenset().union(*(apart.inputs_of(answer) for answer in plan.permutations))
            group = Group(apart, plan.permutations, inputs, sampling.n_threads)
            _by_permutations(total, variance, group, weight, reach, sampling)
    return Values(total, np.sqrt(variance), bool(plan.permutations))


def _product(factors: Factors, n_rows: int, n: int) -> Product:
    inputs = tuple(sorted(factors))
    table = np.stack([factors[f] for f in inputs], axis=1) if inputs else np.zeros((n_rows, 0))
    return Product(inputs, table[:n], table[n:])


def _response(answer: Answer, n_rows: int, n: int) -> Response:
    inputs, outputs = tuple(sorted(answer.parts)), len(answer.constant)
    table = np.stack([answer.parts[f] for f in inputs], axis=1) if inputs else np.zeros((n_rows, 0, outputs))
    return Response(answer.weight * answer.constant, inputs, answer.weight * table[:n], answer.weight * table[n:])


class Group:
    """Nodes whose values are computed together, and the inputs of their gates."""

    def __init__(self, apart: Apart, answers: list[Answer], inputs: frozenset[int], n_threads: int) -> None:
        self.apart, self.answers, self.inputs = apart, answers, inputs
        scores = make_score_tree(apart, answers, inputs)
        self.by = None if scores is None else ByScores(scores, n_threads)

    def blends(self, rows: Rows) -> Blends:
        """Blends of some rows, by the kernels if possible."""
        if self.by is None:
            return Blends(self.apart, self.answers, self.inputs, rows)
        return ScoreBlends(self.apart, self.answers, self.inputs, rows, self.by)


def _by_coalitions(total: Floats, group: Group, weight: Floats, reach: Floats) -> None:
    n, step = len(total), max(1, PAIRS_AT_ONCE // len(weight))
    for at in range(0, n, step):
        some = slice(at, min(at + step, n))
        blends = group.blends(Rows(some, slice(n, None)))
        add_coalitions(total[some], blends, weight, reach[some], reach[n:])


def _by_permutations(
    total: Floats, variance: Floats, group: Group, weight: Floats, reach: Floats, sampling: Sampling
) -> None:
    n, rng = len(total), np.random.default_rng(sampling.seed)
    for z, share in enumerate(weight):
        orders = sample_orders(group.inputs, sampling.n_pairs, rng)
        for at in range(0, n, PAIRS_AT_ONCE):
            some = slice(at, min(at + PAIRS_AT_ONCE, n))
            blends = group.blends(Rows(some, slice(n + z, n + z + 1)))
            mean, spread = permuted(blends, orders, total.shape[1], reach[some], reach[n + z : n + z + 1])
            total[some] += share * mean
            variance[some] += share**2 * spread
