"""Screening: every kind of tree at one penalty, on the first fold.

A kind is a basis for the gates and the slopes of the leaves. Linear leaves are screened first: they soon show what
loss can be reached, and a kind that will not come near it is not grown to its end. Roots without gates are trials too.
Columns by evidence are for linear leaves, if these are tried: evidence knows main effects, which slopes are for, and
gates also need inputs without any. Trees with unpenalized gates of one input are screened after the others.
"""

from __future__ import annotations

import numpy as np

from softwood.learners.soft.params.params import Slopes
from softwood.learners.soft.search.penalty_tuning import first_penalty
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials, with_gates


def screen(trials: Trials) -> list[Trial]:
    """The better of root and tree of every kind."""
    screened = list[Trial]()
    for slopes in reversed(trials.slopes):
        specs = specs_for(trials, slopes)
        roots = _roots(trials, slopes, specs)
        trees = _trees(trials, slopes, specs, trials.largest_loss)
        screened += [min(pair, key=lambda trial: trial.loss) for pair in zip(roots, trees, strict=True)]
    return screened


def screen_axis_gates(trials: Trials, wide: ModelSpec) -> list[Trial]:
    """Trees with unpenalized gates of one input; if these are best, trees whose gates may be of either kind.

    wide : the spec with all inputs: useless ones do no harm to such gates.
    """
    best = trials.best.loss
    trees = _trees(trials, trials.slopes[0], [wide.with_gates("unpenalized")], np.inf)
    if trees[0].loss < best:
        own = [one for one in dict.fromkeys([wide, *trials.specs]) if not one.basis_spec.evidence]
        either = [one.with_gates("either") for one in own]
        for slopes in reversed(trials.slopes):
            trees += _trees(trials, slopes, either, trials.largest_loss)
    return [tree for tree in trees if tree.candidate.nodes > 1]


def specs_for(trials: Trials, slopes: Slopes) -> list[ModelSpec]:
    """The specs to try with these slopes: without columns by evidence for constant leaves, unless all are constant."""
    has_slopes = slopes != "none" or trials.slopes == ("none",)
    return [spec for spec in trials.specs if has_slopes or not spec.basis_spec.evidence]


def _roots(trials: Trials, slopes: Slopes, specs: list[ModelSpec]) -> list[Trial]:
    """A root with the columns of each spec."""
    trainer, penalty = trials.trainer, first_penalty(trials)
    roots = list(trials.parallel_map(lambda spec: trainer.trial(spec, slopes, False, penalty, 0), specs))
    trials.add(*roots)
    return roots


def _trees(trials: Trials, slopes: Slopes, specs: list[ModelSpec], largest_loss: float) -> list[Trial]:
    """A tree for each spec; one that will not reach `largest_loss` is not grown to its end."""
    trees, trainer, penalty = list[Trial](), trials.trainer, first_penalty(trials)
    for tree in trials.parallel_map(lambda spec: trainer.from_root(spec, slopes, penalty, 0, largest_loss), specs):
        trees.append(tree)
        trials.add(*with_gates(tree))
    return trees
