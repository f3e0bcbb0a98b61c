"""A learned tree that a later fit with warm_start=True continues from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.columns.sparse_rows import has_stored_columns
from softwood.learners.soft.params.params import Gates, SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree import Schema

# Distance of an input from the mean of the previous rows, in spreads: larger squares overflow in single precision.
MAX_DISTANCE_SPREADS = 1e15
MAX_SCALE_RATIO = 1e3  # ratio of the target scales of two fits; above, the unit of the target has changed


@dataclass(frozen=True)
class WarmStart:
    """A learned tree in the learner's own columns and target units, from which a later fit continues."""

    tree: SoftTreeParams
    basis_spec: BasisSpec
    design: DesignMatrix
    gates: Gates
    penalty: float
    centre: Floats
    scale: Floats

    def check_inputs(self, rows: Dataset, schema: Schema) -> None:
        """Refuse sparse rows after an array, and inputs that exceed single precision in the previous scale."""
        if rows.is_sparse and not has_stored_columns(self.design):
            raise ValueError(
                "warm_start=True needs the columns of the previous tree, which was fitted to an array; a large "
                "sparse matrix has others. Fit a new estimator, or set warm_start=False."
            )
        inputs = np.unique(self.design.feature).tolist()
        for f, ends in zip(inputs, rows.ends_of(inputs), strict=True):
            with np.errstate(over="ignore", invalid="ignore"):
                far = ~(np.abs(self.design.of_input(f, ends, self.design.columns_of(f))) < MAX_DISTANCE_SPREADS).all(
                    axis=1
                )
            if far.any():
                raise ValueError(
                    "warm_start=True keeps the scale of the previous rows, and "
                    f"{schema.features[f]!r} now holds {ends[far][0]:g}, "
                    f"more than {MAX_DISTANCE_SPREADS:g} standard deviations from its mean. Fit a new estimator, or "
                    "set warm_start=False."
                )

    def in_units(self, centre: Floats, scale: Floats) -> WarmStart:
        """The same for rows whose targets have another centre and scale: distant ones would overflow in the old units.

        If the scale of a target is very different, its unit has changed: then predictions stay the same relative to the
        scale.
        """
        factor = self.scale / scale
        same = (factor < MAX_SCALE_RATIO) & (factor > 1.0 / MAX_SCALE_RATIO)
        shift = np.where(same, (self.centre - centre) / scale, 0.0)
        return replace(self, tree=self.tree.in_units(np.where(same, factor, 1.0), shift), centre=centre, scale=scale)
