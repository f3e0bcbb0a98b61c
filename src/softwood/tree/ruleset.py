"""An ordered set of rules: the first that applies gives the prediction, otherwise the default class.

A condition is about one input: `lower < x <= upper`, or x is one of some categories. A missing value satisfies no
condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Mask
from softwood.tree.schema import Kind, Schema
from softwood.tree.spelling import spell_apart, spell_label, spell_list, spell_name


@dataclass(frozen=True)
class Condition:
    """A condition on one input; `levels` are category codes, None for a number."""

    feature: int
    lower: float = -np.inf
    upper: float = np.inf
    levels: tuple[int, ...] | None = None

    def holds(self, X: Floats) -> Mask:
        """The rows that satisfy it.

        Examples
        --------
        >>> Condition(0, lower=1.0, upper=2.0).holds(np.array([[1.0], [2.0], [np.nan]]))
        array([False,  True, False])
        """
        x = X[:, self.feature]
        if self.levels is not None:
            return np.isin(x, np.array(self.levels, np.float64))
        return np.asarray((x > self.lower) & (x <= self.upper))


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, predict `answer` (a class code).

    coverage, errors : training rows (by weight) that satisfy the conditions, and those of them with another class,
        ignoring earlier rules.
    """

    conditions: tuple[Condition, ...]
    answer: int
    coverage: float
    errors: float

    @property
    def confidence(self) -> float:
        """Laplace's estimate of its accuracy: (coverage - errors + 1) / (coverage + 2)."""
        return (self.coverage - self.errors + 1.0) / (self.coverage + 2.0)

    def holds(self, X: Floats) -> Mask:
        """The rows that satisfy all conditions."""
        met = np.ones(len(X), np.bool_)
        for condition in self.conditions:
            met &= condition.holds(X)
        return met


@dataclass(frozen=True)
class RuleSet:
    """Rules in order, and the default class for rows that none of them covers.

    Examples
    --------
    >>> rule = Rule((Condition(0, upper=2.5),), answer=1, coverage=4.0, errors=0.0)
    >>> rules = RuleSet((rule,), 0, Schema(("age",), (None,), ("no", "yes"), "classification"))
    >>> rules.decide(np.array([[2.0], [3.0]]))
    array([1, 0])
    >>> rules.words(rule)
    ['age ≤ 2.5']
    """

    rules: tuple[Rule, ...]
    default: int
    schema: Schema

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def decide(self, X: Floats) -> npt.NDArray[np.int64]:
        """Class code of every row."""
        answer = np.full(len(X), self.default, np.int64)
        for rule in reversed(self.rules):
            answer[rule.holds(X)] = rule.answer
        return answer

    def words(self, rule: Rule, digits: int | None = 3, room: int | None = None) -> list[str]:
        """The conditions of a rule; sets of categories are truncated to about `room` characters."""
        return [self._word(condition, digits, room) for condition in rule.conditions]

    def _word(self, condition: Condition, digits: int | None, room: int | None) -> str:
        name = spell_name(self.schema.features[condition.feature])
        if condition.levels is not None:
            levels = self.schema.categories[condition.feature] or ()
            members = [spell_label(levels[code]) for code in condition.levels]
            if len(members) == 1:
                return f"{name} = {members[0]}"
            return f"{name} in {{{spell_list(members, None if room is None else room - len(name) - 6)}}}"
        if (
            self.schema.kinds[condition.feature] == Kind.BOOLEAN
            and 0 <= min(condition.upper, max(condition.lower, 0.0)) < 1
        ):
            return name if condition.lower >= 0 else f"not {name}"
        cut = spell_apart(self._cuts(condition.feature), digits)
        if condition.lower == -np.inf:
            return f"{name} ≤ {cut[condition.upper]}"
        if condition.upper == np.inf:
            return f"{name} > {cut[condition.lower]}"
        return f"{cut[condition.lower]} < {name} ≤ {cut[condition.upper]}"

    def _cuts(self, feature: int) -> list[float]:
        """All numbers that an input is compared with."""
        found = [c for rule in self.rules for c in rule.conditions if c.feature == feature]
        return sorted({cut for c in found for cut in (c.lower, c.upper) if np.isfinite(cut)})
