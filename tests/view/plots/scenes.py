"""Models and rows that the tests of pictures draw: made by hand, so that no change of a learner changes a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_iris

from softwood import Basis, Schema, Tree
from softwood.kernels.kinds import Link, Score, Squash, Term

NAN = np.nan


def iris_rows() -> tuple[Any, npt.NDArray[Any]]:
    """Two inputs of iris, and the species."""
    data = load_iris(as_frame=True)
    return data.data[["petal length (cm)", "petal width (cm)"]], data.target_names[data.target]


def hard_iris() -> Tree:
    """Two thresholds."""
    names = ("petal length (cm)", "petal width (cm)")
    schema = Schema(names, (None, None), ("setosa", "versicolor", "virginica"), "classification")
    return Tree(
        response=[[1 / 3] * 3, [1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.91, 0.09], [0.0, 0.02, 0.98]], schema=schema,
        first_child=[1, -1, 3, -1, -1], n_children=[2, 0, 2, 0, 0], count=[150, 50, 100, 54, 46],
        score=[Score.THRESHOLD, 0, Score.THRESHOLD, 0, 0], feature=[0, -1, 1, -1, -1],
        threshold=[2.45, NAN, 1.75, NAN, NAN],
    )  # fmt: skip


def soft_iris() -> Tree:
    """A bud whose gate bends both inputs, and below it a weighted sum."""
    basis = Basis(
        [Term.IDENTITY, Term.HINGE, Term.IDENTITY, Term.HINGE], [0, 0, 1, 1], [0.0, 3.0, 0.0, 1.0], [3.8, 0.8, 1.2, 0.2]
    )
    return hard_iris().replace(
        score=[Score.LINEAR, 0, Score.LINEAR, 0, 0], squash=[Squash.SIGMOID, 0, Squash.SIGMOID, 0, 0],
        feature=(), threshold=(), basis=basis, leafness=[0.2, 1.0, 0.0, 1.0, 1.0], bias=[7.0, 0.0, 14.0, 0.0, 0.0],
        weight_begin=[0, 4, 4, 6, 6, 6], weight_column=[0, 1, 2, 3, 0, 2], weight=[-2.0, 1.5, -1.0, 0.8, -1.2, -5.0],
        count=(),
    )  # fmt: skip


def curve_of_numbers() -> tuple[Tree, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """A soft stump over one number, and rows about it."""
    x = np.linspace(0.0, 10.0, 60)
    tree = Tree(
        response=[[5.0], [2.0], [8.0]], schema=Schema(("dose",), (None,), ("effect",)), first_child=[1, -1, -1],
        n_children=[2, 0, 0], score=[Score.THRESHOLD, 0, 0], squash=[Squash.SIGMOID, 0, 0], feature=[0, -1, -1],
        threshold=[5.0, NAN, NAN], softness=[[0.8, 0.8], [0.0, 0.0], [0.0, 0.0]], count=[60, 30, 30],
    )  # fmt: skip
    return tree, x[:, None], tree.output(x[:, None])[:, 0] + np.sin(7 * x)


def with_categories() -> tuple[Tree, Any, list[str]]:
    """A gate with a branch for every level."""
    schema = Schema(("outlook", "windy"), (("sunny", "rain", "snow"), None), ("no", "yes"), "classification")
    tree = Tree(
        response=[[0.5, 0.5], [0.9, 0.1], [0.3, 0.7], [0.5, 0.5]], schema=schema, first_child=[1, -1, -1, -1],
        n_children=[3, 0, 0, 0], score=[Score.CATEGORY, 0, 0, 0], feature=[0, -1, -1, -1], count=[12, 4, 5, 3],
        group_begin=[0, 3, 3, 3, 3], group=[0, 1, 2],
    )  # fmt: skip
    rows = [["sunny", 0], ["rain", 1], ["snow", 1], [None, 0]] * 3
    return tree, rows, ["no", "yes", "yes", "no"] * 3


def hostile() -> tuple[Tree, npt.NDArray[np.float64], list[str]]:
    """Names that try to be formulas, markup or very long."""
    names = ("$\\frac{", "<script>alert(1)</script>" + "x" * 500)
    schema = Schema(names, (None, None), ("a$b$_{", "</svg>&\n"), "classification")
    X = np.column_stack([np.arange(20.0), np.arange(20.0)[::-1]])
    tree = Tree(
        response=[[0.0], [2.0], [-2.0]], schema=schema, link=Link.SIGMOID, first_child=[1, -1, -1],
        n_children=[2, 0, 0], score=[Score.LINEAR, 0, 0], squash=[Squash.SIGMOID, 0, 0], basis=Basis.identity(2),
        bias=[-1.0, 0.0, 0.0], weight_begin=[0, 2, 2, 2], weight_column=[0, 1], weight=[0.3, -0.2],
    )  # fmt: skip
    return tree, X, ["a$b$_{", "</svg>&\n"] * 10
