"""Soft trees from rows in parts: the search on a sample, the refit by sums over all rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from softwood.estimators.base.base import RowCount
from softwood.estimators.base.batch_fits import held_rows, journal_of, remember_answers, soft_rows
from softwood.estimators.soft.mixing import loss_of_mix
from softwood.estimators.soft.results import one_class_result
from softwood.intake import options
from softwood.intake.parts.scan import Scan
from softwood.intake.table.rows import class_schema, with_costs
from softwood.intake.table.weights import class_weights
from softwood.kernels.kinds import Loss, class_loss
from softwood.learners.column_order import ColumnOrder
from softwood.learners.soft.by_name import enter_dataset


def fit_in_parts(estimator: Any, scan: Scan, X_val: Any, y_val: Any) -> None:
    """Fit the soft tree of a table in batches and set it on its estimator."""
    params = estimator.get_params(deep=False)
    if params["learner"] == "incremental":
        raise ValueError(
            "learner='incremental' needs individual rows in memory: use learner='joint', or a sample of the rows, "
            "Batches(...).sample(100_000)."
        )
    told = RowCount(scan.n_rows, scan.total_weight)
    remember_answers(estimator, scan)
    costs = None if scan.classes is None else options.cost_matrix(params["costs"], scan.classes)
    if scan.classes is not None and len(scan.classes) == 1:
        schema = class_schema(scan.columns, scan.classes, scan.target.names, scan.summaries)
        estimator._remember(one_class_result(with_costs(schema, costs)), told)
        return
    how = estimator._joint()
    order = ColumnOrder.of(scan.columns)
    mixes = loss_of_mix(params, "batches", class_loss(2) if scan.classes is not None else Loss.SQUARED).mixes_answers
    validation = held_rows(estimator, scan, X_val, y_val, mixes)
    validation = None if validation is None else enter_dataset(order, validation)
    with journal_of(estimator, scan) as journal:
        rows, schema = soft_rows(scan, order, journal, how.seed, how.n_threads, params.get("class_weight"), mixes)
        learned = estimator._learn_from(rows, with_costs(schema, costs), how, validation)
    if params.get("class_weight") is not None and scan.classes is not None and learned.held_out is not None:
        factor = class_weights(
            params["class_weight"], scan.classes, np.arange(len(scan.classes), dtype=np.int32), scan.class_totals
        )
        learned = replace(learned, held_out=learned.held_out.divided(factor))  # held-out rows without class weights
    estimator._remember(learned, told)
