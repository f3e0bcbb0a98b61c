"""Models to export, with a user's rows and the model's predictions: random trees of every kind, and models learned from
a table with missing values, rows with unseen categories, and awkward names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import softwood
from softwood import Tree
from softwood.kernels.kinds import Link
from softwood.tree import Kind, join_trees, subtree
from tests.strategies import random_joined, random_rows, random_tree

KINDS: list[dict[str, bool]] = [{}, {"hard": True}, {"smooth": True}]
LABELS: list[tuple[Any, ...]] = [("no", 'it\'s "so"\\n', "ça\nva"), (3, 1, 2), (0.5, -2.0, 1e-7), (False, True, "both")]


@dataclass(frozen=True)
class Case:
    """A model, rows of cells (None is missing), its predictions (rows, answers), and the labels of classes."""

    name: str
    model: Any
    rows: list[list[Any]]
    answers: npt.NDArray[np.float64]
    labels: list[Any] | None

    @property
    def tree(self) -> Tree:
        return self.model if isinstance(self.model, Tree) else self.model.tree_

    @property
    def codes(self) -> npt.NDArray[np.float64]:
        """The rows as the tree reads them."""
        return self.tree.schema.encode(self.rows)


def names_of(cases: list[Case]) -> list[str]:
    """One name per model: far cases have the models of others, which are exported and compiled once."""
    known: dict[int, str] = {}
    return [known.setdefault(id(case.model), f"m{len(known)}") for case in cases]


@cache
def random_case(seed: int, n_rows: int = 30) -> Case:
    """A random tree; every second one is a classifier, every fourth one has costs."""
    return as_case(f"random {seed}", random_tree(seed, seed % 13, **KINDS[seed % 3]), seed, n_rows)


def as_case(name: str, tree: Tree, seed: int, n_rows: int = 30) -> Case:
    """A tree with rows, of classes for an odd seed."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        tree = tree.replace(schema=_classes(tree, rng))
    elif seed % 20 == 4 and tree.n_answers == tree.n_outputs:
        tree = tree.replace(link=Link.LOG)
    codes = random_rows(seed + 1, n_rows)
    codes[np.isinf(codes)] = np.nan  # infinite cells are refused
    rows = [[_cell(tree, at, value) for at, value in enumerate(row)] for row in codes.tolist()]
    with np.errstate(over="ignore", invalid="ignore"):
        answers = tree.predict(tree.schema.encode(rows))
    if not seed % 2:
        return Case(name, tree, rows, answers, None)
    answers = np.minimum(answers, 1.0)
    return Case(name, tree, rows, answers, [tree.schema.answers[k] for k in tree.schema.decide(answers)])


def _classes(tree: Tree, rng: np.random.Generator) -> softwood.Schema:
    n, costs = tree.n_answers, None
    if rng.random() < 0.5:
        table = rng.random((n, n))
        np.fill_diagonal(table, 0.0)
        costs = tuple(map(tuple, table.tolist()))
    labels = LABELS[int(rng.integers(len(LABELS)))][:n]
    return replace(tree.schema, task="classification", answers=labels, costs=costs)


def _cell(tree: Tree, feature: int, value: float) -> Any:
    if math.isnan(value):
        return None
    return value if tree.schema.categories[feature] is None else f"c{int(value)}"


def random_cases(n: int) -> list[Case]:
    joined = (as_case(f"mean {seed}", random_joined(seed, **KINDS[seed % 3]), seed) for seed in range(9))
    return [*(random_case(seed) for seed in range(n)), *joined, termless_case()]


def termless_case() -> Case:
    """A linear gate without terms: its bias alone gives the shares."""
    tree = random_tree(5, 1, smooth=True)
    begin, none = np.zeros(4, np.int32), np.zeros(0)
    tree = tree.replace(
        weight_begin=begin,
        weight_column=none.astype(np.int32),
        weight=none,
        slope_row=[-1] * 3,
        leafness=[0.0, 1.0, 1.0],
    )
    rows = [[None, 1.0, 2.0, "c1", 0.5, "c2"]]
    return Case("no terms", tree, rows, tree.predict(tree.schema.encode(rows)), None)


# -- learned models ------------------------------------------------------------------------------------------------

TOWNS = ["Paris", "O'Hare", 'the "hill"', "Århus\\n", "new\nline", "", "50%"]


