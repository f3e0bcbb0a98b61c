"""Names of array types, the same in every package."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Index = npt.NDArray[np.intp]  # as NumPy's own functions give positions in an array
Mask = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Signs = npt.NDArray[np.int8]
Words = npt.NDArray[np.uint64]
