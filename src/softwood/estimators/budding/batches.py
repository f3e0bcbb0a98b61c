"""Budding trees from rows in batches: the joint learner by sums over all rows, or the online one in a single pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from softwood.engines.parts import BatchParts
from softwood.estimators.base.base import RowCount
from softwood.estimators.base.batch_fits import held_rows, journal_of, remember_answers, soft_rows, soft_table
from softwood.intake.options import cost_matrix
from softwood.intake.parts.scan import Scan
from softwood.intake.table.rows import class_schema, number_schema, with_costs
from softwood.kernels.kinds import Loss
from softwood.learners.budding.joint import learn_joint_from
from softwood.learners.budding.online import history_entry
from softwood.learners.budding.resume import stream_of
from softwood.learners.budding.stream import Stream
from softwood.learners.column_order import ColumnOrder
from softwood.tree import Provenance, Schema

REMEMBERED = 1_000  # maximum number of chunks in `history_`, the latest ones


def fit_in_parts(estimator: Any, scan: Scan, X_val: Any, y_val: Any) -> None:
    """Fit the budding tree of a table in batches and set it on its estimator."""
    if estimator.monotonic_cst is not None:
        raise ValueError("monotonic_cst of budding trees needs rows in memory: use Batches(...).sample(100_000).")
    remember_answers(estimator, scan)
    estimator._seen = Provenance()
    if estimator.learner == "online":
        _learn_online(estimator, scan, X_val)
    else:
        _learn_jointly(estimator, scan, X_val, y_val)


def _learn_jointly(estimator: Any, scan: Scan, X_val: Any, y_val: Any) -> None:
    how, options = estimator._online(), estimator._joint()
    validation = held_rows(estimator, scan, X_val, y_val)
    with journal_of(estimator, scan) as journal:
        class_weight = estimator.get_params(False).get("class_weight")
        order = ColumnOrder.as_given(len(scan.column))
        rows, estimator._schema = soft_rows(scan, order, journal, options.seed, options.n_threads, class_weight)
        learned = learn_joint_from(rows, options, validation)
    estimator._schema = _with_costs(estimator, estimator._schema, scan)
    sample = replace(rows.sample, target=rows.sample.target * rows.scale + rows.centre)
    estimator._take_held_out(learned.held_out, estimator._schema)
    estimator._stream = stream_of(learned, sample, how, scan.total_weight)
    estimator.history_, estimator.weight_penalty_ = learned.history, learned.penalties.weight
    estimator._remember(how, RowCount(scan.n_rows, scan.total_weight), learned.params)


def _learn_online(estimator: Any, scan: Scan, X_val: Any) -> None:
    """One pass, as with `partial_fit`."""
    rows = soft_table(scan, estimator.get_params(False).get("class_weight"))
    if not isinstance(rows.parts, BatchParts):
        raise ValueError(
            "learner='online' processes one row after the other, but the partitions of a cluster are summed in "
            "parallel: use learner='joint', or call partial_fit for each partition."
        )
    if X_val is not None:
        raise ValueError("learner='online' takes one pass over batches and selects nothing: drop X_val, y_val.")
    if scan.checkpoint is not None:
        raise ValueError(
            "learner='online' takes one pass over batches, and a checkpoint records whole passes: call "
            "partial_fit for each batch, and save the model as often as you like."
        )
    how = estimator._online()
    loss = Loss.SOFTMAX if scan.classes is not None and len(scan.classes) == 1 else rows.loss
    outputs = len(rows.centre)
    stream = Stream.begin(list(rows.n_levels), outputs, how.options(loss), how.max_nodes, how.linear, how.seed)
    history: list[dict[str, Any]] = []
    for n, batch in enumerate(rows.parts.read()):
        line = history_entry(stream, n + 1, stream.learn(batch.X, batch.target, batch.weight))
        history = [*history, line][-REMEMBERED:]
    if scan.classes is not None:
        schema = class_schema(scan.columns, scan.classes, scan.target.names, scan.summaries)
        estimator._schema = _with_costs(estimator, schema, scan)
    else:
        estimator._schema = number_schema(scan.columns, outputs, scan.target.names, scan.summaries)
    estimator._stream, estimator.history_ = stream, history
    estimator._remember(how, RowCount(scan.n_rows, scan.total_weight), n_iter=max(len(history), 1))


def _with_costs(estimator: Any, schema: Schema, scan: Scan) -> Schema:
    """The schema, with the misclassification costs."""
    return schema if scan.classes is None else with_costs(schema, cost_matrix(estimator.costs, scan.classes))