def make_table(seed: int, n: int, *, unseen: bool = False) -> pd.DataFrame:
    """Numbers, booleans, categories of text and of integers, an ordered category; all with missing values."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n).round(1),
            "income ($)": rng.lognormal(3, 1, n),
            'it is "new"': pd.array(rng.random(n) < 0.4, dtype="boolean"),
            "town": rng.choice([*TOWNS, "Oz"] if unseen else TOWNS, n),
            "code": pd.Categorical(rng.choice([10, 20, 30], n)),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True),
        }
    )
    for column in table.columns:
        table.loc[rng.random(n) < 0.12, column] = None if table[column].dtype == object else np.nan
    table["town"] = pd.Categorical(table["town"])
    return table


def make_target(table: pd.DataFrame, seed: int) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    age, town = table["age"].fillna(30).to_numpy(), table["town"].isin(["Paris", "", "50%"]).to_numpy()
    log = np.log(table["income ($)"].astype(float).fillna(20).to_numpy())
    new = table['it is "new"'].fillna(False).to_numpy(bool)
    score = (
        np.where(town, 0.1 * (age - 40), log - 3)
        + 0.7 * new
        + 0.5 * (table["size"] == "L")
        - 0.6 * (table["code"] == 20)
    )
    return np.asarray(score + rng.normal(0, 0.5, len(table)), np.float64)


def _models() -> Iterator[tuple[str, Any, Any]]:
    table = make_table(0, 260)
    y = make_target(table, 1)
    two = np.where(y > 0.3, "it's good", "bad")
    three = np.digitize(y, [-0.5, 0.8])
    costs = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [2.0, 4.0, 0.0]])
    yield "cart", softwood.CARTClassifier(random_state=0), two
    yield "cart costs", softwood.CARTClassifier(missing="surrogate", costs=costs, random_state=0), three
    yield "cart fractions", softwood.CARTClassifier(missing="fraction", prune=None, max_depth=5), two
    yield "cart numbers", softwood.CARTRegressor(prune=None, max_depth=5), np.stack([y, y**2], axis=1)
    yield "c45", softwood.C45Classifier(), three
    yield "soft", softwood.SoftTreeClassifier(random_state=0, max_leaves=6), three
    yield "soft two", softwood.SoftTreeClassifier(random_state=0, max_leaves=6), two
    mixing = {"mix": "probability", "random_state": 0, "max_leaves": 5}
    yield "soft probabilities", softwood.SoftTreeClassifier(**mixing), three
    yield "soft probabilities two", softwood.SoftTreeClassifier(**mixing), two
    yield "soft means", softwood.SoftTreeRegressor(loss="poisson", **mixing), np.round(np.exp(np.minimum(y, 3.0)))
    yield "soft numbers", softwood.SoftTreeRegressor(random_state=0, max_leaves=6), y
    yield "budding", softwood.BuddingTreeClassifier(random_state=0), two
    yield "discriminant", softwood.LinearDiscriminantTreeClassifier(random_state=0), three
    yield "softened", softwood.SoftenedTreeClassifier(random_state=0), two
    yield "mixture", softwood.MixtureOfExpertsRegressor(random_state=0), y


@cache
def learned_cases() -> list[Case]:
    """Every family once, with new rows."""
    table, asked, found = make_table(0, 260), make_table(5, 120, unseen=True), []
    for name, model, target in _models():
        model.fit(table, target)
        labels = model.predict(asked).tolist() if hasattr(model, "classes_") else None
        answers = model.predict_proba(asked) if labels is not None else model.predict(asked).reshape(len(asked), -1)
        found.append(Case(name, model, cells_of(asked), answers, labels))
    return [*found, *(mean_case(case) for case in found if case.name in ("cart fractions", "soft", "soft numbers"))]


def mean_case(case: Case) -> Case:
    """The mean of a learned tree and of one that is a quarter of it, by its subtree below the root."""
    tree = case.tree
    mean = join_trees([tree, subtree(tree, 1) if tree.n_nodes > 1 else tree], [3, 1])
    answers = mean.predict(mean.schema.encode(case.rows))
    labels = None if case.labels is None else mean.classify(mean.schema.encode(case.rows)).tolist()
    return Case(f"mean of {case.name}", mean, case.rows, answers, labels)


FAR = (1e17, 1e100, 1e155, 1e300, 1.7e308)  # squares and sums of these lose all digits, or overflow


def far_cases(n: int) -> list[Case]:
    """Some of the others, with numbers far beyond the training rows."""
    some = [random_case(seed) for seed in range(n)]
    return [_far(case) for case in [*some, *learned_cases()] if case.tree.link != Link.LOG]


def _far(case: Case) -> Case:
    rng, inputs = np.random.default_rng(1), case.tree.schema.inputs
    rows = [
        [
            float(rng.choice([-1, 1]) * rng.choice(FAR)) if one.kind == Kind.NUMBER and cell is not None else cell
            for one, cell in zip(inputs, row, strict=True)
        ]
        for row in case.rows[:12]
    ]
    answers = case.tree.predict(case.tree.schema.encode(rows))
    assert np.isfinite(answers).all(), case.name
    if case.labels is None:
        return Case(f"far {case.name}", case.model, rows, answers, None)
    answers = np.minimum(answers, 1.0)
    labels = [case.tree.schema.answers[k] for k in case.tree.schema.decide(answers)]
    return Case(f"far {case.name}", case.model, rows, answers, labels)


def cells_of(table: pd.DataFrame) -> list[list[Any]]:
    """The rows of a frame as plain Python, None where missing."""
    columns = [table[name].astype(object).tolist() for name in table.columns]
    return [[None if pd.isna(cell) else _plain(cell) for cell in row] for row in zip(*columns, strict=True)]


def _plain(cell: Any) -> Any:
    return cell.item() if isinstance(cell, np.generic) else cell
