"""Reads the arguments of `fit`, as rows in memory or as a scan of rows in parts, for the chosen engine."""

from __future__ import annotations

from typing import Any, Literal, overload

from softwood.intake.engine import IN_PARTS
from softwood.intake.parts.dask_tables import scan_partitions
from softwood.intake.parts.scan import Scan, scan_batches
from softwood.intake.parts.sources import open_batches
from softwood.intake.table.groups import refuse_groups
from softwood.intake.table.rows import Labelled, Numbered, read_labelled, read_numbered, read_table


@overload
def read(
    estimator: Any, engine: str, X: Any, y: Any, sample_weight: Any, groups: Any, *, is_classes: Literal[True]
) -> Labelled | Scan: ...
@overload
def read(
    estimator: Any, engine: str, X: Any, y: Any, sample_weight: Any, groups: Any, *, is_classes: Literal[False]
) -> Numbered | Scan: ...
def read(
    estimator: Any, engine: str, X: Any, y: Any, sample_weight: Any, groups: Any, *, is_classes: bool
) -> Labelled | Numbered | Scan:
    """Rows in memory, or for engines "batches" and "dask" the first pass over rows in parts.

    Sets what scikit-learn expects on an estimator about the columns (`n_features_in_`, `feature_names_in_`).
    """
    if engine in IN_PARTS:
        refuse_groups(groups)
    if engine == "dask":
        return scan_partitions(estimator, X, y, sample_weight, is_classes)
    if engine == "batches":
        return scan_batches(estimator, open_batches(X), y, sample_weight, is_classes)
    table = read_table(estimator, X)
    return (read_labelled if is_classes else read_numbered)(table, y, sample_weight, groups)
