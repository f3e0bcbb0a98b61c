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

# Distance of an input from the earlier rows, in their spreads: the squares of larger ones overflow in single precision.
MAX_DISTANCE_SPREADS = 1e15
MAX_SCALE_RATIO = 1e3  # between the target scales of two fits; beyond, the target's unit has changed


@dataclass(frozen=True)
class WarmStart:
    """A learned tree in the learner's own columns and target units: what a later fit goes on from."""

    tree: SoftTreeParams
    basis_spec: BasisSpec
    design: DesignMatrix
    gates: Gates
    penalty: float
    centre: Floats
    scale: Floats

    def check_inputs(self, rows: Dataset, schema: Schema) -> None:
        """Refuse sparse rows after an array, and inputs that, in the spreads before, are beyond single precision."""
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
                    "warm_start=True goes on with inputs in the spreads of the rows before, and "
                    f"{schema.features[f]!r} now holds {ends[far][0]:g}, more than {MAX_DISTANCE_SPREADS:g} of them "
                    "away. Fit a new estimator, or set warm_start=False."
                )

    def in_units(self, centre: Floats, scale: Floats) -> WarmStart:
        """The same for rows whose targets have another centre and scale: far ones would overflow in the old units.

        Where a target's scale is quite another, its unit is: then the tree answers as before in parts of the scale.
        """
        factor = self.scale / scale
        same = (factor < MAX_SCALE_RATIO) & (factor > 1.0 / MAX_SCALE_RATIO)
        shift = np.where(same, (self.centre - centre) / scale, 0.0)
        return replace(self, tree=self.tree.in_units(np.where(same, factor, 1.0), shift), centre=centre, scale=scale)
