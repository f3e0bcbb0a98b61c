"""`counterfactual`: the fewest and smallest changes of a row that change the prediction.

Hard trees whose gates use one input each: every path to a target leaf determines which inputs must change and how far,
so the number of changes is minimal, and their size is minimal given the number. Other trees are searched: single
changes, then pairs, then more from the most promising pairs; then each change is reduced as far as possible. Every
result is verified by a prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.goals import make_goals
from softwood.explain.moves import Free, free_inputs
from softwood.explain.routes import follow_paths, is_stepwise
from softwood.explain.rows import open_model, read_rows, some_rows
from softwood.explain.search import Found, search
from softwood.explain.words import spell_answer, spell_cell, spell_value
from softwood.formats.models import look_inside
from softwood.tree import Kind, Tree
from softwood.tree.spelling import spell_name, spell_number


@dataclass(frozen=True)
class Change:
    """One input that changes.

    Attributes
    ----------
    feature, name : the input.
    before, after : its values, as text.
    value : the new cell, as `predict` takes it.
    text : `income = 2400 → 3100`.
    """

    feature: int
    name: str
    before: str
    after: str
    value: Any
    text: str


@dataclass(frozen=True)
class Counterfactual:
    """Changes of a row that reach the goal.

    Attributes
    ----------
    changes : the inputs that change, the largest change first.
    cells : (1, inputs) the changed row as numbers that the tree reads.
    row : the changed row, cells by name, as for `predict` (for a pipeline: as for its tree).
    before, after : the predictions for the row and for the changed row, as text.
    answer : the predicted class, or number(s), of the changed row.
    distance : sum of the sizes of the changes: for numbers in spreads of the input, for categories 1 each.
    alternatives : other sets of inputs that also reach the goal.
    """

    changes: tuple[Change, ...]
    cells: Floats
    row: dict[str, Any]
    before: str
    after: str
    answer: Any
    distance: float
    alternatives: tuple[Counterfactual, ...] = ()

    def __str__(self) -> str:
        return f"{self.before} → {self.after}: {', '.join(change.text for change in self.changes)}"


def counterfactual(
    model: Any,
    row: Any,
    target: Any = None,
    *,
    fixed: Sequence[str] = (),
    directions: Mapping[str, str] | None = None,
    max_changes: int | None = None,
    n: int = 1,
    X: Any = None,
) -> Counterfactual:
    """Find the fewest and smallest changes that flip the class of a row, or bring its target into a range.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one. For a pipeline the inputs of the
        estimator change, after the earlier steps.
    row : one row, as `predict` takes it (a table of one row), or its cells: a sequence, or a mapping from names.
    target : the class to reach; None: any other. For regression the number to reach, or a pair (low, high) of which one
        may be None; for several targets a mapping from names to these.
    fixed : names of inputs that may not change.
    directions : by name "up" or "down", for inputs that may change in one direction only.
    max_changes : maximum number of inputs that change together; None: no limit.
    n : number of different sets of inputs to find; those after the first are `alternatives`.
    X : rows that give the ranges of the inputs; None: the summary of the training rows in the model.

    Returns
    -------
    Counterfactual
        A ValueError if no change that was found reaches the target.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier
    >>> iris = load_iris(as_frame=True)
    >>> model = CARTClassifier(random_state=0).fit(iris.data, iris.target_names[iris.target])
    >>> print(counterfactual(model, iris.data[70:71], "versicolor"))
    virginica 0.98 → versicolor 0.98: petal width (cm) = 1.8 → 1.75
    """
    tree = open_model(model, "counterfactual")
    cells = read_row(model, tree, row)
    for name, value in (("max_changes", max_changes), ("n", n)):
        if value is None and name == "max_changes":
            continue
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, got {value!r}.")
    goals = make_goals(tree, cells, target)
    rows = None if X is None else some_rows(read_rows(model, X), "X")
    free = free_inputs(tree, cells, rows, fixed, directions)
    look = follow_paths if is_stepwise(tree) else search
    most = len(free) if max_changes is None else min(max_changes, len(free))
    found: list[Found] = []
    for goal in goals:
        found += look(tree, cells, goal, free, most)
    found = _best(found)[:n]
    if not found:
        raise ValueError(_unreached(tree, cells, goals, free, most))
    first, *others = (_describe_change(tree, cells, each, free) for each in found)
    return replace(first, alternatives=tuple(others))


def read_row(model: Any, tree: Tree, row: Any) -> Floats:
    """One row as numbers, (1, inputs)."""
    flat = isinstance(row, list | tuple) and not any(isinstance(cell, list | tuple | np.ndarray) for cell in row)
    if isinstance(row, Mapping) or flat or getattr(row, "ndim", 2) == 1:
        steps = look_inside(model).steps
        if steps:
            raise ValueError(
                f"row must be a table of one row, for the steps {', '.join(steps)} of the pipeline: pass X[4:5]."
            )
        named = row.to_dict() if hasattr(row, "to_dict") else row  # a row of a data frame
        return tree.schema.encode([named if isinstance(named, Mapping) else list(named)])
    cells = read_rows(model, row, "row")
    if len(cells) != 1:
        raise ValueError(f"row must be one row, got {len(cells)}; pass X[4:5], or the cells of one.")
    return cells


def _best(found: list[Found]) -> list[Found]:
    """One per set of inputs, sorted by the number of changes, then by their size."""
    found = sorted(found, key=lambda each: (len(each.changes), each.cost, sorted(each.changes)))
    kept: dict[frozenset[int], Found] = {}
    for each in found:
        kept.setdefault(frozenset(each.changes), each)
    return list(kept.values())


def _describe_change(tree: Tree, cells: Floats, found: Found, free: list[Free]) -> Counterfactual:
    after, schema = cells.copy(), tree.schema
    for f, value in found.changes.items():
        after[0, f] = value
    cost = {each.feature: each.cost(found.changes[each.feature]) for each in free if each.feature in found.changes}
    order = sorted(found.changes, key=lambda f: (-cost[f], f))
    changes = []
    for f in order:
        old, new = (spell_value(schema, f, float(row[0, f])) for row in (cells, after))
        if old == new:  # numbers that differ in the last digits
            old, new = (spell_number(float(row[0, f]), None) for row in (cells, after))
        name = spell_name(schema.features[f])
        changes.append(Change(f, schema.features[f], old, new, _cell(tree, f, after), f"{name} = {old} → {new}"))
    said = tree.predict(after)
    numbers = float(said[0, 0]) if tree.n_outputs == 1 else said[0].tolist()
    answer = schema.answers[int(tree.decide(after)[0])] if schema.task == "classification" else numbers
    row = {name: _cell(tree, f, after) for f, name in enumerate(schema.features)}
    told = spell_answer(tree, tree.predict(cells)), spell_answer(tree, said)
    return Counterfactual(tuple(changes), after, row, *told, answer, found.cost)


def _cell(tree: Tree, feature: int, row: Floats) -> Any:
    """A number of a row as a cell."""
    value, levels = float(row[0, feature]), tree.schema.categories[feature]
    if np.isnan(value):
        return None
    if levels is not None:
        return levels[int(value)] if 0 <= value < len(levels) else None
    return bool(value) if tree.schema.kinds[feature] == Kind.BOOLEAN and value in (0.0, 1.0) else value


def _unreached(tree: Tree, cells: Floats, goals: list[Any], free: list[Free], most: int) -> str:
    wanted = " or ".join(str(goal) for goal in goals[:5])
    now = spell_answer(tree, tree.predict(cells))
    if not free:
        return f"no input that the tree uses may change, so the row stays {now}; remove some from fixed."
    names = ", ".join(spell_cell(tree.schema, each.feature, each.now) for each in free[:5])
    return (
        f"no change of up to {most} of {len(free)} inputs was found that gives {wanted}; the row is {now} "
        f"({names}{', …' if len(free) > 5 else ''}). Allow more (max_changes, fixed, directions) or another target."
    )
