"""A proof, from a finished tree of any learner, that its predictions are monotone in some inputs.

    output(m) = leafness response(m) + (1 - leafness) (g output(first) + (1 - g) output(second))

is monotone in an input x, for any values of the other inputs, including missing ones, if

    slopes    no linear response decreases with x
    gates     the share g of the first child never decreases with x, or never increases (or does not depend on it)
              (a mean of trees: constant shares, so every tree alone must be monotone)
    order     if it depends on x, the child that gains share has the larger output: the smallest response below it is at
    least the largest below the other, and their linear terms, if any, are the same

Sums of weights are added without rounding (math.fsum), so the proof holds for the tree as stored. Only rounding in
predictions remains: a few units in the last place of the largest term between the first and the last knot of a curve,
and none beyond them, where a curve is one product of doubles (kernels/formulas/far_out.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.kinds import Link, Term
from softwood.tree.tree import Tree
from softwood.tree.views import CategoryGate, ConstantGate, LinearGate, LinearResponse, WeightedTerm


@dataclass(frozen=True)
class MonotonicCertificate:
    """The proof for a tree: result, argument and margin.

    Attributes
    ----------
    signs : by name of the input, 1 if predictions never decrease with it, -1 if they never increase.
    holds : whether it is proved; if not, `failures` say where the argument fails (the tree may still be monotone).
    argument : the steps, as text.
    margin : the smallest gap between the outputs on the two sides of a gate on such an input, before the link; infinite
        if there is no such gate.
    failures : what could not be proved.
    """

    signs: dict[str, int]
    holds: bool
    argument: tuple[str, ...]
    margin: float
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = "proved" if self.holds else "not proved"
        words = {1: "decreases", -1: "increases"}
        claims = [f"the prediction never {words[sign]} with {name}" for name, sign in self.signs.items()]
        why = self.argument if self.holds else self.failures
        return "\n".join([f"{head}: {'; '.join(claims)}", *(f"  {line}" for line in why)])


def certify(tree: Tree, signs: Sequence[int]) -> MonotonicCertificate:
    """The proof for the inputs whose sign is not 0; `signs` has one for every input.

    Examples
    --------
    >>> from softwood.kernels.kinds import Score
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1],
    ...     n_children=[2, 0, 0], score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, 0, 0])
    >>> certify(stump, [1]).margin, certify(stump, [-1]).holds
    (1.0, False)
    """
    names = tree.schema.features
    asked = {f: int(sign) for f, sign in enumerate(signs) if sign}
    failures: list[str] = []
    sums, gates = set[tuple[int, int]](), set[int]()
    margin = math.inf
    rank = _Ranks(tree)
    for f, sign in asked.items():
        for node in np.flatnonzero(tree.leafness > 0).tolist():
            response = tree.response_at(node)
            for k, terms in enumerate(response.terms if isinstance(response, LinearResponse) else ()):
                sums.add((node, k))
                if direction_of(terms, f, tree.schema.n_levels(f)) not in (0, sign):
                    failures.append(f"node {node}: its response does not keep the direction of {names[f]}")
        for node in np.flatnonzero((tree.n_children > 0) & (tree.leafness < 1)).tolist():
            for order in _child_orders(tree, node, f):
                if order is None:
                    failures.append(f"node {node}: its gate is not monotone in {names[f]}")
                    continue
                gates.add(node)
                gap = rank.gap(order if sign > 0 else order[::-1])
                margin = min(margin, gap)
                if not gap >= 0:
                    failures.append(f"node {node}: its children's answers are not in the order of {names[f]}")
    argument = (_tell_slopes(len(sums)), _tell_gates(len(gates), margin))
    told = {names[f]: sign for f, sign in asked.items()}
    return MonotonicCertificate(told, not failures, argument, margin, tuple(failures))


def _tell_slopes(n: int) -> str:
    sums = "1 linear sum" if n == 1 else f"{n} linear sums"
    return f"{sums} in leaves: every slope of these inputs has the right sign" if n else "no leaf has a linear sum"


def _tell_gates(n: int, margin: float) -> str:
    if not n:
        return "no gate uses them"
    gates = "1 gate uses" if n == 1 else f"{n} gates use"
    return f"{gates} them: shares are monotone, and the side that gains predicts more, by {margin:.3g} at least"


def direction_of(terms: Iterable[WeightedTerm], feature: int, n_levels: int = 0) -> int | None:
    """1 or -1 if the sum never decreases or never increases with the input, 0 if it is constant; None if it does both.

    n_levels : of an ordered category, 0 for a number.
    """
    mine = [term for term in terms if term.feature == feature and term.kind != Term.MISSING]
    if any(term.kind == Term.SQUARE or (term.kind == Term.CATEGORY and not n_levels) for term in mine):
        return None
    slopes = list(steps_of(mine, n_levels) if n_levels else slopes_of(mine))
    if all(slope == 0 for slope in slopes):
        return 0
    if all(slope >= 0 for slope in slopes):
        return 1
    return -1 if all(slope <= 0 for slope in slopes) else None


def slopes_of(terms: Sequence[WeightedTerm]) -> Iterator[float]:
    """Slopes of a sum of identities and hinges of one input, from the left; each sum is rounded once."""
    line = [term.weight for term in terms if term.kind == Term.IDENTITY]
    hinges = sorted((term.parameter, term.weight) for term in terms if term.kind == Term.HINGE)
    yield math.fsum(line)
    for i, (knot, _) in enumerate(hinges):
        if i + 1 == len(hinges) or hinges[i + 1][0] > knot:
            yield math.fsum([*line, *(weight for _, weight in hinges[: i + 1])])


def steps_of(terms: Sequence[WeightedTerm], n_levels: int) -> Iterator[float]:
    """Differences of what neighbouring levels of an ordered category add."""
    value = [math.fsum(term.weight for term in terms if term.parameter == code) for code in range(n_levels)]
    for before, after in pairwise(value):
        yield math.fsum([after, -before])


def _child_orders(tree: Tree, node: int, feature: int) -> Iterator[list[int] | None]:
    """Children in order of the values that they receive, for every test of the input in a gate; None if there is no
    such order.
    """
    gate, children = tree.gate(node), list(tree.children(node))
    if isinstance(gate, LinearGate):
        direction = direction_of(gate.terms, feature, tree.schema.n_levels(feature))
        if direction is None:
            yield None
        elif direction:
            yield children[::-1] if direction > 0 else children
        return
    if gate is None or isinstance(gate, ConstantGate):  # constant shares
        return
    if gate.feature == feature:
        yield None if isinstance(gate, CategoryGate) else children
    for other in gate.missing.surrogates:
        if other.feature == feature:
            yield None if other.slots is not None else children[::-1] if other.flip else children


class _Ranks:
    """The smallest and the largest response below every node, and whether their linear terms are the same."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        value, kept = _quantities(tree), (tree.leafness > 0)[:, None]
        self.least, self.most = np.where(kept, value, np.inf), np.where(kept, value, -np.inf)
        rows = [{int(tree.slope_row[m])} if tree.leafness[m] > 0 else set() for m in range(tree.n_nodes)]
        for m in reversed(range(tree.n_nodes)):
            for child in tree.children(m) if tree.leafness[m] < 1 else ():
                self.least[m] = np.minimum(self.least[m], self.least[child])
                self.most[m] = np.maximum(self.most[m], self.most[child])
                rows[m] |= rows[child]
        self.rows: list[set[int]] = rows

    def gap(self, rising: list[int]) -> float:
        """The smallest difference between a child and the previous one; NaN if linear terms differ."""
        gaps = []
        for low, high in pairwise(rising):
            if len(self.rows[low] | self.rows[high]) > 1:
                return math.nan
            gaps.append(float(np.min(self.least[high] - self.most[low])))
        return min(gaps)


def _quantities(tree: Tree) -> Floats:
    """The ordered quantities: outputs; for class shares P(class >= 1), P(class >= 2), ..."""
    if tree.schema.task == "classification" and tree.link == Link.IDENTITY and tree.n_outputs > 1:
        return np.asarray(np.cumsum(tree.response[:, :0:-1], axis=1)[:, ::-1])
    return tree.response
