"""The basis of a tree: a table of columns, each made from one input.

A linear gate is `bias + weight . basis(x)`. Identity columns give the oblique gates of the soft tree papers, squares
add spheres and diagonal quadrics, hinges a piecewise linear curve per input, indicators categories and missing values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Term
from softwood.tree.frozen import freeze, restore, same_arrays


@dataclass(frozen=True, eq=False)
class Basis:
    """Columns phi(x), each a function of one input.

    Attributes
    ----------
    term : the function of the input (`Term`).
    feature : the input.
    parameter : the knot of a hinge, the code of a category; 0 for the other terms.
    when_missing : the column's value if the input is missing (ignored for a missing indicator, which is 1).

    Examples
    --------
    >>> basis = Basis.identity(2)
    >>> len(basis)
    2
    """

    term: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    feature: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    parameter: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    when_missing: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        freeze(self, "term", np.uint8)
        freeze(self, "feature", np.int32)
        freeze(self, "parameter", np.float64)
        freeze(self, "when_missing", np.float64)
        sizes = {name: getattr(self, name).shape for name in ("term", "feature", "parameter", "when_missing")}
        if any(shape != (len(self),) for shape in sizes.values()):
            raise ValueError(f"a basis needs four flat arrays of one length, got shapes {sizes}.")
        unknown = self.term >= len(Term)
        if unknown.any():
            column = int(unknown.argmax())
            raise ValueError(f"basis column {column}: term {self.term[column]} is not one of 0..{len(Term) - 1}.")
        endless = ~(np.isfinite(self.parameter) & np.isfinite(self.when_missing))
        if endless.any():
            raise ValueError(f"basis column {int(endless.argmax())}: parameter and when_missing must be finite.")

    @classmethod
    def identity(cls, n_features: int, when_missing: Sequence[float] | npt.NDArray[np.float64] | None = None) -> Basis:
        """One column per input, the input itself."""
        fill = np.zeros(n_features) if when_missing is None else np.asarray(when_missing, np.float64)
        return cls(np.zeros(n_features, np.uint8), np.arange(n_features, dtype=np.int32), np.zeros(n_features), fill)

    def pick(self, columns: npt.NDArray[Any]) -> Basis:
        """Some of the columns, by number or mask."""
        return Basis(self.term[columns], self.feature[columns], self.parameter[columns], self.when_missing[columns])

    def __len__(self) -> int:
        return len(self.term)

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    def __eq__(self, other: object) -> bool:
        return same_arrays(self, other)

    __hash__ = None  # type: ignore[assignment]  # compares by content, arrays do not hash
