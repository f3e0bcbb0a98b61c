"""CART from out-of-core rows: binned, grown from histograms, pruned by held-out rows.

    pass 1 (the caller's)   columns, classes, ranges, weights
    pass 2                  a sample by a hash of the rows (parts/sketch.py)
    passes 3, 4             edges between bins (engines/bin_edges.py)
    pass 5                  rows as bins in a temporary file (engines/binned_rows.py), which all later passes read
    then                    if the bins fit in memory, one pass that gathers them (gathered_rows.py); otherwise one
                            pass per level of the trees, for all trees at once
    finally                 a pass that evaluates the trees

The tree before pruning is that of rows in memory with the same `max_bins`. Folds differ: a row is in fold
hash(row) mod cv. Up to ALL_FOLDS_MAX_ROWS rows each fold is held out in turn; above, one fold is held out, and one more
tree is grown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats
from softwood.engines.bin_edges import find_edges
from softwood.engines.binned_rows import EVERY, BinnedParts, BinnedPiece, Bins, FoldQuestion
from softwood.engines.journal import Journal
from softwood.engines.parts import Parts
from softwood.kernels.contracts.growth import Grown, Growth
from softwood.kernels.histogram_split import HistogramMeasure, SplitSearch
from softwood.kernels.row_hash import to_single
from softwood.learners.hard.gathered_rows import grow_gathered, needed_bytes
from softwood.learners.hard.grow import as_tree
from softwood.learners.hard.histogram_grower import HistogramGrower, Question
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import (
    Choice,
    Pruned,
    Pruning,
    answered,
    choose_by_losses,
    choose_by_validation,
    reduce_error,
    smooth_pruned,
)
from softwood.learners.hard.sequence import PruningSequence, path_losses
from softwood.learners.hard.unit import Unit
from softwood.parts.folds import raise_to
from softwood.parts.sketch import RowSketch
from softwood.tree import Schema, Tree, cut_tree

ALL_FOLDS_MAX_ROWS = 100_000  # above, one fold is held out
QUANTILE_ROWS = 20_000  # sample that the quantiles of bins are taken from
MEMORY_PARTS = 8  # one of them is for histograms

Case = tuple[Floats, npt.NDArray[Any], Floats]  # inputs, answers and weights of some rows


@dataclass(frozen=True)
class BatchedCases:
    """A table in parts.

    parts : inputs, class codes (rows,) or numbers (rows, targets), and weights > 0.
    problem : the problem without its rows: one row per class with its weight, or the smallest and largest targets.
    n_rows, total_weight : of all rows.  memory : of the learner, in bytes.  n_threads : of one part.
    """

    parts: Parts[Case]
    problem: Problem
    n_rows: int
    total_weight: float
    memory: int
    n_threads: int = 1


def learn_batched_cart(
    cases: BatchedCases, make_schema: Callable[[Floats, Floats], Schema], growth: Growth, pruning: Pruning,
    max_bins: int, journal: Journal,
) -> Pruned:  # fmt: skip
    """Grow and prune; `make_schema` makes the schema from a sample (inputs, weights)."""
    unit = Unit.of(cases.problem)
    problem, growth, pruning = unit.enter(cases.problem), unit.enter_growth(growth), unit.enter_pruning(pruning)
    sample = journal.answer(b"sample", lambda: _sample(cases, pruning.seed))
    X, weight, n_distinct = sample[0], sample[1], min(int(sample[2][0]), cases.n_rows)
    raised = raise_to(np.array([cases.total_weight]), n_distinct, cases.total_weight)[0][0] / cases.total_weight
    found = journal.answer(
        b"edges", lambda: find_edges(cases.parts.map(_without_answers), X, problem.n_levels, max_bins, cases.memory)
    )
    schema, folds = make_schema(X, weight), _folds(cases, pruning)
    bins = Bins(found, problem.n_levels, cases.n_threads)
    in_bins = InBins(bins, unit.size, problem.is_classes, float(raised), pruning.seed, pruning.folds)
    binned = cases.parts.map(in_bins).keep(in_file=True)
    rows = BinnedParts(binned, bins, problem.n_classes, cases.memory // MEMORY_PARTS)
    target = problem.target()
    n_targets = 0 if problem.is_classes else problem.y.shape[1]
    measure = HistogramMeasure(problem.criterion, problem.n_classes, n_targets, target.class_factor)
    search = SplitSearch(found, problem.n_levels, measure, growth)
    left_out = [EVERY, *folds]
    if needed_bytes(cases.n_rows, len(found)) <= cases.memory // MEMORY_PARTS:
        grown = grow_gathered(rows, problem, growth, left_out)
    else:
        grown = grow_together([HistogramGrower(search, n_targets) for _ in left_out], left_out, rows, journal)
    trees = [as_tree(one, problem, schema, growth) for one in grown]
    sequence = PruningSequence.of(trees[0], problem)
    choice = _choose(sequence, dict(zip(folds, trees[1:], strict=True)), rows, problem, pruning, journal)
    pruned = Pruned(cut_tree(trees[0], choice.is_leaf), choice.table, sequence, choice.held_out)
    return unit.leave(smooth_pruned(pruned, pruning.smoothing))


def grow_together(
    growers: Sequence[HistogramGrower], folds: Sequence[int], rows: BinnedParts, journal: Journal
) -> list[Grown]:
    """Trees that each leave out a fold, grown by the same passes over the rows."""
    steps = [grower.steps() for grower in growers]
    asked: dict[int, Question] = {i: next(step) for i, step in enumerate(steps)}
    while asked:
        questions = [FoldQuestion(*question, folds[i]) for i, question in asked.items()]
        key = b"".join(_question_bytes(question) for question in questions)
        answers = journal.answer(key, lambda: rows.histograms(questions))  # noqa: B023  # called at once
        after: dict[int, Question] = {}
        for i, answer in zip(asked, answers, strict=True):
            try:
                after[i] = steps[i].send(answer)
            except StopIteration:
                continue
        asked = after
    return [grower.grown() for grower in growers]


def _question_bytes(question: FoldQuestion) -> bytes:
    tree = question.tree
    parts = (tree.first_child, tree.feature, tree.child, question.origin, np.array([question.fold, *question.nodes]))
    return b"histograms" + b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def _without_answers(case: Case) -> tuple[Floats, Floats]:
    return case[0], case[2]


@dataclass(frozen=True)
class InBins:
    """Rows with binned inputs, targets in the learner's unit, scaled weights and folds."""

    bins: Bins
    unit: Any
    is_classes: bool
    raised: float
    seed: int
    folds: Any

    def __call__(self, case: Case) -> BinnedPiece:
        X, y, weight = case
        own = y if self.is_classes else y / self.unit
        fold = _fold_of(X, y, self.seed, self.folds)
        return BinnedPiece(self.bins.codes(X), np.ascontiguousarray(own), weight * self.raised, fold)


