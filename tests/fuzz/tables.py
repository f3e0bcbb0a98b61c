"""A random table: columns, a target, weights, and their container. A table states why it may be refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.fuzz.columns import Cells, Random, draw_column
from tests.fuzz.containers import CONTAINERS, FRAMES, LARGEST, NUMBERS
from tests.fuzz.targets import draw_labels, draw_numbers, draw_weights, signal_of

# Beyond this, squares overflow: such a table may be refused.
LEAST, MOST = 1e-100, 1e100
HEAVY = 1e15  # more rows than there are


@dataclass(frozen=True)
class Table:
    """Rows as lists; None is a missing cell.

    columns : name -> cells.
    y : labels, numbers, or lists of numbers.
    weight : None if all rows count equally.
    container : of X, a name of CONTAINERS.
    group : of each row; None without groups.
    """

    columns: dict[str, Cells]
    y: list[Any]
    weight: list[float] | None
    container: str
    group: list[int] | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def X(self) -> Any:  # noqa: N802
        return CONTAINERS[self.container](self.columns)

    @property
    def words(self) -> list[int]:
        """Columns that hold text."""
        return [i for i, cells in enumerate(self.columns.values()) if any(isinstance(cell, str) for cell in cells)]

    @property
    def classes(self) -> list[Any]:
        return sorted(set(self.y), key=str) if not isinstance(self.y[0], list) else []

    def rows(self, chosen: list[int], weight: list[float] | None = None) -> Table:
        """These rows, in this order, with these weights (else their own)."""
        columns = {name: [cells[i] for i in chosen] for name, cells in self.columns.items()}
        own = None if self.weight is None else [self.weight[i] for i in chosen]
        group = None if self.group is None else [self.group[i] for i in chosen]
        return replace(self, columns=columns, y=[self.y[i] for i in chosen], weight=weight or own, group=group)

    def excuses(self) -> list[str]:
        """Why a learner may refuse this table; empty for an ordinary one."""
        found = [f"column {name}: {why}" for name, cells in self.columns.items() for why in _excuse(cells)]
        if all(cell is None for cells in self.columns.values() for cell in cells):
            found.append("no value at all")
        numbers = [cell for cells in self.columns.values() for cell in cells if isinstance(cell, float)]
        if max(map(abs, numbers), default=0.0) > LARGEST.get(self.container, np.inf):
            found.append(f"{self.container} cannot hold it")
        found += [f"y: {why}" for why in _excuse(np.ravel(np.array(self.y, object)).tolist())]
        return found + _weight_excuse(self.weight) + self._group_excuse()

    def _group_excuse(self) -> list[str]:
        if self.group is None:
            return []
        weight = [1.0] * len(self) if self.weight is None else self.weight
        seen = {group for group, w in zip(self.group, weight, strict=True) if w > 0}
        return [] if len(seen) > 1 else ["all rows are of one group"]


def draw_table(rng: Random, classify: bool, most_rows: int) -> Table:
    """Random rows, from one to `most_rows`: half the tables are small, half are large enough to grow a tree."""
    few = np.exp(rng.uniform(0, np.log(most_rows + 1)))
    n = int(few if rng.random() < 0.5 else rng.integers(most_rows // 4, most_rows + 1))
    drawn = [draw_column(rng, n) for _ in range(int(rng.choice([1, 1, 2, 2, 3, 4, 6])))]
    if rng.random() < 0.15:
        drawn.append(drawn[0])  # a column twice
    columns = {f"c{i}": cells for i, (_, cells) in enumerate(drawn)}
    signal = signal_of(rng, columns, n)
    y = draw_labels(rng, signal) if classify else draw_numbers(rng, signal)
    table = Table(columns, y, draw_weights(rng, n), _draw_container(rng, columns))
    return _with_copies(rng, table) if rng.random() < 0.2 else table


def with_groups(rng: Random, table: Table) -> Table:
    """The same rows, each of one of a few groups or of many."""
    n_groups = int(rng.choice([2, 3, 10, max(2, len(table))]))
    return replace(table, group=[int(group) for group in rng.integers(0, n_groups, len(table))])


def _draw_container(rng: Random, columns: dict[str, Cells]) -> str:
    cells = [cell for column in columns.values() for cell in column]
    if not all(cell is None or isinstance(cell, bool | float) for cell in cells):
        return str(rng.choice([*FRAMES, "objects"]))
    whole = all(isinstance(cell, bool) or (isinstance(cell, float) and cell.is_integer()) for cell in cells)
    whole = whole and all(abs(cell) < LARGEST["integers"] for cell in cells)
    fits = [name for name in NUMBERS if name != "integers" or whole]
    return str(rng.choice([*fits, *["float64"] * 3, *FRAMES]))


def _with_copies(rng: Random, table: Table) -> Table:
    """The same number of rows, few of them distinct."""
    few = rng.integers(0, int(rng.integers(1, 6)), len(table)) % len(table)
    return table.rows([int(i) for i in few])


def _excuse(cells: Cells) -> list[str]:
    numbers = np.array([cell for cell in cells if isinstance(cell, float | int)], np.float64)
    if not all(cell is None or isinstance(cell, float | int | str) for cell in cells):
        return ["neither numbers nor text"]
    if not numbers.size:
        return []
    if not np.isfinite(numbers).all():
        return ["not finite"]
    size = np.abs(numbers[numbers != 0])
    if size.size and (size.max() > MOST or size.min() < LEAST):
        return ["beyond the squares of doubles"]
    return []


def _weight_excuse(weight: list[float] | None) -> list[str]:
    if weight is None:
        return []
    positive = [value for value in weight if value > 0]
    if not positive or min(weight) < 0:
        return ["weights: negative, or all zero"]
    return ["weights: too heavy or too light"] if max(positive) > HEAVY or max(positive) < LEAST else []
