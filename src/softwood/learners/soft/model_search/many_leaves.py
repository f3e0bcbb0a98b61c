"""Many leaves: a tree of smooth curves and constant leaves on the rows of the full fold, under a light penalty.

Penalties are tuned on few rows, which support few leaves, and under these trees stay small on many rows, too. A
constant leaf holds few numbers, and more rows tell more of them apart. So if trees with constant leaves came near the
best when they were screened, one is grown from its root under a light penalty. Many gates together bend where one needs
ramps: smooth curves are enough for them.
"""

from __future__ import annotations

from softwood.learners.soft.model_search.penalty_tuning import BEGIN, STRENGTHS
from softwood.learners.soft.model_search.trials import Trials, with_gates
from softwood.learners.soft.spec import ModelSpec, Trial

LIGHT = STRENGTHS[BEGIN + 1]  # times the rows


def columns_for_many_leaves(trials: Trials) -> ModelSpec | None:
    """The columns to grow such a tree with; None where it is not worth while, or asked for otherwise."""
    spec, trainer = trials.smooth_curves, trials.trainer
    has_room = trainer.full_leaves is not None and trainer.full_leaves > trainer.grow_options.max_leaves
    if spec is None or trials.penalty is not None or not has_room or trainer.grow_options.max_gate_features is not None:
        return None
    is_plain = spec.gates == "open" and spec.design.rising is None
    return spec if is_plain and any(_is_of_kind(trial) for trial in trials.near(trials.found)) else None


def grow_many_leaves(trials: Trials, spec: ModelSpec, worth: float) -> list[Trial]:
    """The tree, if its loss comes down to `worth`; one that will not is not grown to its end."""
    tree = trials.trainer.from_root(spec, "none", LIGHT / spec.rows(spec.full), spec.full, worth)
    return with_gates(tree) if tree.loss <= worth else []


def _is_of_kind(trial: Trial) -> bool:
    """Whether it is a tree of curves with constant leaves."""
    return trial.grown and trial.slopes == "none" and trial.spec.gates == "open" and trial.spec.basis_spec.is_nonlinear
