"""A dataset: rows with targets and weights, in an order determined by their content.

Equal rows are merged and their weights added, so a row of weight two counts as two rows, bit for bit. The order of the
given rows does not matter; folds also depend on content only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Mask
from softwood.kernels.arithmetic import exp, log
from softwood.kernels.formulas.losses import far_loss, row_loss
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.kernels.row_hash import hash_near, hash_rows, without_rank
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.soft.regimes import (
    MAX_ROWS_AND_FOLDS,
    MEDIUM_TABLE_MAX_ROWS,
    PARTS_OF_LARGE_TABLE,
    SAMPLE_ROWS,
)
from softwood.learners.soft.rows.moments import round_off
from softwood.learners.soft.rows.target_scale import mean_scale, robust_scale, scale_targets
from softwood.parts.folds import Deal, deal, have_several_answers, raise_to
from softwood.parts.groups import deal_groups


@dataclass(frozen=True)
class Dataset:
    """Inputs (NaN: missing; categories as codes), targets and weights.

    X : an array, or a SparseTable of numbers.
    target : numbers; or 0 and 1 in one column (two classes); or one column per class.
    n_levels : per input, 0 for a number.
    place : the row of X for each row; None: all in order. Targets and weights are in the order of the dataset.
    count : number of rows that each represents, if different from its weight because of class weights.
    raised : whether weights were raised, because they summed to less than the number of rows.
    group : number of each row's group, which is never split across folds, in the order of the dataset.
    """

    X: Any
    target: Floats
    weight: Floats
    n_levels: Sequence[int]
    loss: Loss
    place: npt.NDArray[np.int64] | None = None
    count: Floats | None = None
    raised: bool = False
    group: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.target)

    @property
    def is_sparse(self) -> bool:
        """Whether only nonzero values are stored."""
        return isinstance(self.X, SparseTable)

    @property
    def total_weight(self) -> float:
        return float(self.weight.sum())

    def ends_of(self, inputs: Sequence[int]) -> Iterator[Floats]:
        """The smallest and the largest value of each of these inputs; empty if they have no values."""
        if isinstance(self.X, SparseTable):
            yield from self.X.ends()[np.asarray(inputs, np.intp)]
            return
        for f in inputs:
            x = self.X[:, f][~np.isnan(self.X[:, f])]
            yield np.array([x.min(), x.max()]) if len(x) else np.zeros(0)

    def rows(self, mask: Mask) -> Dataset:
        """A subset of the rows."""
        at = mask if self.place is None else self.place[mask]
        count = None if self.count is None else self.count[mask]
        group = None if self.group is None else self.group[mask]
        target, weight = self.target[mask], self.weight[mask]
        return replace(self, X=self.X[at], target=target, weight=weight, place=None, count=count, group=group)

    def part(self, weight: Floats) -> Dataset:
        """The rows with any of these weights, which are parts of their weights."""
        return replace(self, weight=weight, count=None).rows(weight > 0)

    def head(self, n: int) -> Dataset:
        """The first rows; for ordered rows, a random sample."""
        X = self.X[:n] if self.place is None else self.X[self.place[:n]]
        count = None if self.count is None else self.count[:n]
        group = None if self.group is None else self.group[:n]
        target, weight = self.target[:n], self.weight[:n]
        return replace(self, X=X, target=target, weight=weight, place=None, count=count, group=group)

    def first(self, n: int) -> Dataset:
        """The same as `head`, without copying inputs: `place` refers to rows of X."""
        place = np.arange(n) if self.place is None else self.place[:n]
        count = None if self.count is None else self.count[:n]
        group = None if self.group is None else self.group[:n]
        return replace(self, target=self.target[:n], weight=self.weight[:n], place=place, count=count, group=group)

    def in_order(self, seed: int, copied: bool = True) -> Dataset:
        """Drop rows of weight 0, merge equal rows, and order by a hash of the inputs, then by target.

        Weights count as rows, but may sum to 1: weights that sum to less than the number of rows are scaled up to it.
        Large tables are copied only with `copied`; otherwise `place` has the order.
        """
        kept = self.present()
        found = kept._in_order_of(_numbers_of(kept, seed))
        return found.head(len(found)) if copied or len(found) <= SAMPLE_ROWS else found

    def first_in_order(self, n: int, seed: int, n_threads: int = 1) -> Dataset:
        """The first rows of `in_order`, without ordering the others; light weights are scaled up."""
        kept = self.present()
        number, most = _numbers_of(kept, seed, n_threads), n
        while most < len(number) - 1:
            most = min(2 * most, len(number) - 1)
            some = number <= np.partition(number, most)[most]  # equal rows have equal hashes: all are in it, or none
            found = kept.rows(some)._in_order_of(number[some])
            if len(found) >= n:
                return found.head(n)
        return kept._in_order_of(number).head(n)

    def present(self) -> Dataset:
        """Drop rows of weight 0."""
        return self if self.place is None and np.all(self.weight > 0) else self.rows(self.weight > 0)

    def _in_order_of(self, number: npt.NDArray[np.uint64]) -> Dataset:
        """Order by these numbers, then by target, and merge equal rows. `place` has the order.

        Rows that differ only in the last digits are ordered by their targets, like equal rows.
        """
        ties = (number,) if self.group is None else (self.group, number)
        order = np.lexsort((self.weight, *ties, *self.target.T, without_rank(number)))
        number, target = number[order], self.target[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (number[1:] != number[:-1]) | np.any(target[1:] != target[:-1], axis=1)
        group = None if self.group is None else self.group[order]
        if group is not None:
            new[1:] |= group[1:] != group[:-1]
            group = group[new]
        weight, raised = _merged(self.weight[order], new)
        count, light = (None, raised) if self.count is None else _merged(self.count[order], new)
        return replace(
            self, target=target[new], weight=weight, place=order[new], count=count, raised=light, group=group
        )

    def target_scale(self) -> tuple[Floats, Floats]:
        """Centre and scale of the outputs for numeric targets; classes stay as they are.

        Mean and spread; for robust losses, robust estimates (target_scale.py); with a log link, the logarithm of the
        mean.
        """
        outputs = self.target.shape[1]
        if self.loss.is_classes:
            return np.zeros(outputs), np.ones(outputs)
        if self.loss.link == Link.LOG:
            return log(np.average(self.target, axis=0, weights=self.weight)), np.ones(outputs)
        if self.loss != Loss.SQUARED:
            return robust_scale(self.loss, self.target, self.weight)
        low, high = self.target.min(axis=0), self.target.max(axis=0)
        mean = np.average(self.target, axis=0, weights=self.weight)
        centre = np.where(low < high, mean, low)
        size = np.abs(self.target - centre).max(axis=0)  # divided first, so that squares neither overflow nor vanish
        size = np.where(size > 1e-12 * np.abs(centre), size, 1.0)
        part = (self.target - centre) / size
        spread = size * np.sqrt(np.average(part * part, axis=0, weights=self.weight))
        return mean_scale(mean, spread, low, high)

    @property
    def centre_is_best(self) -> bool:
        """Whether the centre of the targets minimises the loss among constants; only approximately for a Huber loss and
        classes.
        """
        return self.loss.mixing_outputs.kind in (LossKind.SQUARED, LossKind.QUANTILE, LossKind.TWEEDIE)

    def loss_of_centre(self) -> float:
        """Mean loss of the `scaled` rows for the constant prediction, minus that of outliers."""
        loss = self.loss.mixing_outputs
        lost = row_loss(loss, np.zeros_like(self.target), self.target) - far_loss(loss, self.target)
        return float(np.average(lost, weights=self.weight))

    def scaled(self, centre: Floats, scale: Floats) -> Dataset:
        """Targets as (target - centre) / scale, or target / exp(centre) with a log link, independent of the unit."""
        return replace(self, target=round_off(scale_targets(self.loss, self.target, centre, scale)))

    def unscaled_target(self, centre: Floats, scale: Floats) -> Floats:
        """The targets before they were `scaled`."""
        if self.loss.link == Link.LOG:
            return np.asarray(self.target * exp(centre))
        return np.asarray(self.target * scale + centre)

    def held_out(self) -> list[Floats]:
        """Weights to hold out, one array per fold; classes are spread evenly. The rows must be `in_order`.

        A row that is not split (parts/folds.py) is in one fold, with all its weight; so is a group.
        """
        n_folds = self._most_folds()
        if self.group is not None:
            fold = self._dealt_groups(n_folds)
            most = int(fold.max(initial=-1)) + 1
            found = range(0 if most < 2 else 1 if len(self) > MEDIUM_TABLE_MAX_ROWS else most)
            return [np.where(fold == at, self.weight, 0.0) for at in found]
        dealt = self._dealt(n_folds)
        folds = min(n_folds, max(2, dealt.n_pieces // 2))
        if folds < n_folds:
            dealt = self._dealt(folds)
        if dealt.n_pieces < 2:
            return []
        return [self._held(dealt, fold) for fold in range(1 if len(self) > MEDIUM_TABLE_MAX_ROWS else folds)]

    def parted(self) -> tuple[Dataset, Dataset]:
        """Training rows and validation rows, as many of the latter as in a fold; a single row is in both.

        The rows must be `in_order`.
        """
        n_folds = self._most_folds()
        if self.group is None:
            held = self._held(self._dealt(n_folds), 0)
        else:
            held = np.where(self._dealt_groups(n_folds) == 0, self.weight, 0.0)
        rest = self.weight - held
        return (self.part(rest), self.part(held)) if np.any(rest > 0) else (self, self)

    def _most_folds(self) -> int:
        return next((folds for max_rows, folds in MAX_ROWS_AND_FOLDS if len(self) <= max_rows), PARTS_OF_LARGE_TABLE)

    def _dealt_groups(self, n_folds: int) -> npt.NDArray[np.int64]:
        """The fold of every row, without splitting groups."""
        code = self.class_of_row()
        count = self.weight if self.count is None else self.count
        return deal_groups(np.zeros(len(self), np.int64) if self.group is None else self.group, code, count, n_folds)

    def _dealt(self, n_folds: int) -> Deal:
        """The fold of each row, class by class."""
        count = self.weight if self.count is None else self.count
        light = not self.raised and bool(np.all(count <= 1.0))  # rows are not split, for any inputs
        X = self.X if self.place is None else self.X[self.place]
        several = np.zeros(len(self), np.bool_) if light else have_several_answers(X)
        order = self._by_class()
        return deal(count[order], several[order], n_folds, self.raised, self._twins(X, order))

    def _twins(self, X: Any, order: npt.NDArray[np.intp]) -> Mask:
        """Which rows, in this order, differ from the previous one only in the last digits of their inputs."""
        number, target = hash_near(X)[order], self.target[order]
        return np.append(False, (number[1:] == number[:-1]) & np.all(target[1:] == target[:-1], axis=1))[: len(order)]

    def _held(self, dealt: Deal, fold: int) -> Floats:
        """Weights of the rows in a fold."""
        order, held = self._by_class(), np.empty(len(self))
        held[order] = dealt.held_out(self.weight[order], fold)
        return held

    def _by_class(self) -> npt.NDArray[np.intp]:
        """The rows class after class; numbers stay in their order."""
        return np.argsort(self.class_of_row(), kind="stable")

    def class_of_row(self) -> npt.NDArray[np.int64]:
        """The class of each row; 0 for numbers."""
        if not self.loss.is_classes:
            return np.zeros(len(self), np.int64)
        return self.target.argmax(axis=1) if self.target.shape[1] > 1 else self.target[:, 0].astype(np.int64)


def _merged(weight: Floats, new: Mask) -> tuple[Floats, bool]:
    """Sums over equal rows, which begin where `new` is true; and whether they were raised to the number of rows."""
    total = np.bincount(np.cumsum(new) - 1, weight).astype(np.float64)
    return raise_to(total, len(total), float(total.sum()))


def _numbers_of(rows: Dataset, seed: int, n_threads: int = 1) -> npt.NDArray[np.uint64]:
    """A hash of each row's inputs."""
    return np.asarray(hash_rows(rows.X, np.zeros((len(rows.X), 0)), seed, n_threads))
