"""A tree as a program: the common form of all exports.

    cells     each input is a number (missing is NaN) or one of its levels, which becomes its code; other levels are
              missing
    columns   functions of one input each (`Column`), clipped to keep the digits of sums (kernels/formulas/far_out.py)
    gates     first a soft threshold or a linear sum; then the readers in order, the first that decides gives the slot;
              if none does, `rest` holds the share of every child
    reach     reach[c] = reach[m] * (1 - leafness[m]) * share[m -> c], from the root, in the order of the nodes
    output    sum over m of reach[m] * leafness[m] * (values[m] + sum of slopes * columns), in the order of the nodes
    answer    link(output); for classes at most 1
    decision  the first class of least expected cost, or without costs of the highest probability

A surrogate is a further reader, a default slot is a `rest` with a single 1. Unreachable nodes are omitted. Sums run in
the order of `kernels/reference/evaluate.py`, so a language with doubles gives the same digits, apart from its
exponential function.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softwood.formats.models import look_inside
from softwood.formats.scaling import fold_scaling
from softwood.kernels.formulas.far_out import steady_sums
from softwood.kernels.kinds import Link, Missing, Squash, Term
from softwood.tree import Kind, Tree
from softwood.tree.views import (
    CategoryGate,
    ConstantGate,
    Gate,
    IntervalGate,
    LinearGate,
    LinearResponse,
    Surrogate,
    ThresholdGate,
    WeightedTerm,
)

Label = str | int | float | bool
Limits = list[tuple[float, float]]
EXACT_IN_DOUBLE = 2**53  # larger integers are not distinct as doubles
EXACT_IN_INT64 = 2**63 - 1


class Cell(NamedTuple):
    """One input: its name, its kind, and its levels in the order of their codes (none for a number or a boolean)."""

    name: str
    kind: Kind
    levels: tuple[Label, ...]


class Column(NamedTuple):
    """x, x², max(0, x - parameter), 1 if x is the level of code `parameter`, 1 if x is missing; `when_missing` is its
    value if x is missing. A number x is first clipped to `low` and `high`.
    """

    kind: Term
    feature: int
    parameter: float
    when_missing: float
    low: float
    high: float


class Reader(NamedTuple):
    """The slot of one input: for a number `slots[number of cuts below x]`, for a category `slots[code]`. -1 and missing
    values do not decide.
    """

    feature: int
    cuts: tuple[float, ...]
    slots: tuple[int, ...]

    @property
    def is_category(self) -> bool:
        """Whether its input is a category, with one slot per level and no cuts."""
        return not self.cuts


class SoftThreshold(NamedTuple):
    """Share of slot 0 unless x is missing: a ramp or a sigmoid around the threshold, as in `views.ThresholdGate`."""

    feature: int
    threshold: float
    below: float
    above: float
    squash: Squash


class LinearSum(NamedTuple):
    """A step or a sigmoid of bias + sum of weight * column is the share of slot 0. It always decides."""

    bias: float
    terms: tuple[tuple[int, float], ...]
    squash: Squash


class Node(NamedTuple):
    """A node: its leafness and response, and the shares of its children.

    Attributes
    ----------
    leafness : the proportion it keeps.
    children : their positions; none for a leaf.
    first : the test before the readers, if any.
    readers : in this order.
    rest : share of every child if no reader decides.
    values : the constants of its response, one per output.
    slopes : pairs of a column and its factor in every output; none for a constant response.
    """

    leafness: float
    children: range
    first: SoftThreshold | LinearSum | None
    readers: tuple[Reader, ...]
    rest: tuple[float, ...]
    values: tuple[float, ...]
    slopes: tuple[tuple[int, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Program:
    """The content of an export.

    Attributes
    ----------
    cells : the inputs.
    columns : those used in sums.
    nodes : parents before children, siblings side by side, the root first.
    link : from output to prediction.
    answers : labels of the classes, or names of the targets.
    is_classifier : whether the answers are classes.
    costs : costs[true][given], or None.
    title : a line about its origin.
    """

    cells: tuple[Cell, ...]
    columns: tuple[Column, ...]
    nodes: tuple[Node, ...]
    link: Link
    answers: tuple[Label, ...]
    is_classifier: bool
    costs: tuple[tuple[float, ...], ...] | None
    title: str

    @property
    def n_outputs(self) -> int:
        """Number of outputs of a node."""
        return len(self.nodes[0].values)

    @property
    def takes_one_path(self) -> bool:
        """Whether every row reaches one leaf, so that no shares are needed."""
        return all(
            not node.children
            or (
                not node.leafness
                and is_step(node.first)
                and (isinstance(node.first, LinearSum) or set(node.rest) == {0.0, 1.0})
            )
            for node in self.nodes
        )

    @property
    def has_differences(self) -> bool:
        """Whether it computes differences of nearly equal numbers: sums of terms that cancel, or distances to a
        threshold. Single precision loses their digits.
        """
        return bool(self.columns) or any(isinstance(node.first, SoftThreshold) for node in self.nodes)

    @property
    def used(self) -> tuple[int, ...]:
        """The inputs that nodes read, in ascending order."""
        found = {column.feature for column in self.columns}
        for node in self.nodes:
            found |= {reader.feature for reader in node.readers}
            found |= {node.first.feature} if isinstance(node.first, SoftThreshold) else set()
        return tuple(sorted(found))


def is_step(first: SoftThreshold | LinearSum | None) -> bool:
    """Whether a gate sends each row without missing values to one child."""
    return first is None or first.squash == Squash.STEP


def make_program(model: Any, wanted_by: str = "export") -> Program:
    """The program of a `Tree`, a fitted estimator, a search over one, or a pipeline of scalers and one.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> program = make_program(CARTRegressor().fit(X, X[:, 0] > 7))
    >>> program.nodes[0].readers
    (Reader(feature=0, cuts=(7.5,), slots=(0, 1)),)
    """
    inside = look_inside(model, wanted_by=wanted_by)
    tree, limits = _with_steady_sums(fold_scaling(inside.tree, inside.transformers, wanted_by))
    numbering = _Columns(limits)
    kept = _reachable(tree)
    place = {node: at for at, node in enumerate(kept)}
    nodes = tuple(_make_node(tree, node, place, numbering) for node in kept)
    return Program(
        cells=tuple(Cell(one.name, one.kind, _labels(one.levels or (), one.name)) for one in tree.schema.inputs),
        columns=tuple(numbering.columns),
        nodes=nodes,
        link=tree.link,
        answers=_labels(tree.schema.answers, "the answer"),
        is_classifier=tree.schema.task == "classification",
        costs=tree.schema.costs,
        title=_title(tree),
    )


def _with_steady_sums(tree: Tree) -> tuple[Tree, Limits]:
    """The tree with weights that keep their digits far from the data, and the limits of its columns, for evaluators."""
    steady = steady_sums(tree)
    names = ("weight_begin", "weight_column", "weight", "slope")
    told = {"slope_effect": np.zeros((0, *tree.slope.shape[1:])), "weight_effect": np.zeros(0)}  # of the old weights
    limits = list(zip(steady.low.tolist(), steady.high.tolist(), strict=True))
    return tree.replace(**{name: getattr(steady, name) for name in names}, **told), limits


def _title(tree: Tree) -> str:
    origin = tree.provenance
    maker = origin.estimator if origin is not None and origin.estimator else "Tree"
    wrote = f" {origin.version}" if origin is not None and origin.version else ""
    return f"{maker} of softwood{wrote}: {tree.n_nodes} nodes, {tree.n_features} inputs"


def _labels(labels: Iterable[Any], what: str) -> tuple[Label, ...]:
    """Labels of types that every language has; others are refused."""
    told = tuple(labels)
    for label in told:
        if not isinstance(label, str | int | float | bool):
            raise ValueError(
                f"{what} has the label {label!r:.60} ({type(label).__name__}); exports support text, numbers and "
                "booleans: convert such labels to text before fit."
            )
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(f"{what} has the label {label!r}; exports support finite numbers: rename it before fit.")
    return told


def refuse_wide_levels(program: Program, language: str) -> None:
    """An error for levels that are not distinct as doubles."""
    for cell in program.cells:
        refuse_wide(cell.levels, f"input {cell.name!r} has the level", language, EXACT_IN_DOUBLE)


def refuse_wide_answers(program: Program, language: str, limit: int = EXACT_IN_DOUBLE) -> None:
    """An error for class labels that a language would change."""
    refuse_wide(program.answers, "the answer has the label", language, limit)


def refuse_wide(labels: Sequence[Label], what: str, language: str, limit: int) -> None:
    """An error that names the first integer beyond a limit."""
    wide = [label for label in labels if isinstance(label, int) and abs(label) > limit]
    if wide:
        power = "2^53" if limit == EXACT_IN_DOUBLE else "2^63"
        raise ValueError(
            f"{what} {wide[0]}, and {language} cannot distinguish integers beyond {power}; convert such labels to "
            "text before fit."
        )


def _reachable(tree: Tree) -> list[int]:
    """Reachable nodes, in order: none below a node that keeps everything."""
    reached = [True] * tree.n_nodes
    for node in range(tree.n_nodes):
        if not reached[node] or tree.leafness[node] == 1.0:
            for child in tree.children(node):
                reached[child] = False
    return [node for node in range(tree.n_nodes) if reached[node]]


class _Columns:
    """The used columns, numbered in order of use."""

    def __init__(self, limits: Limits) -> None:
        self.columns: list[Column] = []
        self.limits = limits
        self._place: dict[int, int] = {}

    def place(self, term: WeightedTerm) -> int:
        if term.column not in self._place:
            self._place[term.column] = len(self.columns)
            self.columns.append(
                Column(term.kind, term.feature, term.parameter, term.when_missing, *self.limits[term.column])
            )
        return self._place[term.column]


def _make_node(tree: Tree, node: int, place: dict[int, int], numbering: _Columns) -> Node:
    leafness, gate, response = float(tree.leafness[node]), tree.gate(node), tree.response_at(node)
    slopes: dict[int, list[float]] = {}
    if isinstance(response, LinearResponse) and leafness > 0:
        every = {term.column: term for terms in response.terms for term in terms}
        order = {column: numbering.place(every[column]) for column in sorted(every)}  # sums go in the tree's order
        slopes = {at: [0.0] * len(response.values) for at in order.values()}
        for k, terms in enumerate(response.terms):
            for term in terms:
                slopes[order[term.column]][k] = term.weight
    pairs = tuple((column, tuple(factors)) for column, factors in slopes.items())
    if gate is None or leafness == 1.0:
        return Node(1.0, range(0), None, (), (), response.values, pairs)
    first, readers, rest = _make_gate(gate, int(tree.n_children[node]), numbering)
    begin = place[int(tree.first_child[node])]
    children = range(begin, begin + int(tree.n_children[node]))
    return Node(leafness, children, first, readers, rest, response.values, pairs)


def _make_gate(
    gate: Gate, n_children: int, numbering: _Columns
) -> tuple[SoftThreshold | LinearSum | None, tuple[Reader, ...], tuple[float, ...]]:
    if isinstance(gate, ConstantGate):
        return None, (), gate.shares
    if isinstance(gate, LinearGate):
        terms = tuple((numbering.place(term), term.weight) for term in gate.terms)
        return LinearSum(gate.bias, terms, gate.squash), (), ()
    first: SoftThreshold | None = None
    own: tuple[Reader, ...] = ()
    if isinstance(gate, ThresholdGate) and gate.squash != Squash.STEP:
        first = SoftThreshold(gate.feature, gate.threshold, *gate.softness, gate.squash)
    else:
        own = (_make_reader(gate),)
    spare = tuple(_make_surrogate(each) for each in gate.missing.surrogates)
    default = tuple(float(slot == gate.missing.default) for slot in range(n_children))
    rest = gate.missing.fractions if gate.missing.rule == Missing.FRACTION else default
    return first, own + spare, rest


def _make_reader(gate: ThresholdGate | CategoryGate | IntervalGate) -> Reader:
    if isinstance(gate, CategoryGate):
        return Reader(gate.feature, (), gate.slots)
    cuts = gate.cuts if isinstance(gate, IntervalGate) else (gate.threshold,)
    return Reader(gate.feature, cuts, tuple(range(len(cuts) + 1)))


def _make_surrogate(surrogate: Surrogate) -> Reader:
    if surrogate.slots is not None:
        return Reader(surrogate.feature, (), surrogate.slots)
    return Reader(surrogate.feature, (surrogate.threshold,), (1, 0) if surrogate.flip else (0, 1))
