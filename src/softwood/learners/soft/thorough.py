"""effort="thorough" (deprecated): several searches with different folds; the kind of tree that most of them choose.

In small tables the choice among kinds depends on which rows were held out. Each search is a normal one; a kind is
whether the tree has gates, linear leaves and curves. Among the trees of the kind chosen most often (on ties, the first
one) the one with the lowest held-out loss is kept.

More folds, finalists, penalties and patience in one search were tried instead: on the papers' small data sets the error
increased, because the same few rows select among more candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from softwood.learners.soft.learn import learn_joint_from
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.breadth import SEARCHES_IF_THOROUGH
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema


def learn_thoroughly(
    make_rows: Callable[[int], TrainingRows], schema: Schema, how: JointOptions, validation: Dataset | None
) -> FitResult:
    """Learn a soft tree by several searches with folds that depend on a seed; an interrupted search is the last."""
    found: list[FitResult] = []
    for at in range(SEARCHES_IF_THOROUGH):
        again = replace(how, effort="normal", seed=how.seed + at)
        found.append(learn_joint_from(make_rows(again.seed), schema, again, validation))
        if found[-1].interrupted:
            break
    kinds = [kind_of(one) for one in found]
    most = Counter(kinds).most_common(1)[0][0]
    best = min((one for one, kind in zip(found, kinds, strict=True) if kind == most), key=lambda one: one.chosen.loss)
    return replace(best, interrupted=found[-1].interrupted)


def kind_of(result: FitResult) -> tuple[bool, bool, bool]:
    """Whether the tree has gates, linear leaves, and curves."""
    return result.tree.n_nodes > 1, result.chosen.leaf == "linear", bool(result.chosen.basis_spec.is_nonlinear)
