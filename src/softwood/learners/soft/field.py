"""What a search walks over: columns of one recipe with the rows divided in several ways, and candidates found there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from softwood.engines import Floats
from softwood.kernels.expansion import Expansion
from softwood.learners.soft.bins import Binned
from softwood.learners.soft.choice import Candidate
from softwood.learners.soft.columns import Columns, Recipe
from softwood.learners.soft.ground import Ground
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Gates, Slopes
from softwood.learners.soft.tables import expansion_of
from softwood.tree.once import computed_once

Inputs = npt.NDArray[np.bool_]  # which of them


@dataclass(frozen=True, eq=False)
class Field:
    """Columns of one recipe, what gates look at, and the rows divided in one or several ways.

    full : the first division whose trees are of full size. Scouts go before it, to fewer rows, where rows are many.
    factor : of each column, by which inputs are held back (leaning.py); 1 where all are held back alike.
    """

    recipe: Recipe
    columns: Columns
    divided: list[tuple[SoftProblem, SoftProblem]]
    full: int
    n_threads: int
    single: bool
    gates: Gates = "open"
    grounds: dict[int, Ground] = field(default_factory=dict)
    binned: dict[int, Binned] = field(default_factory=dict)  # by division; whatever the columns, so fields share it
    factor: Floats | float = 1.0

    def ground(self, division: int) -> Ground:
        """Made when first asked for."""
        if division not in self.grounds:
            parts = self.divided[division]
            if division not in self.binned:
                self.binned[division] = Binned.of(parts[0])
            made = (self.tables, self.binned[division])
            self.grounds[division] = Ground.make(*parts, self.columns, self.n_threads, self.single, *made)
        return self.grounds[division]

    @computed_once
    def tables(self) -> Expansion:
        """The columns as tables, of all divisions."""
        return expansion_of(self.columns, self.n_inputs)

    def rows(self, division: int) -> float:
        """Weight of the rows that trees of a division learn from."""
        return self.divided[division][0].total_weight

    @property
    def n_inputs(self) -> int:
        """Inputs that the rows have."""
        return int(self.divided[0][0].X.shape[1])

    @property
    def another(self) -> int:
        """A division beside the first one, of as many rows; the first if there is none."""
        return 1 if self.full == 0 and len(self.divided) > 1 else 0

    @property
    def third(self) -> int:
        """One more division beside these two, of as many rows; 0 if there is none."""
        return 2 if self.another and len(self.divided) > 2 else 0

    def with_gates(self, gates: Gates) -> Field:
        """The same rows and columns, for trees with other gates."""
        return replace(self, gates=gates)

    @property
    def leans(self) -> bool:
        """Whether some inputs are held back more than others."""
        return not isinstance(self.factor, float)

    def leaned(self, factor: Floats) -> Field:
        """Columns times factors, by which inputs are held back as a tree leans on them."""
        return replace(self, columns=self.columns.scaled(factor), grounds={}, factor=self.factor * factor)

    def only(self, inputs: Inputs) -> Field:
        """The columns of some inputs."""
        return replace(self, columns=self.columns.only(inputs), grounds={})


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate and how to make it again on other rows: columns, slopes, with or without gates."""

    field: Field
    slopes: Slopes
    grown: bool
    candidate: Candidate

    @property
    def loss(self) -> float:
        return self.candidate.loss

    def over(self, field: Field) -> Trial:
        """The same trees over the columns of a field that differ from theirs by factors."""
        trees = [tree.over(self.field.factor / field.factor) for tree in self.candidate.tree]
        return replace(self, field=field, candidate=replace(self.candidate, tree=trees))
