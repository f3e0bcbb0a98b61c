"""A case: one estimator with its parameters, one table, and the laws to check, all determined by one integer."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import softwood
from tests.fuzz.containers import CONTAINERS
from tests.fuzz.parameters import Learner, draw_learner, draw_parameters
from tests.fuzz.tables import Table, draw_table, with_groups

GROUPED = 0.15  # of the cases of an estimator that takes groups
MOST_APART = 1e9  # the heaviest row, times the lightest
# Laws that need another fit: one of them is checked per case.
REFITS = ("order", "threads", "again", "twice", "zero", "kernels", "kernels", "chunks", "soften")


@dataclass(frozen=True)
class Case:
    """A fit, and the laws to check.

    held : whether X_val and y_val are given: the first half of the rows.
    refit : the law of REFITS to check in addition to the cheap ones.
    wrong : parameters that are wrong on purpose.
    """

    seed: int
    estimator: str
    parameters: dict[str, Any]
    table: Table
    held: bool
    refit: str
    wrong: tuple[str, ...] = ()
    exact: bool = True

    def excuses(self) -> list[str]:
        """Why `fit` may refuse; empty if it must not."""
        found = [*self.table.excuses(), *self.wrong]
        if self.parameters.get("categorical_features", 0) is None and self.table.words:
            found.append("text that is not to be a category")
        if self.parameters.get("learner") == "online" and self.parameters.get("gate", "auto") not in ("auto", "linear"):
            found.append("the online learner has linear gates")
        if "monotonic_cst" in self.parameters and self.parameters.get("categorical_features"):
            found.append("a sign for a category")
        if "monotonic_cst" in self.parameters and self.estimator.startswith(("SoftTree", "SoftForest", "Budding")):
            found.append("several classes, a warm start or the incremental learner beside constraints")
        if "smoothing" in self.parameters and ("monotonic_cst" in self.parameters or self.parameters.get("soft")):
            found.append("smoothing beside signs or probabilities of its own")
        if _counts(self.parameters) and any(0 in y if isinstance(y, list) else y == 0 for y in self.table.y):
            found.append("counts that may all be 0, or amounts of 0")
        if "loss" in self.parameters and self.parameters.get("learner") == "incremental":
            found.append("losses are for the joint learner")
        mixes = self.parameters.get("mix") == "probability"
        if mixes and (self.parameters.get("leaf") == "linear" or self.parameters.get("learner") == "incremental"):
            found.append("probabilities are mixed by constant leaves and the joint learner")
        if "warm_start" in self.parameters:
            found.append("a warm start on other rows")
        return found

    def code(self) -> str:
        """Python code that fits the case."""
        container = CONTAINERS[self.table.container]
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        held = f", X_val=make_x(held), y_val=y[:{self.half}]" if self.held else ""
        groups = ", groups=group" if self.table.group else ""
        lines = [
            "import datetime",
            "from typing import Any",
            "import softwood",
            'nan, inf, Columns = float("nan"), float("inf"), Any',
            inspect.getsource(container).replace(f"def {container.__name__}(", "def make_x("),
            f"columns = {self.table.columns!r}",
            f"held = {{name: cells[:{self.half}] for name, cells in columns.items()}}" if self.held else "",
            f"y = {self.table.y!r}",
            f"weight = {self.table.weight!r}",
            f"group = {self.table.group!r}" if self.table.group else "",
            f"model = softwood.{self.estimator}({given})",
            f"model.fit(make_x(columns), y, sample_weight=weight{held}{groups})",
        ]
        return "\n".join(line for line in lines if line)

    @property
    def has_digits(self) -> bool:
        """Whether weights (and, for linear gates, values) leave enough digits to distinguish gains and scores.

        Otherwise the last digit breaks ties, and it depends on the order of sums.
        """
        given = self.parameters.get("class_weight")
        factors = [1.0, *(factor for factor in given.values() if factor > 0)] if isinstance(given, dict) else [1.0]
        weights = [weight for weight in self.table.weight or [1.0] if weight > 0]
        if max(weights) * max(factors) > MOST_APART * min(weights) * min(factors):
            return False
        return not self.estimator.startswith("Linear") or all(map(_are_apart, self.table.columns.values()))

    @property
    def largest(self) -> float:
        """The largest numeric target: predictions near 0 are differences of such numbers, with their rounding."""
        targets = self.table.y if self.estimator.endswith("Regressor") else []
        return max((abs(float(y)) for y in targets if isinstance(y, int | float) and np.isfinite(y)), default=0.0)

    @property
    def half(self) -> int:
        return (len(self.table) + 1) // 2

    def with_table(self, table: Table) -> Case:
        return replace(self, table=table)


def _are_apart(cells: list[Any]) -> bool:
    """Whether distinct numbers differ by more than a fraction of the largest."""
    distinct = np.unique([cell for cell in cells if isinstance(cell, float) and np.isfinite(cell)])
    return len(distinct) < 2 or bool(np.diff(distinct).min() > np.abs(distinct).max() / MOST_APART)


def draw_case(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng(seed)
    name, learner = draw_learner(rng)
    table = draw_table(rng, learner.classify, learner.most_rows)
    if "categorical_features" not in learner.options and table.container == "objects":
        table = replace(table, container="pandas")  # whose dtypes say which columns are categories
    parameters, wrong = draw_parameters(rng, learner, table)
    if _counts(parameters):
        table = replace(table, y=[_size(y) for y in table.y])
    apart = np.random.default_rng([seed, 1])  # a separate stream: cases without groups do not change
    if "groups" in inspect.signature(getattr(softwood, name).fit).parameters and apart.random() < GROUPED:
        table = with_groups(apart, table)
    return Case(
        seed=seed,
        estimator=name,
        parameters=parameters,
        table=table,
        held=_is_held(rng, learner, parameters),
        refit=str(rng.choice(REFITS)),
        wrong=tuple(wrong),
        exact=learner.exact,
    )


def _counts(parameters: dict[str, Any]) -> bool:
    """Whether targets must not be negative."""
    return parameters.get("criterion") == "poisson" or parameters.get("loss") in ("poisson", "gamma", "tweedie")


def _size(y: Any) -> Any:
    """A target, or several, without its sign."""
    if isinstance(y, list):
        return [_size(each) for each in y]
    return abs(y) if isinstance(y, int | float) else y


def _is_held(rng: np.random.Generator, learner: Learner, parameters: dict[str, Any]) -> bool:
    if not learner.held:
        return False
    if "prune" in learner.options:
        return parameters.get("prune") in ("validation", "reduced_error")
    return bool(rng.random() < 0.15)
