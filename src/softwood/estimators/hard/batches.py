"""CART fits from rows in batches: between a scan (scan.py) and learners/hard/batched_cart.py."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.estimators.base.base import RowCount
from softwood.estimators.base.batch_fits import journal_of, remember_answers, schema_of
from softwood.intake import options
from softwood.intake.classify import refuse_out_of_core_validation
from softwood.intake.parts.scan import Piece, Scan
from softwood.intake.table.columns import Table
from softwood.intake.table.rows import read_held_labels, read_held_numbers, with_costs
from softwood.intake.table.weights import class_factor, drop_classes
from softwood.kernels.contracts.growth import MAX_BINS, Growth
from softwood.kernels.kinds import Criterion, Missing
from softwood.learners.column_order import ColumnOrder
from softwood.learners.hard.batched_cart import BatchedCases, learn_batched_cart
from softwood.learners.hard.by_name import enter_growth, enter_problem, enter_pruning, leave_pruned
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruning
from softwood.tree import Schema

MAX_LEAVES = 256  # default limit: a tree grown until its leaves are pure has as many nodes as rows
MOST_FOLDS = 255
SINGLE_ROWS = "needs individual rows and is not supported for batched input"


def fit_in_parts(estimator: Any, scan: Scan, criterion: Criterion, X_val: Any, y_val: Any) -> None:
    """Fit the tree of a table in batches and set it on its estimator."""
    params = vars(estimator)
    _refuse(params, criterion)
    remember_answers(estimator, scan)
    problem, costs = _question(scan, params, criterion)
    total = float(problem.weight.sum()) if problem.is_classes else scan.total_weight
    table = Table(np.zeros((0, len(scan.column))), scan.columns)
    growth = _growth_in_batches(estimator._growth(table, criterion, total), scan)
    validation = _validation(estimator, scan, problem, X_val, y_val)
    folds = options.integer("cv", params["cv"], 2, MOST_FOLDS) if params["prune"] == "cv" else 2
    seed, smoothing = options.seed_of(params["random_state"]), options.smoothing_of(params.get("smoothing"))
    pruning = Pruning(params["prune"], params["one_se"], folds, seed, validation, smoothing)
    max_bins = options.integer("max_bins", params["max_bins"], 2, MAX_BINS, otherwise=MAX_BINS)

    keep = problem.weight > 0 if problem.is_classes else None
    order = ColumnOrder.of(scan.columns)
    parts, n_threads = scan.parts.map(WithWeight(keep, order)), options.threads(params["n_jobs"])
    cases = BatchedCases(parts, enter_problem(order, problem), scan.n_rows, total, scan.memory, n_threads)
    growth, pruning = enter_growth(order, growth), enter_pruning(order, pruning)

    def make_schema(X: Floats, weight: Floats) -> Schema:
        return order.schema(with_costs(schema_of(scan, order.leave_table(X), weight), costs))

    with journal_of(estimator, scan) as journal:
        learned = learn_batched_cart(cases, make_schema, growth, pruning, max_bins, journal)
    estimator._remember(leave_pruned(order, learned), RowCount(scan.n_rows, scan.total_weight))


@dataclass(frozen=True)
class WithWeight:
    """Rows without those of classes of weight 0, columns by name. keep : per class; None for regression."""

    keep: npt.NDArray[np.bool_] | None
    order: ColumnOrder

    def __call__(self, piece: Piece) -> tuple[Floats, npt.NDArray[Any], Floats]:
        X, y, weight = piece
        X = self.order.table(X)
        if self.keep is None or self.keep[y].all():
            return X, y, weight
        there = self.keep[y]
        return X[there], y[there], weight[there]


def _question(scan: Scan, params: dict[str, Any], criterion: Criterion) -> tuple[Problem, Floats | None]:
    """The problem without its rows, and the costs."""
    levels = scan.columns.level_counts
    if scan.classes is None:
        ends = np.stack([scan.target.low, scan.target.high])
        return Problem(np.zeros((2, len(levels))), levels, ends, np.ones(2), criterion), None
    n = len(scan.classes)
    costs, code, total = options.cost_matrix(params["costs"], scan.classes), np.arange(n, dtype=np.int32), None
    total = scan.class_totals
    factor = class_factor(params["class_weight"], params["priors"], scan.classes, code, total)
    if factor is not None:
        total, factor = drop_classes(total, factor, code)
    return Problem(np.zeros((n, len(levels))), levels, code, total, criterion, n, factor, costs), costs


def _validation(estimator: Any, scan: Scan, problem: Problem, X_val: Any, y_val: Any) -> Problem | None:
    """Validation rows that choose the size; they must be in memory."""
    refuse_out_of_core_validation(X_val)
    held: tuple[Floats, npt.NDArray[Any]] | None
    if scan.classes is None:
        held = read_held_numbers(estimator, X_val, y_val, scan.columns, len(scan.target.mean))
    else:
        held = read_held_labels(estimator, X_val, y_val, scan.columns, scan.classes)
    return None if held is None else problem.with_rows(held[0], held[1], np.ones(len(held[0])))


def _refuse(params: dict[str, Any], criterion: Criterion) -> None:
    """An error for parameters that batched input does not support."""
    if criterion > Criterion.SQUARED_ERROR:
        raise ValueError(f"criterion={params['criterion']!r} {SINGLE_ROWS}: use criterion='squared_error'.")
    if params["missing"] in ("fraction", "mean"):
        raise ValueError(f"missing={params['missing']!r} {SINGLE_ROWS}: use missing='direction' or 'category'.")
    if params["prune"] == "cv" and not isinstance(params["cv"], int):
        raise ValueError(
            "cv must be a number of folds for batched input, where folds are assigned by content, got "
            f"{params['cv']!r:.80}."
        )


def _growth_in_batches(growth: Growth, scan: Scan) -> Growth:
    """The rules for missing values that batched input supports."""
    if growth.missing == Missing.SURROGATE:
        lost = [column.name for column in scan.column if column.missing > 0]
        if lost:
            warnings.warn(
                f"missing='surrogate' {SINGLE_ROWS}: missing values of {', '.join(lost):.200} go to the side of the "
                "larger gain, as with missing='direction'.",
                UserWarning,
                stacklevel=5,
            )
        growth = replace(growth, missing=Missing.DIRECTION)
    return replace(growth, max_leaves=growth.max_leaves or MAX_LEAVES)
