"""Many leaves: trees with curves on the rows of the full fold, from their root, with a light penalty.

Penalties are tuned on a few thousand rows, which support few leaves, and with these penalties trees stay small on
large tables too. So if a kind of tree came near the best in screening, one is grown from its root with a light
penalty. Two kinds of leaves have few parameters, so that more rows support more of them: constant leaves; and, if
there are too many classes for own slopes of all columns, leaves with mixed slopes (shared for all columns, own for the
linear ones).
"""

from __future__ import annotations

from dataclasses import dataclass

from softwood.learners.soft.params.params import Slopes
from softwood.learners.soft.params.tree_kinds import MAX_OUTPUTS_WITH_OWN_SLOPES
from softwood.learners.soft.search.penalty_tuning import FIRST_STRENGTH
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials, with_gates

LIGHT_STRENGTH = 0.6  # of the penalty times the rows
LIGHT_STRENGTH_OF_CLASSES = FIRST_STRENGTH  # for mixed slopes: a leaf has many parameters if there are many classes


@dataclass(frozen=True)
class ManyLeaves:
    """A kind of tree with many leaves: columns, slopes and penalty (times the rows)."""

    spec: ModelSpec
    slopes: Slopes
    strength: float

    def grown(self, trials: Trials, abandon_above: float) -> list[Trial]:
        """The tree, if its loss falls to `abandon_above`; otherwise growth ends early and returns None."""
        spec = self.spec
        penalty = self.strength / spec.rows(spec.full)
        tree = trials.trainer.from_root(spec, self.slopes, penalty, spec.full, abandon_above)
        return with_gates(tree) if tree.loss <= abandon_above else []


def kinds_with_many_leaves(trials: Trials) -> list[ManyLeaves]:
    """The kinds to grow; none if trees with many leaves were not near the best, or options exclude them."""
    curved, trainer = [one for one in trials.specs if one.basis_spec.curve or one.basis_spec.evidence], trials.trainer
    has_room = trainer.full_leaves is not None and trainer.full_leaves > trainer.grow_options.max_leaves
    if not curved or trials.penalty is not None or not has_room or trainer.grow_options.max_gate_features is not None:
        return []
    smooth, local = curved[0], curved[-1]  # by evidence, if there are such columns: many leaves are for large tables
    if smooth.gates != "open" or smooth.design.rising is not None:
        return []
    near = trials.near(trials.found)
    found = [ManyLeaves(local, "none", LIGHT_STRENGTH)] if any(_is_of_kind(trial, "none") for trial in near) else []
    has_many_classes = trials.best.candidate.tree[0].outputs > MAX_OUTPUTS_WITH_OWN_SLOPES
    if has_many_classes and len(smooth.linear_columns) and any(_is_of_kind(trial, "shared") for trial in near):
        found.append(ManyLeaves(smooth, "mixed", LIGHT_STRENGTH_OF_CLASSES))
    return found


def add_mixed(trials: Trials) -> None:
    """If kinds are screened on all rows: a tree with mixed slopes as one more trial, if it is the best so far.

    Trials that it replaces do not race.
    """
    for kind in kinds_with_many_leaves(trials):
        if kind.slopes == "mixed":
            made = kind.grown(trials, trials.best.loss)
            trials.add(*made)
            trials.found = not_replaced(trials.found, made)


def not_replaced(screened: list[Trial], many: list[Trial]) -> list[Trial]:
    """The trials without those that trees with many leaves replace: constant leaves the same, mixed slopes shared ones.

    To grow both takes time, and the screened one is hardly ever better.
    """
    replaced: set[Slopes] = {"shared" if tree.slopes == "mixed" else tree.slopes for tree in many}
    return [trial for trial in screened if not any(_is_of_kind(trial, slopes) for slopes in replaced)]


def _is_of_kind(trial: Trial, slopes: Slopes) -> bool:
    """Whether the trial is a tree of curves with such leaves."""
    return trial.grown and trial.slopes == slopes and trial.spec.gates == "open" and trial.spec.basis_spec.is_nonlinear
