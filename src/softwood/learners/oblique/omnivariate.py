"""The split of an omnivariate tree (Yıldız and Alpaydın 2001): the simplest sufficient gate at every node.

    threshold   one input, CART's own search
    linear      Fisher's discriminant, or a ridge regression
    quadratic   the same with the squares of the inputs
    mlp         a small multilayer perceptron, unfolded into three gates (perceptron.py)

Held-out rows choose the kind (gate_selection.py); it is then learned on all rows of the node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood import kernels
from softwood.arrays import Floats
from softwood.learners.oblique.discriminant import Discriminant, find_discriminant
from softwood.learners.oblique.gate import Split
from softwood.learners.oblique.gate_selection import (
    LEAF,
    MIN_ROWS_TO_HALVE,
    GateChoice,
    Kind,
    by_f_test,
    by_information,
    by_validation,
    halves,
    held_out_losses,
)
from softwood.learners.oblique.perceptron import find_perceptron
from softwood.learners.oblique.rows import Rows
from softwood.learners.oblique.univariate import find_univariate
from softwood.learners.soft.columns.design import PLAIN, BasisSpec

KINDS = ("threshold", "linear", "quadratic", "mlp")  # from the simplest on
COMPETE = KINDS[:3]  # by default
SELECT = ("f_test", "aic", "bic", "validation")
SQUARE = 1  # kind of a column


@dataclass(frozen=True)
class Omnivariate:
    """Options of the split.

    kinds : names of the gates that compete, the simplest first.
    select : the selection method.
    alpha : of the F test; a simpler kind stays unless it is worse at this level.
    stop : whether a leaf competes.
    discriminant : how linear and quadratic gates are found.
    seed : of the halves.
    """

    kinds: tuple[str, ...] = COMPETE
    select: str = "f_test"
    alpha: float = 0.05
    stop: bool = True
    discriminant: Discriminant = Discriminant(threshold="gain")  # sums of squares are not normal
    seed: int = 0

    def __call__(self, rows: Rows) -> Split | None:
        """The split of a node."""
        verdict = self._choose(rows)
        split = None if verdict.kind is None else verdict.kind.find(rows)
        return None if split is None else replace(split, note=verdict.note)

    @property
    def basis_spec(self) -> BasisSpec:
        """The columns that the kinds need."""
        return replace(PLAIN, square=1.0) if "quadratic" in self.kinds else PLAIN

    def _choose(self, rows: Rows) -> GateChoice:
        kinds = [self.gate_kind(name) for name in self.kinds]
        if self.select in ("aic", "bic"):
            return by_information(rows, kinds, self.stop, self.select == "bic")
        rows = rows.in_pieces()
        if len(rows.phi) < MIN_ROWS_TO_HALVE or rows.has_one_group:
            return GateChoice(None if self.stop else kinds[0], f"{kinds[0].name}, too few rows to compare kinds")
        if self.select == "validation":
            return by_validation(rows, kinds, self.stop, self.seed)
        return by_f_test(self.held_out_losses(rows, kinds), kinds, self.alpha, self.stop)

    def held_out_losses(self, rows: Rows, kinds: list[Kind]) -> dict[str, Floats]:
        """Held-out losses of all kinds: natively, except for a perceptron."""
        pairs = halves(rows, self.seed)
        if kernels.gate_losses is None:
            return held_out_losses(rows, kinds, pairs)
        fast = [name for name in self.kinds if name in COMPETE]
        half = np.zeros((len(pairs), len(rows.phi)), np.uint8)
        for row, (_, second) in zip(half, pairs, strict=True):
            row[second] = 1
        line = columns_of(rows, "linear")
        order = np.concatenate([line, np.setdiff1d(columns_of(rows, "quadratic"), line)])
        losses = kernels.gate_losses(
            np.ascontiguousarray(rows.phi[:, order]),
            *rows.answers(),
            rows.problem.X if "threshold" in fast else None,
            rows.problem.n_levels.tolist(),
            self.discriminant.least,
            *self.discriminant.manner(),
            len(line),
            "linear" in fast,
            "quadratic" in fast,
            half,
        )
        slow = [kind for kind in kinds if kind.name not in fast]
        table = held_out_losses(rows, slow, pairs) if slow else {}
        return table | dict(zip((LEAF, *fast), losses, strict=True))

    def gate_kind(self, name: str) -> Kind:
        how = self.discriminant
        if name == "threshold":
            return Kind(name, lambda rows: find_univariate(rows, how.least), lambda rows: 2)
        if name == "mlp":
            return Kind(name, self._perceptron, lambda rows: 3 * (len(columns_of(rows, name)) + 1))
        return Kind(
            name,
            lambda rows: find_discriminant(rows, how, columns_of(rows, name)),
            lambda rows: len(columns_of(rows, name)) + 1,
        )

    def _perceptron(self, rows: Rows) -> Split | None:
        columns = columns_of(rows, "mlp")
        line = find_discriminant(rows, self.discriminant, columns)
        return find_perceptron(rows, columns, line, self.discriminant.least, self.seed)


def columns_of(rows: Rows, name: str) -> np.ndarray:
    """Indices of the columns that a kind of gate may use."""
    return np.arange(len(rows.columns)) if name == "quadratic" else np.flatnonzero(rows.columns.kind != SQUARE)
