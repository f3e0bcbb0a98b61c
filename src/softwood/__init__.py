"""softwood: small trees, soft gates, one equation."""

from softwood.estimators.c45 import C45Classifier
from softwood.estimators.cart import CARTClassifier, CARTRegressor
from softwood.estimators.soft import SoftTreeClassifier, SoftTreeRegressor
from softwood.estimators.soften import soften
from softwood.estimators.softened import SoftenedTreeClassifier
from softwood.formats import to_text
from softwood.tree import Basis, Schema, Surrogates, Tree, TreeError

__version__ = "0.1.0"

__all__ = [
    "Basis",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "Schema",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "SoftenedTreeClassifier",
    "Surrogates",
    "Tree",
    "TreeError",
    "__version__",
    "soften",
    "to_text",
]
