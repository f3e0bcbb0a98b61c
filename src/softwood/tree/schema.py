"""What the numbers of a tree stand for: names of inputs, categories and answers.

Printing and exports need it, predicting does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Schema:
    """Names beside the numbers.

    Attributes
    ----------
    features : name of every input.
    categories : per input its categories in the order of their codes, or None for a number.
    answers : class labels, or names of the targets.
    task : "classification" or "regression".

    Examples
    --------
    >>> Schema.plain(2, 1).features
    ('x0', 'x1')
    """

    features: tuple[str, ...]
    categories: tuple[tuple[Any, ...] | None, ...]
    answers: tuple[Any, ...]
    task: str = "regression"

    def __post_init__(self) -> None:
        if len(self.features) != len(self.categories):
            names, given = len(self.features), len(self.categories)
            raise ValueError(f"a schema needs categories (or None) for each of {names} features, got {given}.")
        if self.task not in ("classification", "regression"):
            raise ValueError(f"task must be 'classification' or 'regression', got {self.task!r}.")

    @classmethod
    def plain(cls, n_features: int, n_answers: int, task: str = "regression") -> Schema:
        """Numbered names, all inputs numbers."""
        answers = tuple(range(n_answers)) if task == "classification" else tuple(f"y{i}" for i in range(n_answers))
        return cls(tuple(f"x{i}" for i in range(n_features)), (None,) * n_features, answers, task)

    @property
    def n_features(self) -> int:
        return len(self.features)

    def n_levels(self, feature: int) -> int:
        """How many categories the input has; 0 for a number."""
        levels = self.categories[feature]
        return 0 if levels is None else len(levels)
