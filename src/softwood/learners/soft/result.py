"""The result of the joint learner of soft trees, and how it was learned."""

from __future__ import annotations

from dataclasses import dataclass

from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.importance import MeasuredTree
from softwood.learners.soft.growth.split_step import GrowOptions
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.search.spec import Trial
from softwood.learners.soft.warm_start import WarmStart
from softwood.parts.held_out import HeldOutRows
from softwood.tree import Tree


@dataclass(frozen=True)
class Recipe:
    """How a tree was learned: the kind and penalty that the search chose, and the final columns.

    trial : the chosen one.  grow_options, full_leaves : of the search's trainer.
    params : the learned tree, over the columns of `design`.
    """

    trial: Trial
    grow_options: GrowOptions
    full_leaves: int | None
    params: SoftTreeParams
    design: DesignMatrix


@dataclass(frozen=True)
class FitResult:
    """The tree in the user's units with its statistics, and the candidates it was chosen from.

    n_iter : iterations of refinement that led to the tree.  grown : the same tree, to continue from.
    interrupted : whether an interrupt ended the fit early.
    held_out : some rows with predictions by trees of the chosen kind that did not see them.
    loss_of_centre : mean loss of the best constant, in the learner's units.
    is_squared : whether the loss is the squared one.
    steps : the trees on the way to this one (steps.py); empty unless requested.
    recipe : how it was learned, to grow similar trees (forest/); None unless requested.
    """

    described: MeasuredTree
    candidates: list[Candidate]
    chosen: Candidate
    n_iter: int = 1
    grown: WarmStart | None = None
    interrupted: bool = False
    held_out: HeldOutRows | None = None
    loss_of_centre: float = 0.5
    is_squared: bool = True
    steps: tuple[Tree, ...] = ()
    recipe: Recipe | None = None

    @property
    def tree(self) -> Tree:
        return self.described.tree
