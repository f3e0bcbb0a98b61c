"""A fold: training rows and held-out rows, as engines; and the root of a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Bytes
from softwood.engines import SampleEngine
from softwood.engines.memory import from_inputs
from softwood.kernels.arithmetic import log, matmul
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Link, LossKind
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.columns.sparse_rows import stored_engine, stored_split_features
from softwood.learners.soft.columns.split_features import SplitFeatures
from softwood.learners.soft.params.params import NO_COLUMNS, Slopes, SoftTreeParams
from softwood.learners.soft.regimes import MEDIUM_TABLE_MAX_ROWS, SAMPLE_ROWS
from softwood.learners.soft.rows.binning import N_BINS, Binned
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.target_scale import MIN_MEAN
from softwood.parts.quantiles import weighted_quantile

# Curvature of the log penalty (kernels/formulas/penalty.py): a weight above 1 (above 2 for classes) costs less than its
# square, so that a gate may have a few large weights. These had the lowest held-out loss among 0, 1/4, 1 and 4. With 1
# for classes, too, the error is the same on 82 tables, but a heavy penalty hides useless inputs.
LOG_PENALTY_OF_NUMBERS, LOG_PENALTY_BEHIND_LINK = 1.0, 0.25


@dataclass(frozen=True)
class Fold:
    """Engines to train on and to score by, and what histograms need."""

    train: SampleEngine
    valid: SampleEngine
    split_features: SplitFeatures

    @classmethod
    def make(
        cls,
        train: Dataset,
        valid: Dataset,
        design: DesignMatrix,
        n_threads: int = 1,
        single: bool = True,
        expansion: Expansion | None = None,
        binned: Binned | None = None,
    ) -> Fold:
        """Both parts with scaled targets; `expansion` of the columns and `binned` rows if they exist already."""
        if train.is_sparse:
            return cls(
                train=stored_engine(train, design, splits=True, n_threads=n_threads),
                valid=stored_engine(valid, design, n_threads=n_threads),
                split_features=stored_split_features(train.X, design),
            )
        binned = Binned.of(train) if binned is None else binned
        code = binned.code_of(np.unique(design.feature))
        expansion = expansion_of(design, train.X.shape[1]) if expansion is None else expansion
        engines = (
            make_sample_engine(train, design, n_threads, single, expansion, code),
            make_sample_engine(valid, design, n_threads, single, expansion),
        )
        return cls(*engines, SplitFeatures.make(binned.cut, design, binned.bin_of_level))


def make_sample_engine(
    rows: Dataset,
    design: DesignMatrix,
    n_threads: int = 1,
    single: bool = True,
    expansion: Expansion | None = None,
    code: Bytes | None = None,
) -> SampleEngine:
    """The engine of rows in memory; `expansion` of the columns if it exists already, `code` for histograms."""
    if rows.is_sparse:
        return stored_engine(rows, design, False, n_threads)
    expansion = expansion_of(design, rows.X.shape[1]) if expansion is None else expansion
    return from_inputs(
        rows.X,
        expansion,
        rows.target,
        rows.weight,
        rows.loss,
        n_threads,
        single,
        rows.place,
        keep=len(rows) <= SAMPLE_ROWS,
        bin=code,
        n_bins=0 if code is None else N_BINS,
        by_tables=len(rows) > MEDIUM_TABLE_MAX_ROWS,
    )


def init_root(
    engine: SampleEngine,
    design: int,
    slopes: Slopes,
    rising: npt.NDArray[np.bool_] | None = None,
    own_columns: npt.NDArray[np.int32] = NO_COLUMNS,
) -> SoftTreeParams:
    """One leaf that predicts the mean, a quantile, the log odds or the log of the mean.

    rising : columns of monotone inputs.  own_columns : for mixed slopes.
    """
    mean: npt.NDArray[np.float64] = matmul(engine.weight, engine.target)
    loss = engine.loss_kind
    kind = loss.mixing_outputs.kind
    if kind == LossKind.LOGISTIC:
        p = np.clip(mean, MIN_MEAN, 1 - MIN_MEAN)
        mean = log(p / (1 - p))
    elif kind == LossKind.SOFTMAX:
        mean = log(np.clip(mean, 1e-4, 1.0))
        mean = mean - mean.mean()
    elif kind == LossKind.TWEEDIE:
        mean = log(np.maximum(mean, MIN_MEAN))
    elif kind in (LossKind.HUBER, LossKind.QUANTILE):
        mean = weighted_quantile(engine.target, engine.weight, 0.5 if kind == LossKind.HUBER else loss.parameter)
    log_penalty = LOG_PENALTY_OF_NUMBERS if loss.link == Link.IDENTITY else LOG_PENALTY_BEHIND_LINK
    return SoftTreeParams.root(mean, design, slopes, log_penalty, rising, own_columns, loss.leaf_link)
