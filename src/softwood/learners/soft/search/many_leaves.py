"""Many leaves: trees of smooth curves on the rows of the full fold, from their root, under a light penalty.

Penalties are tuned on few rows, which support few leaves, and under these trees stay small on many rows, too. So if
trees of a kind came near the best when they were screened, one is grown from its root under a light penalty. Many gates
together bend where one needs ramps: smooth curves are enough for them. Two kinds of leaves hold few numbers, so that
more rows tell more of them apart: constant ones; and, where classes are too many for own slopes of all columns, ones
with mixed slopes, which are shared for all columns and each leaf's own for the linear ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from softwood.learners.soft.params.params import Slopes
from softwood.learners.soft.params.tree_kinds import MAX_OUTPUTS_WITH_OWN_SLOPES
from softwood.learners.soft.search.penalty_tuning import BEGIN, STRENGTHS
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials, with_gates

MUCH = 0.1  # part of the loss
LIGHT = STRENGTHS[BEGIN + 1]  # times the rows
LIGHT_OF_CLASSES = STRENGTHS[BEGIN]  # the same for mixed slopes: a leaf of many classes has many numbers


@dataclass(frozen=True)
class ManyLeaves:
    """A kind of tree with many leaves: columns, slopes and penalty (times the rows)."""

    spec: ModelSpec
    slopes: Slopes
    strength: float

    def grown(self, trials: Trials, worth: float) -> list[Trial]:
        """The tree, if its loss comes down to `worth`; one that will not is not grown to its end."""
        spec = self.spec
        tree = trials.trainer.from_root(spec, self.slopes, self.strength / spec.rows(spec.full), spec.full, worth)
        return with_gates(tree) if tree.loss <= worth else []


def kinds_with_many_leaves(trials: Trials) -> list[ManyLeaves]:
    """The kinds to grow; none where it is not worth while, or asked for otherwise."""
    spec, trainer = trials.smooth_curves, trials.trainer
    has_room = trainer.full_leaves is not None and trainer.full_leaves > trainer.grow_options.max_leaves
    if spec is None or trials.penalty is not None or not has_room or trainer.grow_options.max_gate_features is not None:
        return []
    if spec.gates != "open" or spec.design.rising is not None:
        return []
    near = trials.near(trials.found)
    found = [ManyLeaves(spec, "none", LIGHT)] if any(_is_of_kind(trial, "none") for trial in near) else []
    has_many_classes = trials.best.candidate.tree[0].outputs > MAX_OUTPUTS_WITH_OWN_SLOPES
    if has_many_classes and len(spec.linear_columns) and any(_is_of_kind(trial, "shared") for trial in near):
        found.append(ManyLeaves(spec, "mixed", LIGHT_OF_CLASSES))
    return found


def divide(kinds: list[ManyLeaves]) -> tuple[list[ManyLeaves], list[ManyLeaves]]:
    """Those to grow before the trees that were screened are grown on, and those to grow after them."""
    mixed = [kind for kind in kinds if kind.slopes == "mixed"]
    return mixed, [kind for kind in kinds if kind not in mixed]


def add_mixed(trials: Trials) -> None:
    """Where kinds are screened on all rows: a tree of mixed slopes as one more trial, if it is the best so far.

    Those that it surpasses do not race.
    """
    for kind in divide(kinds_with_many_leaves(trials))[0]:
        made = kind.grown(trials, trials.best.loss)
        trials.add(*made)
        trials.found = [trial for trial in trials.found if not any(surpasses(tree, trial) for tree in made)]


def surpasses(tree: Trial, screened: Trial) -> bool:
    """Whether a tree with mixed slopes is so much better than one that shares all that this need not be grown on."""
    return screened.grown and screened.slopes == "shared" and tree.loss < (1.0 - MUCH) * screened.loss


def _is_of_kind(trial: Trial, slopes: Slopes) -> bool:
    """Whether it is a tree of curves with such leaves."""
    return trial.grown and trial.slopes == slopes and trial.spec.gates == "open" and trial.spec.basis_spec.is_nonlinear