@dataclass
class SampleCases:
    """The rows with the lowest hashes."""

    seed: int
    sketch: RowSketch = field(default_factory=lambda: RowSketch(QUANTILE_ROWS))

    def take(self, case: Case) -> None:
        X, y, weight = case
        key = _hash(X, y, self.seed)
        self.sketch.add(key, key, X, np.zeros((len(X), 0)), weight[:, None])

    def merge(self, other: SampleCases) -> None:
        self.sketch.merge(other.sketch)


def _sample(cases: BatchedCases, seed: int) -> list[Floats]:
    """Inputs and weights of a sample, and how many distinct rows there are."""
    sketch = cases.parts.collect(SampleCases(seed)).sketch
    sketch.close()
    return [sketch.X, sketch.weight[:, 0], np.array([float(sketch.n_distinct)])]


def _hash(X: Floats, y: npt.NDArray[Any], seed: int) -> npt.NDArray[np.uint64]:
    return kernels.hash_rows(X, y.reshape(len(y), -1).astype(np.float64), seed & 0xFFFFFFFFFFFFFFFF)


def _folds(cases: BatchedCases, pruning: Pruning) -> list[int]:
    """The folds that are held out."""
    if pruning.method != "cv" or not isinstance(pruning.folds, int):
        return []
    return list(range(pruning.folds)) if cases.n_rows <= ALL_FOLDS_MAX_ROWS else [0]


