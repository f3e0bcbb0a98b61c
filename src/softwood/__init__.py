"""softwood: small trees, soft gates, one equation."""

from softwood.estimators.cart import CARTClassifier, CARTRegressor
from softwood.estimators.soft import SoftTreeClassifier, SoftTreeRegressor
from softwood.formats import to_text
from softwood.tree import Basis, Schema, Surrogates, Tree, TreeError

__version__ = "0.1.0"

__all__ = [
    "Basis",
    "CARTClassifier",
    "CARTRegressor",
    "Schema",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "Surrogates",
    "Tree",
    "TreeError",
    "__version__",
    "to_text",
]
