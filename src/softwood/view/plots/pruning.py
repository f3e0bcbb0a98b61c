"""The trees of a pruning sequence: training error and cross-validated error by number of leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.formats.models import look_inside
from softwood.view.plots.canvas import import_matplotlib, name_axes, quiet_axes, take_axes
from softwood.view.plots.colours import ACCENT, GREY, SECOND


def plot_pruning(model: Any, *, ax: Any = None) -> Any:
    """Draw the pruning table of a tree: error by number of leaves.

    Parameters
    ----------
    model : a fitted estimator that prunes by cost and complexity (`CARTClassifier` and the like), or a pipeline or
        search that ends in one.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes. The band is one standard error above the smallest cross-validated error; the chosen tree is marked.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_pruning
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> ax = plot_pruning(model)
    >>> ax.get_figure().savefig("picture.pdf")  # doctest: +SKIP
    """
    import_matplotlib("plot_pruning")
    inside = look_inside(model, wanted_by="plot_pruning").model
    table = getattr(inside, "pruning_table_", None)
    if table is None:
        raise ValueError(
            f"plot_pruning needs a model with a pruning_table_, got {type(inside).__name__}; "
            "CART has one unless prune=None."
        )
    ax = take_axes(ax, 5.0, 3.4, "plot_pruning")
    leaves = np.asarray(table.n_leaves, np.float64)
    ax.plot(leaves, table.error, ".-", color=GREY, linewidth=1.2, label="training rows")
    tested = np.isfinite(table.tested_error)
    if tested.any():
        by = "cross-validation" if table.tested_by == "cv" else "validation rows"
        error, spread = table.tested_error[tested], np.nan_to_num(table.standard_error[tested])
        ax.errorbar(leaves[tested], error, spread, color=ACCENT, fmt="o-", markersize=4, linewidth=1.5, capsize=2,
                    elinewidth=0.8, label=f"{by} ± standard error")  # fmt: skip
        best = int(np.argmin(error))
        ax.axhspan(error[best], error[best] + spread[best], color=ACCENT, alpha=0.12, linewidth=0, zorder=0)
    kept = table.chosen
    height = table.tested_error[kept] if tested[kept] else table.error[kept]
    ax.plot(leaves[kept], height, "o", markersize=11, markerfacecolor="none", markeredgecolor=SECOND,
            markeredgewidth=1.8, zorder=5, label=f"kept: {int(leaves[kept])} leaves")  # fmt: skip
    if leaves.max() > 12:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0f}")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize="small")
    quiet_axes(ax)
    name_axes(ax, "leaves", "error")
    return ax