def _fold_of(X: Floats, y: npt.NDArray[Any], seed: int, folds: Any) -> npt.NDArray[np.uint8]:
    """The fold of each row, from its values in single precision: equal rows are in one fold."""
    n = folds if isinstance(folds, int) else 1
    y = y if y.dtype.kind in "iu" else to_single(y.astype(np.float64))
    return np.asarray((_hash(to_single(X), y, seed + 1) % np.uint64(n)).astype(np.uint8))


def _choose(
    sequence: PruningSequence, held: dict[int, Tree], rows: BinnedParts, problem: Problem, pruning: Pruning,
    journal: Journal,
) -> Choice:  # fmt: skip
    """How much of the unpruned tree to keep, by validation rows or held-out rows."""
    nothing = Choice(None, np.zeros(sequence.tree.n_nodes, np.bool_))
    valid = pruning.validation
    if pruning.method == "reduced_error" and valid is not None:
        is_leaf = reduce_error(sequence.tree, valid)
        return Choice(None, is_leaf, answered(sequence.tree, is_leaf, valid, pruning.smoothing))
    if pruning.method == "validation" and valid is not None:
        table = choose_by_validation(sequence, valid, pruning.one_se)
        is_leaf = sequence.is_leaf(table.alpha[table.chosen])
        return Choice(table, is_leaf, answered(sequence.tree, is_leaf, valid, pruning.smoothing))
    if not held or sequence.tree.n_nodes == 1:
        return nothing
    total, squares, weight = journal.answer(b"tested", lambda: _tested(sequence, held, rows, problem))
    if not weight.any():
        return nothing
    by = "cv" if len(held) > 1 else "validation"
    table = choose_by_losses(sequence, total, squares, weight, pruning.one_se, by)
    return Choice(table, sequence.is_leaf(table.alpha[table.chosen]))


@dataclass
class TestedTrees:
    """Losses on the rows of a fold along the paths of the tree that was grown without it, and their squares."""

    held: dict[int, Tree]
    problem: Problem
    bins: Bins
    losses: dict[int, Floats] = field(default_factory=dict)
    weight: float = 0.0

    def take(self, piece: BinnedPiece) -> None:
        for fold, tree in self.held.items():
            here = piece.fold == fold
            own = self.problem.with_rows(self.bins.values(piece.code[here]), piece.y[here], piece.weight[here])
            self._add(fold, np.stack(path_losses(tree, own)))
            self.weight += float(own.row_weight().sum())

    def merge(self, other: TestedTrees) -> None:
        for fold, found in other.losses.items():
            self._add(fold, found)
        self.weight += other.weight

    def _add(self, fold: int, found: Floats) -> None:
        self.losses[fold] = self.losses.get(fold, 0.0) + found


def _tested(sequence: PruningSequence, held: dict[int, Tree], rows: BinnedParts, problem: Problem) -> list[Floats]:
    """Losses of every size on rows that its tree was not grown on, their squares and weights: one pass."""
    between = sequence.between()
    found = rows.parts.collect(TestedTrees(held, problem, rows.bins))
    total = np.zeros((2, len(between)))
    for fold, tree in held.items():
        own_sequence = PruningSequence.of(tree, problem)
        total += np.stack([own_sequence.sum_leaves(each, between) for each in found.losses[fold]])
    return [total[0], total[1], np.full(len(between), found.weight)]
