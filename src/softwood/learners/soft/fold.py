"""A fold: training rows and held-out rows, as engines; the root of a tree, and what inputs are worth there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.engines import SampleEngine
from softwood.engines.memory import from_inputs
from softwood.kernels.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.soft.binning import BINS, Binned, Codes
from softwood.learners.soft.dataset import MANY, Dataset
from softwood.learners.soft.design import DesignMatrix
from softwood.learners.soft.params import Slopes, SoftTreeParams
from softwood.learners.soft.piecewise import expansion_of
from softwood.learners.soft.split_features import SplitFeatures

# Curvature of the log penalty (kernels/penalty.py): a weight beyond 1, or of classes beyond 2, costs less than its
# square, so that a gate may have a few large weights. These had the least held-out loss among 0, 1/4, 1 and 4.
LOG_PENALTY = {Loss.SQUARED: 1.0, Loss.LOGISTIC: 0.25, Loss.SOFTMAX: 0.25}


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
        """Both parts with scaled targets; `expansion` of the columns and `binned` rows where these are made already."""
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
    code: Codes | None = None,
) -> SampleEngine:
    """The engine of rows in memory; `expansion` of the columns where it is made already, `code` for histograms.

    Where rows are many, every pass makes their columns again.
    """
    expansion = expansion_of(design, rows.X.shape[1]) if expansion is None else expansion
    return from_inputs(
        rows.X, expansion, rows.target, rows.weight, rows.loss, n_threads, single, rows.place, len(rows) <= MANY,
        code, 0 if code is None else BINS,
    )  # fmt: skip


def init_root(
    engine: SampleEngine, design: int, slopes: Slopes, rising: npt.NDArray[np.bool_] | None = None
) -> SoftTreeParams:
    """One leaf that answers the mean, or the log odds; `rising` are columns of monotone inputs."""
    mean: npt.NDArray[np.float64] = engine.weight @ engine.target
    if engine.loss_kind == Loss.LOGISTIC:
        p = np.clip(mean, 1e-3, 1 - 1e-3)
        mean = np.log(p / (1 - p))
    elif engine.loss_kind == Loss.SOFTMAX:
        mean = np.log(np.clip(mean, 1e-4, 1.0))
        mean = mean - mean.mean()
    return SoftTreeParams.root(mean, design, slopes, LOG_PENALTY[engine.loss_kind], rising)
