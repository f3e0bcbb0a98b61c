"""Rows on a device: where each value stands between the knots of its input, targets and weights.

Columns are tables over segments (kernels/contracts/expansion.py): what is kept of a value is its segment and its place
t in it, as the kernels of memory keep them, worked out in float64 and stored in the type of the rows. Rows are filled
up to whole blocks by rows of weight 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from softwood.arrays import Floats
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss

BLOCK = 256  # rows that are added up in the type of the rows; blocks are added in float64
TRANSFER = 1 << 22  # values that go to the device at a time, as float64


@dataclass(frozen=True)
class DeviceRows:
    """What a pass reads.

    place : (inputs, rows) t of each value.  segment : (inputs, rows), or None where no input has knots or gaps.
    target : (outputs, rows).  weight : (rows,), of mean 1 among the rows given.
    n_rows : how many were given.  total_weight : theirs.
    """

    place: Any
    segment: Any
    target: Any
    weight: Any
    loss: Loss
    n_rows: int
    total_weight: float

    @property
    def n_filled(self) -> int:
        """With those that fill up the last block."""
        return int(self.weight.shape[0])


def load_rows(
    X: Floats,
    expansion: Expansion,
    target: Floats,
    weight: Floats,
    loss: Loss,
    device: Any,
    dtype: Any,
    order: npt.NDArray[np.int64] | None = None,
) -> DeviceRows:
    """Rows of X (those at `order`, where given) on the device."""
    n, inputs = len(target), X.shape[1]
    filled = -(-n // BLOCK) * BLOCK
    total = float(weight.sum())
    place = torch.zeros((inputs, filled), dtype=dtype, device=device)
    segment = torch.zeros((inputs, filled), dtype=_segment_type(expansion), device=device)
    step = max(BLOCK, TRANSFER // max(inputs, 1))
    find = _SegmentFinder(expansion, device)
    for begin in range(0, n, step):
        end = min(n, begin + step)
        some = X[begin:end] if order is None else X[order[begin:end]]
        for f, t, at in find(some):
            place[f, begin:end], segment[f, begin:end] = t, at
    return DeviceRows(
        place,
        segment if _has_segments(segment, expansion) else None,
        _filled(target.T, filled, dtype, device),
        _filled(weight[None] * (n / total), filled, dtype, device)[0],
        loss,
        n,
        total,
    )


class _SegmentFinder:
    """Segment and place of values, in float64 (on the CPU where the device has none)."""

    def __init__(self, expansion: Expansion, device: Any) -> None:
        self.on = torch.device("cpu") if device.type == "mps" else device
        self.begin = expansion.knot_begin.tolist()
        self.used = np.flatnonzero(np.diff(expansion.column_begin)).tolist()
        self.knot, self.origin, self.width = (
            torch.tensor(part, dtype=torch.float64, device=self.on)
            for part in (expansion.knot, expansion.origin, expansion.width)
        )

    def __call__(self, X: Floats) -> Any:
        """For each input that has columns: which it is, t and the segment of the rows."""
        values = torch.from_numpy(np.ascontiguousarray(X, np.float64)).to(self.on)
        for f in self.used:
            begin, end = self.begin[f], self.begin[f + 1]
            x = values[:, f].contiguous()
            gone = torch.isnan(x)
            at = torch.searchsorted(self.knot[begin:end], x)
            at = torch.where(gone, 0, at)
            t = (x - self.origin[begin + f + at]) / self.width[begin + f + at]
            yield f, torch.where(gone, 0.0, t), torch.where(gone, end - begin + 1, at)


def _segment_type(expansion: Expansion) -> Any:
    return torch.uint8 if np.diff(expansion.knot_begin).max(initial=0) < 255 else torch.int16


def _has_segments(segment: Any, expansion: Expansion) -> bool:
    return len(expansion.knot) > 0 or bool((segment != 0).any())


def _filled(rows: Floats, filled: int, dtype: Any, device: Any) -> Any:
    out = torch.zeros((len(rows), filled), dtype=dtype, device=device)
    out[:, : rows.shape[1]] = torch.from_numpy(np.ascontiguousarray(rows)).to(dtype)
    return out
