"""Bottom-k sketches: merged sketches of parts equal the sketch of the whole."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.parts.sketch import RowSketch


def sketch_of(key: np.ndarray, size: int = 50) -> RowSketch:
    sketch = RowSketch(size)
    row = key.astype(float)[:, None]
    sketch.add(key, key, row, row, np.ones((len(key), 1)))
    return sketch


@pytest.mark.parametrize("cuts", [[], [400], [10, 20, 21], [0, 999, 1000]])
@pytest.mark.parametrize("distinct", [30, 50, 2000])
def test_merged_parts_are_the_sketch_of_all(cuts: list[int], distinct: int) -> None:
    key = np.random.default_rng(0).integers(0, distinct, 1000).astype(np.uint64)
    whole = sketch_of(key)
    whole.close()
    first, *others = (sketch_of(part) for part in np.split(key, cuts))
    for other in others:
        first.merge(other)
    first.close()
    np.testing.assert_array_equal(first.key, whole.key)
    np.testing.assert_array_equal(first.weight, whole.weight)
    np.testing.assert_array_equal(first.X, whole.X)
    assert first.full == whole.full
