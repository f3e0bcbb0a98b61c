"""softwood: small trees, soft gates, one equation.

Names are imported on first access, so that CART does not import soft trees, and the command `softwood` can handle
Ctrl-C before NumPy is imported (`__main__.py`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softwood.release import __version__

if TYPE_CHECKING:
    from softwood.estimators.budding.classifier import BuddingTreeClassifier
    from softwood.estimators.budding.regressor import BuddingTreeRegressor
    from softwood.estimators.dates import DateParts
    from softwood.estimators.hard.c45 import C45Classifier
    from softwood.estimators.hard.cart_classifier import CARTClassifier
    from softwood.estimators.hard.cart_regressor import CARTRegressor
    from softwood.estimators.mixture import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
    from softwood.estimators.oblique.discriminant import (
        LinearDiscriminantTreeClassifier,
        LinearDiscriminantTreeRegressor,
    )
    from softwood.estimators.oblique.omnivariate import OmnivariateTreeClassifier, OmnivariateTreeRegressor
    from softwood.estimators.soft.classifier import SoftTreeClassifier
    from softwood.estimators.soft.forest import SoftForestClassifier, SoftForestRegressor
    from softwood.estimators.soft.regressor import SoftTreeRegressor
    from softwood.estimators.softened.soften import SoftenedClassifier, SoftenedRegressor, soften
    from softwood.estimators.softened.softened import SoftenedTreeClassifier, SoftenedTreeRegressor
    from softwood.explain import explain
    from softwood.formats import (
        FileError,
        export,
        from_json,
        from_sklearn,
        scorecard,
        summary,
        to_json,
        to_sklearn,
        to_text,
    )
    from softwood.intake.parts.sources import Batches
    from softwood.persistence.files import load, save
    from softwood.tree import Basis, Schema, Surrogates, Tree, TreeError
    from softwood.view import view
    from softwood.view.comparisons import Comparison, compare_models
    from softwood.view.lesson import lesson
    from softwood.view.plots import (
        animate,
        plot_calibration,
        plot_curves,
        plot_gate,
        plot_growth,
        plot_history,
        plot_importance,
        plot_pruning,
        plot_reasons,
        plot_row,
        plot_surface,
        plot_tree,
    )
    from softwood.view.reports import report


__all__ = [
    "Basis",
    "Batches",
    "BuddingTreeClassifier",
    "BuddingTreeRegressor",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "Comparison",
    "DateParts",
    "FileError",
    "LinearDiscriminantTreeClassifier",
    "LinearDiscriminantTreeRegressor",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "OmnivariateTreeClassifier",
    "OmnivariateTreeRegressor",
    "Schema",
    "SoftForestClassifier",
    "SoftForestRegressor",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "SoftenedClassifier",
    "SoftenedRegressor",
    "SoftenedTreeClassifier",
    "SoftenedTreeRegressor",
    "Surrogates",
    "Tree",
    "TreeError",
    "__version__",
    "animate",
    "compare_models",
    "explain",
    "export",
    "from_json",
    "from_sklearn",
    "lesson",
    "load",
    "plot_calibration",
    "plot_curves",
    "plot_gate",
    "plot_growth",
    "plot_history",
    "plot_importance",
    "plot_pruning",
    "plot_reasons",
    "plot_row",
    "plot_surface",
    "plot_tree",
    "report",
    "save",
    "scorecard",
    "soften",
    "summary",
    "to_json",
    "to_sklearn",
    "to_text",
    "view",
]

_HOME = {
    "Basis": "softwood.tree",
    "Batches": "softwood.intake.parts.sources",
    "BuddingTreeClassifier": "softwood.estimators.budding.classifier",
    "BuddingTreeRegressor": "softwood.estimators.budding.regressor",
    "C45Classifier": "softwood.estimators.hard.c45",
    "CARTClassifier": "softwood.estimators.hard.cart_classifier",
    "CARTRegressor": "softwood.estimators.hard.cart_regressor",
    "Comparison": "softwood.view.comparisons",
    "DateParts": "softwood.estimators.dates",
    "FileError": "softwood.formats",
    "LinearDiscriminantTreeClassifier": "softwood.estimators.oblique.discriminant",
    "LinearDiscriminantTreeRegressor": "softwood.estimators.oblique.discriminant",
    "MixtureOfExpertsClassifier": "softwood.estimators.mixture",
    "MixtureOfExpertsRegressor": "softwood.estimators.mixture",
    "OmnivariateTreeClassifier": "softwood.estimators.oblique.omnivariate",
    "OmnivariateTreeRegressor": "softwood.estimators.oblique.omnivariate",
    "Schema": "softwood.tree",
    "SoftForestClassifier": "softwood.estimators.soft.forest",
    "SoftForestRegressor": "softwood.estimators.soft.forest",
    "SoftTreeClassifier": "softwood.estimators.soft.classifier",
    "SoftTreeRegressor": "softwood.estimators.soft.regressor",
    "SoftenedClassifier": "softwood.estimators.softened.soften",
    "SoftenedRegressor": "softwood.estimators.softened.soften",
    "SoftenedTreeClassifier": "softwood.estimators.softened.softened",
    "SoftenedTreeRegressor": "softwood.estimators.softened.softened",
    "Surrogates": "softwood.tree",
    "Tree": "softwood.tree",
    "TreeError": "softwood.tree",
    "animate": "softwood.view.plots",
    "compare_models": "softwood.view.comparisons",
    "explain": "softwood.explain",
    "export": "softwood.formats",
    "from_json": "softwood.formats",
    "from_sklearn": "softwood.formats",
    "lesson": "softwood.view.lesson",
    "load": "softwood.persistence.files",
    "plot_calibration": "softwood.view.plots",
    "plot_curves": "softwood.view.plots",
    "plot_gate": "softwood.view.plots",
    "plot_growth": "softwood.view.plots",
    "plot_history": "softwood.view.plots",
    "plot_importance": "softwood.view.plots",
    "plot_pruning": "softwood.view.plots",
    "plot_reasons": "softwood.view.plots",
    "plot_row": "softwood.view.plots",
    "plot_surface": "softwood.view.plots",
    "plot_tree": "softwood.view.plots",
    "report": "softwood.view.reports",
    "save": "softwood.persistence.files",
    "scorecard": "softwood.formats",
    "soften": "softwood.estimators.softened.soften",
    "summary": "softwood.formats",
    "to_json": "softwood.formats",
    "to_sklearn": "softwood.formats",
    "to_text": "softwood.formats",
    "view": "softwood.view",
}


def __getattr__(name: str) -> Any:
    if name in ("kernels", "tree"):  # packages that `import softwood` used to load
        return import_module(f"softwood.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'softwood' has no attribute {name!r}; it has {', '.join(__all__)}.")
    home = import_module(_HOME[name])
    # `explain` and `view` are callable packages, so softwood.explain.curves is available, too.
    value = home if callable(home) else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
