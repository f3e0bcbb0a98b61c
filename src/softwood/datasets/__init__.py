"""Data sets of the soft and budding tree papers, their folds, and generated rows.

    data = load("glass")               from SOFTWOOD_DATA, a folder, or OpenML
    for fold in folds(data): ...       the authors' halves and test third, or seeded ones
    X, y = make_friedman(1000)         a function with a known truth

No data set ships with the package.
"""

from softwood.datasets.catalog import names
from softwood.datasets.files import ChecksumError
from softwood.datasets.generators import (
    make_friedman,
    make_magic,
    make_ringnorm,
    make_sinusoid,
    make_spiral,
    make_twonorm,
    make_xor,
)
from softwood.datasets.loader import DataSet, load
from softwood.datasets.splits import Fold, folds

__all__ = [
    "ChecksumError",
    "DataSet",
    "Fold",
    "folds",
    "load",
    "make_friedman",
    "make_magic",
    "make_ringnorm",
    "make_sinusoid",
    "make_spiral",
    "make_twonorm",
    "make_xor",
    "names",
]
