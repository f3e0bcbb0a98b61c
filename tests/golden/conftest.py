"""Trees that together have every kind of gate, response and missing-value behaviour, for the printed forms."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from softwood import Basis, Schema, Surrogates, Tree
from softwood.kernels.kinds import Link, Missing, Squash, Term
from softwood.tree import Provenance, join_trees

NAN = np.nan


def binary(n_branches: int) -> dict[str, Any]:
    """A comb: nodes 1 and 2 under 0, then 3 and 4 under 2, 5 and 6 under 4 and so on."""
    n = 2 * n_branches + 1
    first, children = np.full(n, -1), np.zeros(n, int)
    branch = [0, *range(2, n - 1, 2)]
    first[branch], children[branch] = np.arange(1, n, 2), 2
    return {"first_child": first, "n_children": children}


def per_node(n: int, blank: float, **given: Any) -> np.ndarray:
    """`n` blanks, except that `m3=5` puts 5 at node 3."""
    values = np.full(n, blank, dtype=float)
    for at, value in given.items():
        values[int(at[1:])] = value
    return values


def cancer() -> SimpleNamespace:
    """A classifier with surrogates, as from CART."""
    surrogates = Surrogates(
        begin=[0, 3, 3, 4, 4, 4], feature=[2, 0, 3, 0], threshold=[105.95, 15.045, NAN, 20.25],
        flip=[False, False, False, True], group_begin=[0, 0, 0, 3, 3], group=[0, 1, -1],
        agreement=[0.958, 0.945, 0.71, 0.8125], adjusted=[0.874, 0.8375, 0.125, 0.0625])  # fmt: skip
    tree = Tree(
        response=[[0.373, 0.627], [0.0796, 0.9204], [0.9516, 0.0484], [0.5, 0.5], [1.0, 0.0]],
        schema=Schema(
            ("mean radius", "worst radius", "worst perimeter", "stage"), (None, None, None, ("I", "II", "III")),
            ("malignant", "benign"), "classification"),
        **binary(2), score=[1, 0, 1, 0, 0], feature=[1, -1, 2, -1, -1], threshold=[16.795, NAN, 117.450001, NAN, NAN],
        missing=[Missing.SURROGATE] * 5, default=[0, 0, 1, 0, 0], surrogates=surrogates, count=[569, 377, 192, 20, 172],
        impurity=[0.468, 0.147, 0.092, 0.5, 0.0])  # fmt: skip
    return SimpleNamespace(tree_=tree.with_provenance(Provenance(parameters={"criterion": "gini"})))


def bikes() -> SimpleNamespace:
    """A regressor with categories, many levels, missing as a category and unplaced levels."""
    cities = tuple(f"city {chr(65 + i)}{i}" for i in range(26))
    seasons = ("winter", "spring", "summer", "autumn, late")
    group = [0, 1, 1, -1, *[i % 2 for i in range(25)], -1]
    tree = Tree(
        response=[[4500.25], [2600.0], [5700.5], [5100.125], [6900.0]],
        schema=Schema(("season", "temperature", "city"), (seasons, None, cities), ("rentals",)),
        **binary(2), score=[2, 0, 2, 0, 0], feature=[0, -1, 2, -1, -1], group_begin=[0, 4, 4, 30, 30, 30], group=group,
        missing=[Missing.CATEGORY, 0, Missing.DIRECTION, 0, 0], default=[0, 0, 1, 0, 0],
        count=[731, 181, 550, 367, 183], impurity=[3.75e6, 1.5e6, 2.5e6, 2.1e6, 1.4e6])  # fmt: skip
    return SimpleNamespace(tree_=tree.with_provenance(Provenance(parameters={"criterion": "squared_error"})))


def intervals() -> SimpleNamespace:
    """Three-way gates, fractional missing values, medians, and thresholds that need more digits to differ."""
    tree = Tree(
        response=[[2.0], [1.0], [2.0], [3.5], [1.5], [2.5]], schema=Schema(("dose",), (None,), ("days",)),
        first_child=[1, -1, 4, -1, -1, -1], n_children=[3, 0, 2, 0, 0, 0], score=[3, 0, 1, 0, 0, 0],
        feature=[0, -1, 0, -1, -1, -1], threshold=per_node(6, NAN, m2=0.12345), cut_begin=[0, 2, 2, 2, 2, 2, 2],
        cut=[0.1234, 0.5], missing=[Missing.FRACTION] * 6, fraction=[NAN, 0.25, 0.5, 0.25, 0.125, 0.875],
        count=[8.5, 2, 4.5, 2, 0.5, 4], impurity=[0.75, 0.5, 0.25, 0.125, 0.0, 0.25])  # fmt: skip
    return SimpleNamespace(tree_=tree.with_provenance(Provenance(parameters={"criterion": "absolute_error"})))


def soft() -> Tree:
    """Ramp, sigmoid and linear gates, a bud, a linear response, every term of the basis."""
    terms = [Term.IDENTITY, Term.IDENTITY, Term.SQUARE, Term.HINGE, Term.CATEGORY, Term.MISSING]
    basis = Basis(terms, [0, 1, 1, 0, 2, 0], [0, 0, 0, 30, 1, 0], [38, 2.5, 6.25, 8, 0, 0])
    slope = np.zeros((1, 6, 1))
    slope[0, [0, 4], 0] = [0.8, -1.0]
    return Tree(
        response=[[0.5], [1.0], [2.0], [0.25], [0.5], [-0.75], [0.0], [3.0], [4.0]],
        schema=Schema(("age", "yearly income", "colour"), (None, None, ("red", "green")), ("y",)), **binary(4),
        leafness=[0, 1, 0.3, 1, 0, 1, 0, 1, 1], score=per_node(9, 0, m0=1, m2=4, m4=1, m6=4),
        squash=per_node(9, 0, m0=Squash.RAMP, m2=Squash.SIGMOID, m4=Squash.SIGMOID),
        feature=per_node(9, -1, m0=0, m4=1), threshold=per_node(9, NAN, m0=30, m4=-2.5),
        softness=[[2, 3], [0, 0], [0, 0], [0, 0], [0.4, 0.4], *[[0, 0]] * 4], bias=per_node(9, 0, m2=-3, m6=0.5),
        weight_begin=[0, 0, 0, 6, 6, 6, 6, 7, 7, 7], weight_column=[0, 1, 2, 3, 4, 5, 1],
        weight=[0.8, -1.2, 0.015, -1, 2.5, 0.125, -1], default=per_node(9, 0, m4=1), basis=basis,
        slope_row=per_node(9, -1, m7=0), slope=slope)  # fmt: skip


def species() -> Tree:
    """Six classes (listed as text), a softmax link, a gate on missingness, names that need escaping."""
    names = ("setosa", "versicolor", "virginica", "a very long species name", "x, y", "")
    logits = np.array(
        [[0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0], [0, 3, 2, 1, 0, 0], [0, 0, 2, 0, 3, 0], [0, 5, 0, 0, 0, 0]]
    )
    return Tree(
        response=logits, schema=Schema(("petal\nlength", "花の幅"), (None, None), names, "classification"),
        link=Link.SOFTMAX, **binary(2), score=[1, 0, 1, 0, 0],
        feature=[0, -1, 1, -1, -1], threshold=[np.inf, NAN, 1.75, NAN, NAN], default=[1, 0, 0, 0, 0],
        count=[15000, 3, 14997, 7, 14990])  # fmt: skip


def pair() -> SimpleNamespace:
    """Two targets at once."""
    tree = Tree(
        response=[[1.0, -200.0], [0.5, -150.0], [1.5, -250.0]], schema=Schema(("x",), (None,), ("height", "weight")),
        **binary(1), score=[1, 0, 0], feature=[0, -1, -1], threshold=[0.1 + 0.2, NAN, NAN], count=[10, 5, 5],
        impurity=[2500.25, 4.0, 1.0])  # fmt: skip
    return SimpleNamespace(tree_=tree.with_provenance(Provenance(parameters={"criterion": "squared_error"})))


def mean() -> Tree:
    """A weighted mean of two trees, the second of them a leaf."""
    first: Tree = intervals().tree_
    return join_trees([first, Tree([[2.25]], schema=first.schema, count=[8.5], impurity=[0.5])], [3, 1])


def forest() -> Tree:
    """A soft forest of classes: its trees differ in gates and size."""
    schema = Schema(("age", "income"), (None, None), ("no", "yes"), "classification")
    weights = {"weight_begin": [0, 2, 2, 2], "weight_column": [0, 1], "basis": Basis.identity(2)}
    trees = [
        Tree(response=[[0.0], [-1.5 - i], [2.0]], schema=schema, link=Link.SIGMOID, **binary(1), score=[4, 0, 0],
             squash=[Squash.SIGMOID, 0, 0], bias=[0.5 * i, 0, 0], weight=[0.08, -0.5 * i], **weights,
             count=[90, 50 - i, 40 + i], mean=[[0.6, 0.4], [0.8, 0.2], [0.35, 0.65]])
        for i in (1.0, 3.0)
    ]  # fmt: skip
    leaf = Tree(response=[[-0.4]], schema=schema, link=Link.SIGMOID, count=[90], mean=[[0.6, 0.4]])
    return join_trees([*trees, leaf], provenance=Provenance("SoftForestClassifier", n_rows=90, weight=90.0))


@pytest.fixture(scope="session")
def specimens() -> dict[str, Any]:
    makers = (cancer, bikes, intervals, soft, species, pair, mean, forest)
    return {make.__name__: make() for make in makers} | {"stump": Tree(response=[[3.0]], schema=Schema.plain(2, 1))}
