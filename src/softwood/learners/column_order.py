"""Learners take named columns in the order of their names, so that the order in a user's table does not change the
tree.

Ties between features go to the first, and sums over columns round in the order of the columns. So a learner gets the
columns sorted by name, and its results are mapped back:

    user's table    b c a        place = 2 0 1
    learner's       a b c        feature f there is feature place[f] here

Numbers within names count as numbers: x2 is before x10. Columns without names are called x0, x1, ..., so they stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Longs
from softwood.parts.held_out import HeldOutRows
from softwood.tree import Schema, Tree

DIGITS = re.compile(r"(\d+)", re.ASCII)


@dataclass(frozen=True)
class ColumnOrder:
    """The position of each of the learner's columns in the user's table."""

    place: Longs

    @classmethod
    def of(cls, schema: Schema) -> ColumnOrder:
        """By the names of the features.

        Examples
        --------
        >>> order = ColumnOrder.of(Schema(("b", "x10", "x2", "a"), (None,) * 4, ("y",)))
        >>> order.place.tolist(), order.schema(Schema(("b", "x10", "x2", "a"), (None,) * 4, ("y",))).features
        ([3, 0, 2, 1], ('a', 'b', 'x2', 'x10'))
        """
        names = schema.features
        return cls(np.array(sorted(range(len(names)), key=lambda f: _key(names[f])), np.int64))

    @classmethod
    def as_given(cls, n_columns: int) -> ColumnOrder:
        """The original order."""
        return cls(np.arange(n_columns))

    @property
    def is_given(self) -> bool:
        """Whether the columns are already in this order."""
        return bool(np.all(np.diff(self.place) > 0))

    def table(self, X: Any) -> Any:
        """Columns of a table (rows, columns)."""
        return X if self.is_given else np.ascontiguousarray(X[:, self.place])

    def each(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """One value per column, or an empty array."""
        return values[self.place] if len(values) else values

    def schema(self, schema: Schema) -> Schema:
        """The schema with reordered columns."""
        return replace(
            schema,
            features=self._picked(schema.features),
            categories=self._picked(schema.categories),
            kinds=self._picked(schema.kinds),
            summaries=self._picked(schema.summaries),
        )

    def _picked(self, values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(values[f] for f in self.place.tolist())

    def inverse(self) -> ColumnOrder:
        """The permutation from the learner's columns to the user's."""
        return ColumnOrder(np.argsort(self.place))

    # -- back to the user's columns ------------------------------------------------------------------------------------

    def leave_feature(self, feature: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Indices of features; -1 is none."""
        return np.where(feature >= 0, self.place[np.maximum(feature, 0)], feature).astype(feature.dtype)

    def leave_each(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """One value for each column."""
        return self.inverse().each(values)

    def leave_tree(self, tree: Tree) -> Tree:
        """A tree over the user's columns."""
        surrogates, basis = tree.surrogates, tree.basis
        if len(surrogates):
            surrogates = replace(surrogates, feature=self.leave_feature(surrogates.feature))
        if len(basis):
            basis = replace(basis, feature=self.leave_feature(basis.feature))
        feature = self.leave_feature(tree.feature)
        own = self.inverse().schema(tree.schema)
        return tree.replace(feature=feature, schema=own, surrogates=surrogates, basis=basis)

    def leave_table(self, X: Any) -> Any:
        """Columns of a table (rows, columns)."""
        return self.inverse().table(X)

    def leave_rows(self, rows: HeldOutRows | None) -> HeldOutRows | None:
        """Held-out rows."""
        return None if rows is None else replace(rows, X=self.leave_table(rows.X))


def _key(name: str) -> tuple[Any, ...]:
    """Alternating text and numbers; then the name itself, for ties."""
    parts = DIGITS.split(name)
    return (tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), name)
