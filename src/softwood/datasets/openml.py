"""Data sets from OpenML, through scikit-learn, which keeps them in its cache and checks OpenML's checksum (md5).

The result must have the rows and columns of the catalog, because several sets have the same name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.datasets.catalog import Entry
from softwood.datasets.files import VARIABLE


def fetch(entry: Entry) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any], tuple[str, ...]]:
    """Inputs, target and column names; an error if the set cannot be fetched."""
    place = f"Put {entry.name}.csv.gz (inputs, last column target) into a folder; name it by {VARIABLE} or folder=."
    if not entry.openml:
        raise FileNotFoundError(f"{entry.name} is not on OpenML in the papers' form. {place}")
    # Imported here, because it is slow and not needed for files and generated rows.
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(entry.openml, version=1, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:  # no network, or the set was withdrawn or damaged
        raise FileNotFoundError(
            f"{entry.name} is not in a folder and could not be fetched from OpenML ({error}). {place}"
        ) from error
    keep = [i for i, name in enumerate(bunch.feature_names) if name not in entry.drop]
    X = np.asarray(bunch.data, np.float64)[:, keep]
    if X.shape != (entry.rows, entry.features):
        raise ValueError(
            f"{entry.openml!r} on OpenML has {X.shape[0]} rows and {X.shape[1]} inputs, the papers' {entry.name} has "
            f"{entry.rows} and {entry.features}. {place}"
        )
    return X, np.asarray(bunch.target), tuple(bunch.feature_names[i] for i in keep)
