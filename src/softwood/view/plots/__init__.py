"""Pictures of a tree, drawn with matplotlib: `pip install 'softwood[view]'`.

Each takes `ax` and returns it, as scikit-learn's displays do; each reads only the `Tree` and the rows.
"""

from softwood.view.plots.animation import animate
from softwood.view.plots.calibration import plot_calibration
from softwood.view.plots.curves import plot_curves
from softwood.view.plots.gate import plot_gate
from softwood.view.plots.growth import plot_growth
from softwood.view.plots.history import plot_history
from softwood.view.plots.importance import plot_importance
from softwood.view.plots.pruning import plot_pruning
from softwood.view.plots.reasons import plot_reasons
from softwood.view.plots.row import plot_row
from softwood.view.plots.surface import plot_surface
from softwood.view.plots.tree import plot_tree

__all__ = [
    "animate",
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
]
