"""Options of the joint learner of soft trees (learn.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from softwood.arrays import Signs
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import UNCONSTRAINED
from softwood.learners.soft.growth.split_step import MIN_GAIN_SHARE
from softwood.learners.soft.params.tree_kinds import Gate, Leaf
from softwood.learners.soft.search import Effort, SearchSteps
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.training.training_rows import TrainingRows

MAX_ITER = 200  # iterations on a root, and on the selected tree


@dataclass(frozen=True)
class JointOptions:
    """Options of the learner. `penalty` None tunes it; `report` is called with every candidate.

    effort : how broadly to search; "quick" is one kind of tree, one penalty and one fold.
    more_leaves : whether `max_leaves` holds for small tables only: larger ones have up to MAX_LEAVES_OF_LARGE_TABLE.
    keep : whether an interrupt ends the fit with the best tree so far; otherwise it is raised.
    steps : the optional steps of the search to take.
    engine : where all rows are summed; `device` is a PyTorch device, None the best available.
    keep_steps : whether the result has the trees of the steps of learning (steps.py).
    keep_recipe : whether the result records how the tree was learned, to grow similar ones (forest/).
    signs : 1 or -1 for a monotone input, else 0; empty if there is none.
    """

    gate: Gate = "auto"
    leaf: Leaf = "auto"
    max_leaves: int = 16
    penalty: float | None = None
    max_gate_features: int | None = None
    patience: int = 2
    least_gain: float = MIN_GAIN_SHARE
    max_iter: int = MAX_ITER
    n_threads: int = 1
    single: bool = True
    seed: int = 0
    keep: bool = False
    report: Callable[[Candidate], None] = lambda candidate: None
    steps: SearchSteps = SearchSteps()
    engine: Literal["memory", "torch"] = "memory"
    device: str | None = None
    more_leaves: bool = False
    signs: Signs = field(default_factory=lambda: UNCONSTRAINED)
    effort: Effort = "normal"
    keep_steps: bool = False
    keep_recipe: bool = False

    @property
    def is_monotone(self) -> bool:
        """Whether there is a monotone input."""
        return len(self.signs) > 0

    def counts_penalty(self, rows: TrainingRows) -> bool:
        """Whether the penalty was tuned or guessed for fewer rows and has to be scaled to all rows."""
        return self.penalty is None and (self.effort == "quick" or rows.are_sampled)

    def settled(self, loss: Loss) -> JointOptions:
        """The same; for effort="quick", with one kind of tree and no optional steps.

        Numeric targets are nonlinear in the inputs more often than log odds, so they get curves. Leaves that mix
        probabilities are constant.
        """
        if loss.mixes_answers and self.leaf != "constant":
            return replace(self, leaf="constant").settled(loss)
        if self.effort != "quick":
            return self
        curved: Gate = "linear" if loss.is_classes else "additive"
        leaf: Leaf = "linear" if self.leaf == "auto" else self.leaf
        gate = curved if self.gate == "auto" else self.gate
        return replace(self, gate=gate, leaf=leaf, steps=SearchSteps(False, False, False, False))
