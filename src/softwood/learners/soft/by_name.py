"""Rows of the soft learner with columns in the order of their names, and the results (column_order.py)."""

from __future__ import annotations

from dataclasses import replace

from softwood.kernels.sparse.table import SparseTable
from softwood.learners.column_order import ColumnOrder
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.warm_start import WarmStart


def enter_dataset(order: ColumnOrder, rows: Dataset) -> Dataset:
    """The rows with the learner's columns; those of a sparse table have no names."""
    if order.is_given or isinstance(rows.X, SparseTable):
        return rows
    return replace(rows, X=order.table(rows.X), n_levels=[rows.n_levels[f] for f in order.place.tolist()])


def enter_start(order: ColumnOrder, start: WarmStart | None) -> WarmStart | None:
    """A tree to continue from, over the learner's columns."""
    return start if start is None or order.is_given else _read_others(start, order.inverse())


def leave_result(order: ColumnOrder, result: FitResult) -> FitResult:
    """The result, over the user's columns."""
    if order.is_given:
        return result
    known = result.described
    described = replace(
        known,
        tree=order.leave_tree(known.tree),
        hardened=order.leave_tree(known.hardened),
        importance=order.leave_each(known.importance),
        by_gain=order.leave_each(known.by_gain),
    )
    grown = None if result.grown is None else _read_others(result.grown, order)
    return replace(
        result,
        described=described,
        grown=grown,
        held_out=order.leave_rows(result.held_out),
        steps=tuple(map(order.leave_tree, result.steps)),
    )


def _read_others(start: WarmStart, order: ColumnOrder) -> WarmStart:
    """The same design columns, made from other columns of the table."""
    design = start.design
    basis = replace(design.basis, feature=order.leave_feature(design.basis.feature))
    return replace(start, design=replace(design, basis=basis, feature=order.leave_feature(design.feature)))
