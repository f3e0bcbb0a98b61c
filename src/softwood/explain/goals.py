"""Goals of a counterfactual: a class, or numbers in a range, and the distance of a prediction from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.explain.words import find_answer
from softwood.kernels import apply_link
from softwood.kernels.kinds import Link
from softwood.tree import Tree
from softwood.tree.spelling import spell_label, spell_number


@dataclass(frozen=True)
class ClassGoal:
    """The class with code `place`."""

    tree: Tree
    place: int

    def reached(self, rows: Floats) -> npt.NDArray[np.bool_]:
        """The rows for which the tree predicts the class."""
        return np.asarray(self.tree.decide(rows) == self.place)

    def gap(self, rows: Floats) -> Floats:
        """The lead of the best other class: in scores, or in expected costs if the model has costs."""
        tree, output = self.tree, self.tree.output(rows)
        if tree.schema.costs is not None:
            better = -(apply_link(int(tree.link), output) @ np.array(tree.schema.costs))
        elif tree.link == Link.SIGMOID and tree.n_outputs == 1:
            better = np.column_stack([np.zeros(len(output)), output])
        else:
            better = output
        others = np.delete(better, self.place, axis=1)
        return np.asarray(others.max(axis=1) - better[:, self.place])

    def __str__(self) -> str:
        return spell_label(self.tree.schema.answers[self.place])


@dataclass(frozen=True)
class NumberGoal:
    """Targets within ranges: (output, low, high) each."""

    tree: Tree
    ranges: tuple[tuple[int, float, float], ...]

    def reached(self, rows: Floats) -> npt.NDArray[np.bool_]:
        """The rows with all targets within their ranges."""
        said = self.tree.predict(rows)
        return np.asarray(np.all([(low <= said[:, k]) & (said[:, k] <= high) for k, low, high in self.ranges], axis=0))

    def gap(self, rows: Floats) -> Floats:
        """The distance of the worst target from its range."""
        said = self.tree.predict(rows)
        return np.asarray(
            np.max([np.maximum(low - said[:, k], said[:, k] - high) for k, low, high in self.ranges], axis=0)
        )

    def __str__(self) -> str:
        return " and ".join(self._range(*each) for each in self.ranges)

    def _range(self, k: int, low: float, high: float) -> str:
        name = spell_label(self.tree.schema.answers[k])
        if np.isinf(high):
            return f"{name} ≥ {spell_number(low)}"
        if np.isinf(low):
            return f"{name} ≤ {spell_number(high)}"
        return f"{spell_number(low)} ≤ {name} ≤ {spell_number(high)}"


Goal = ClassGoal | NumberGoal


def make_goals(tree: Tree, row: Floats, target: Any) -> list[Goal]:
    """The goals, any of which suffices."""
    if tree.schema.task == "classification":
        here = int(tree.decide(row)[0])
        if target is None:
            if len(tree.schema.answers) < 2:
                raise ValueError("the model knows one class only; no change of a row gives another.")
            return [ClassGoal(tree, k) for k in range(len(tree.schema.answers)) if k != here]
        place = find_answer(tree, target)
        if place == here:
            raise ValueError(
                f"the row is {tree.schema.answers[here]!r:.80} already; name another class, or none for any other."
            )
        return [ClassGoal(tree, place)]
    goal = NumberGoal(tree, _ranges(tree, row, target))
    if goal.reached(row)[0]:
        raise ValueError(f"the row has {goal} already: {', '.join(map(spell_number, tree.predict(row)[0]))}.")
    return [goal]


def _ranges(tree: Tree, row: Floats, target: Any) -> tuple[tuple[int, float, float], ...]:
    if isinstance(target, Mapping) and target:
        return tuple(_range(tree, row, find_answer(tree, name), wanted) for name, wanted in target.items())
    if tree.n_outputs > 1:
        names = ", ".join(map(repr, tree.schema.answers[:5]))
        raise ValueError(
            f"the model has several targets ({names}); name some: target={{{tree.schema.answers[0]!r}: 3}}."
        )
    return (_range(tree, row, 0, target),)


def _range(tree: Tree, row: Floats, k: int, wanted: Any) -> tuple[int, float, float]:
    """A number must be reached from the side of the row; a pair holds the ends of a range, None for an open end."""
    if isinstance(wanted, int | float | np.number) and np.isfinite(wanted):
        below = tree.predict(row)[0, k] < wanted
        return (k, float(wanted), np.inf) if below else (k, -np.inf, float(wanted))
    try:
        low, high = wanted
        ends = -np.inf if low is None else float(low), np.inf if high is None else float(high)
    except (TypeError, ValueError):
        ends = np.nan, np.nan
    if not ends[0] <= ends[1] or np.isinf(ends).all():
        raise ValueError(
            f"target must be a number to reach or a pair (low, high), None for an open end, got {wanted!r:.80}."
        )
    return k, *ends
