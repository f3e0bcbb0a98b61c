"""Containers of a table: arrays of every dtype and layout, sparse matrices, lists, pandas, polars, arrow.

Each is a function from columns (name -> cells, None is missing) to a user's X. Its source is printed with a finding, so
each imports what it needs and calls nothing in this package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Columns = dict[str, list[Any]]


def float64(columns: Columns) -> Any:
    import numpy as np

    return np.array(list(columns.values()), np.float64).T.copy()


def fortran(columns: Columns) -> Any:
    import numpy as np

    return np.asfortranarray(np.array(list(columns.values()), np.float64).T)


def float32(columns: Columns) -> Any:
    import numpy as np

    with np.errstate(over="ignore"):
        return np.array(list(columns.values()), np.float64).T.astype(np.float32)


def float16(columns: Columns) -> Any:
    import numpy as np

    with np.errstate(over="ignore"):
        return np.array(list(columns.values()), np.float64).T.astype(np.float16)


def integers(columns: Columns) -> Any:
    import numpy as np

    return np.array(list(columns.values()), np.float64).T.astype(np.int64)


def read_only(columns: Columns) -> Any:
    import numpy as np

    X = np.array(list(columns.values()), np.float64).T.copy()
    X.setflags(write=False)
    return X


def strided(columns: Columns) -> Any:
    import numpy as np

    return np.repeat(np.array(list(columns.values()), np.float64).T, 2, axis=1)[:, ::2]


def big_endian(columns: Columns) -> Any:
    import numpy as np

    return np.array(list(columns.values()), np.float64).T.astype(">f8")


def memory_map(columns: Columns) -> Any:
    import tempfile

    import numpy as np

    X = np.array(list(columns.values()), np.float64).T
    with tempfile.NamedTemporaryFile() as file:
        mapped = np.memmap(file.name, np.float64, "w+", shape=X.shape)
    mapped[:] = X
    return mapped


def masked(columns: Columns) -> Any:
    import numpy as np

    X = np.array(list(columns.values()), np.float64).T
    return np.ma.masked_invalid(X, copy=True)


def sparse(columns: Columns) -> Any:
    import numpy as np
    from scipy.sparse import csc_array

    return csc_array(np.array(list(columns.values()), np.float64).T)


def lists(columns: Columns) -> Any:
    return [list(row) for row in zip(*columns.values(), strict=True)]


def objects(columns: Columns) -> Any:
    import numpy as np

    return np.array(list(columns.values()), object).T


def pandas(columns: Columns) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def pandas_nullable(columns: Columns) -> Any:
    import numpy as np
    import pandas as pd

    with np.errstate(invalid="ignore"):  # pandas tries int64 first, which warns of 1e20 on x86-64
        return pd.DataFrame(columns).convert_dtypes()


def pandas_categories(columns: Columns) -> Any:
    import pandas as pd

    frame = pd.DataFrame(columns, index=range(7, 7 + len(next(iter(columns.values())))))
    for name, cells in columns.items():
        if any(isinstance(cell, str) for cell in cells):
            levels = sorted({cell for cell in cells if cell is not None})
            frame[name] = pd.Categorical(cells, [*reversed(levels), "unused"])
    return frame


def polars(columns: Columns) -> Any:
    import polars as pl

    return pl.DataFrame(columns, strict=False)


def arrow(columns: Columns) -> Any:
    import pyarrow as pa

    return pa.table(columns)


NUMBERS: dict[str, Callable[[Columns], Any]] = {
    "float64": float64,
    "fortran": fortran,
    "float32": float32,
    "float16": float16,
    "integers": integers,
    "read_only": read_only,
    "strided": strided,
    "big_endian": big_endian,
    "memory_map": memory_map,
    "masked": masked,
    "sparse": sparse,
    "lists": lists,
}
FRAMES: dict[str, Callable[[Columns], Any]] = {
    "pandas": pandas,
    "pandas_nullable": pandas_nullable,
    "pandas_categories": pandas_categories,
    "polars": polars,
    "arrow": arrow,
}
CONTAINERS: dict[str, Callable[[Columns], Any]] = {**NUMBERS, **FRAMES, "objects": objects}
LARGEST = {"float32": 3e38, "float16": 6e4, "integers": 9e18}  # beyond, the container itself loses the value
