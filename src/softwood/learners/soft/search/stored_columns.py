"""Selecting columns of a sparse table, most of which are useless.

In a table of 20,000 words a ridge shrinks the few that matter as much as all others. So the best root and the best
tree are refined with inputs weighted by relevance (relevance.py) while the held-out loss falls, which leaves most
columns almost no weight. Then columns are dropped, half of the rest at a time, starting with those of least effect on
the tree's sums; the smallest number is kept for which the tree is hardly worse on the held-out rows than the best one.
Training rows decide which columns go, held-out rows only how many: there are about a dozen sizes to choose from. The
search then restarts with these columns, first with several times as many: a root cannot show which columns gates need,
and trees of all columns are too poor to show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.growth.split_step import MIN_GAIN_SHARE, ROUGH_TOL, SPLIT_ITER
from softwood.learners.soft.search.selection import compare
from softwood.learners.soft.search.spec import Inputs, ModelSpec, Trial
from softwood.learners.soft.search.trials import MAX_ROUNDS, Trials

MAX_SELECTIONS = 2  # the first one keeps more columns than needed:
FIRST_COLUMNS_FACTOR = 8  # times as many,
FIRST_MIN_COLUMNS = 128  # and at least this number
MAX_LOSS_SE = 0.25  # by which a tree with fewer columns may be worse, or by MIN_GAIN_SHARE: for nearly equal
# predictions the standard error vanishes
MIN_COLUMNS = 4  # fewer are not tried


@dataclass
class StoredSelection:
    """Tries fewer columns, a few times; `trials` are those of the search."""

    trials: Trials
    times: int = 0

    def select(self) -> bool:
        """Whether columns were dropped; if so, the specs of the search have only the others."""
        trials = self.trials
        if self.times == MAX_SELECTIONS or not (starts := list(self._starts())):
            return False
        self.times += 1
        before = fewest_inputs(trials.specs)
        specs, found = dict[bytes, ModelSpec](), list[Trial]()
        for start in starts:
            sizes = self._by_columns(self._reweighted(start))
            best = min(sizes, key=lambda one: one.loss)
            at = max(i for i, one in enumerate(sizes) if is_good_enough(one, best))
            found.append(sizes[at])
            if self.times == 1:
                most = max(FIRST_COLUMNS_FACTOR * sizes[at].candidate.inputs, FIRST_MIN_COLUMNS)
                at = next(i for i, one in enumerate(sizes) if one.candidate.inputs <= most)
            spec = sizes[at].spec
            specs.setdefault(spec.design.feature.tobytes(), without_reweighting(spec))
        trials.specs, trials.found = list(specs.values()), []
        trials.add(*found)
        return fewest_inputs(trials.specs) < before

    def _starts(self) -> Iterator[Trial]:
        """The best root and the best tree, if they are near the best trial; the second time the better of the two."""
        kinds = (False, True) if self.times == 0 else (self.trials.best.grown,)
        for grown in kinds:
            mine = [
                one for one in self.trials.near(self.trials.found) if one.grown == grown and one.candidate.inputs > 1
            ]
            if any(one.slopes != "none" or grown for one in mine):
                yield min(mine, key=lambda trial: trial.loss)

    def _reweighted(self, best: Trial) -> Trial:
        """The trial, refined with inputs weighted by relevance, round after round while its loss falls."""
        if best.spec.gates != "open" or self.trials.trainer.grow_options.most_inputs is not None:
            return best
        for _ in range(MAX_ROUNDS):
            again = self.trials.trainer.reweight_refined(best, 0)
            if not again.loss < best.loss:
                break
            best = again
        return best

    def _by_columns(self, trial: Trial) -> list[Trial]:
        """The trial, and the same with fewer and fewer columns."""
        return [trial, *(self._restricted(trial, kept) for kept in halved_inputs(trial))]

    def _restricted(self, trial: Trial, inputs: Inputs) -> Trial:
        """The trial's tree refined with only some inputs."""
        columns = inputs[trial.spec.design.feature]
        factor, penalty = trial.spec.factor, trial.candidate.penalty
        spec = replace(trial.spec.only(inputs), factor=factor if isinstance(factor, float) else factor[columns])
        tree = trial.candidate.as_learned[0].select_columns(columns)
        tree = tree.refine(spec.fold(0).train, penalty, SPLIT_ITER, ROUGH_TOL)[1]
        return self.trials.trainer.scored(tree, spec, trial.grown, penalty, 0, trial.selection_bias(0))


def fewest_inputs(specs: list[ModelSpec]) -> int:
    """The number of inputs of the spec with the fewest."""
    return min(len(np.unique(spec.design.feature)) for spec in specs)


def without_reweighting(spec: ModelSpec) -> ModelSpec:
    """The spec with the same penalty for all inputs."""
    if isinstance(spec.factor, float):
        return spec
    return replace(spec, design=spec.design.scaled(1.0 / spec.factor), factor=1.0, fold_cache={})


def is_good_enough(one: Trial, best: Trial) -> bool:
    """Whether the loss of a trial is at most slightly higher than the best one."""
    most = best.loss + MIN_GAIN_SHARE * abs(best.loss)
    return one.loss <= most or compare(one.candidate, best.candidate).is_small(MAX_LOSS_SE)


def halved_inputs(trial: Trial) -> Iterator[Inputs]:
    """Inputs to keep: those with nonzero weight, then half of them, and so on."""
    moved = input_movement(trial)
    order, n = np.argsort(-moved, kind="stable"), int(np.count_nonzero(moved))
    n = n if n < np.count_nonzero(np.bincount(trial.spec.design.feature)) else n // 2
    while n >= MIN_COLUMNS:
        kept = np.zeros(len(moved), np.bool_)
        kept[order[:n]] = True
        yield kept
        n //= 2


def input_movement(trial: Trial) -> Floats:
    """Effect of each input on the tree's sums in the training rows: squares of its weights times spreads."""
    spec, (tree,) = trial.spec, trial.candidate.tree
    spread = spec.fold(0).train.split_direction(tree.shape, tree.parameters, 0)[1]
    return np.bincount(spec.design.feature, tree.column_energy * np.square(spread), spec.n_inputs).astype(np.float64)
