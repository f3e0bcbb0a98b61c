"""Columns of equal length as a pandas DataFrame if pandas is installed, else as a dict of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def as_frame(columns: Mapping[str, Any]) -> Any:
    """A pandas DataFrame, or a dict of arrays."""
    try:
        import pandas
    except ImportError:
        return {name: np.asarray(values) for name, values in columns.items()}
    return pandas.DataFrame(dict(columns))
