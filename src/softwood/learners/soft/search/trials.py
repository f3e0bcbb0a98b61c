"""The state that the steps of the model search share: the kinds of trees, and the trials so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from softwood.learners.soft.params.params import Slopes
from softwood.learners.soft.search.selection import Candidate, select
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trainer import Trainer
from softwood.parts.parallel import parallel_map

S = TypeVar("S")
T = TypeVar("T")

NEAR_BEST_SHARE = 0.1  # relative distance to the best loss within which a kind of tree is tried further
MAX_ROUNDS = 8  # of refining one tree repeatedly while its held-out loss falls


@dataclass
class Trials:
    """Trials of the search, in the order in which they were found.

    specs : the current kinds of gates; feature selection replaces them.
    slopes : the kinds of leaves, the simplest first.
    trainer : grows and scores trees.  penalty : fixed, or None to tune it.
    report : called with every candidate.
    keep_first_fold_tree : whether to keep the tree of the first fold, which has the caller's validation rows.
    """

    specs: list[ModelSpec]
    slopes: tuple[Slopes, ...]
    trainer: Trainer
    penalty: float | None
    report: Callable[[Candidate], None]
    keep_first_fold_tree: bool = False
    found: list[Trial] = field(default_factory=list)

    def add(self, *trials: Trial) -> None:
        """Note trials that are new."""
        for trial in trials:
            if trial not in self.found:
                self.found.append(trial)
                self.report(trial.candidate)

    @property
    def best(self) -> Trial:
        """The one with the lowest loss."""
        return min(self.found, key=lambda trial: trial.loss)

    @property
    def chosen(self) -> Trial:
        """The simplest that is not clearly worse than the best."""
        candidate = select([trial.candidate for trial in self.found])
        return next(trial for trial in self.found if trial.candidate is candidate)

    @property
    def largest_loss(self) -> float:
        """The largest loss of a trial that is tried further."""
        best = self.best.loss
        return best + NEAR_BEST_SHARE * abs(best)

    def near(self, trials: list[Trial]) -> list[Trial]:
        """The trials whose loss is near the best."""
        return [trial for trial in trials if trial.loss <= self.largest_loss]

    def parallel_map(self, work: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
        """Results in the order of the items, for any number of threads."""
        return parallel_map(work, items, self.specs[0].n_threads)

    def clear(self) -> None:
        """Release the design matrices of all rows; they are rebuilt on access."""
        self.trainer.clear()
        for spec in self.specs:
            spec.fold_cache.clear()


def with_gates(tree: Trial) -> list[Trial]:
    """The trial, unless its tree stayed a root, which is a trial of its own."""
    return [tree] if tree.candidate.nodes > 1 else []
