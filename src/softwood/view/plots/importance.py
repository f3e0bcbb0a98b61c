"""Importance of the inputs, as bars: permutation importance, or the model's own importances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain import importance
from softwood.formats.models import Inside, look_inside
from softwood.view.plots.canvas import PLAIN, import_matplotlib, name_axes, quiet_axes, shorten, take_axes
from softwood.view.plots.colours import ACCENT, GREY, INK


def plot_importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    values: Any = None,
    n: int = 15,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw the importance of the inputs, the most important first.

    Parameters
    ----------
    model : a fitted estimator, or a pipeline or search that ends in one; with rows or values also a `Tree`.
    X, y : rows that were not trained on, and their actual values: bars are the increase of the error when an input is
        permuted, with 95 % intervals (`softwood.explain.importance`). None: the model's `feature_importances_`.
    values : (inputs,) to draw instead; or (inputs, repeats), as `importances` of scikit-learn's
        `permutation_importance`: means with the middle 90 %.
    n : maximum number of inputs.
    feature_names : names to print instead of the model's own.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_importance
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> ax = plot_importance(model)
    >>> ax.get_figure().savefig("picture.pdf")  # doctest: +SKIP
    """
    import_matplotlib("plot_importance")
    inside = look_inside(model, feature_names, wanted_by="plot_importance")
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}.")
    if (X is None) != (y is None):
        raise ValueError("X and y belong together: pass both, or neither.")
    if X is not None and values is not None:
        raise ValueError("pass rows (X and y) or values, not both.")
    name, bars = _measure(model, inside, X, y, values)
    order = [int(f) for f in np.argsort(-bars[0], kind="stable") if bars[0, f] != 0][:n] or [int(bars[0].argmax())]
    ax = take_axes(ax, 5.2, 0.8 + 0.24 * len(order), "plot_importance")
    _draw(ax, [shorten(inside.tree.schema.features[f]) for f in order], bars[:, order])
    left = int(np.count_nonzero(bars[0])) - len(order)
    if left > 0:
        ax.text(1.0, 0.03, f"{left} more inputs with smaller values", ha="right", va="bottom", fontsize="small",
                color=GREY, transform=ax.transAxes)  # fmt: skip
    name_axes(ax, name)
    return ax


def _measure(model: Any, inside: Inside, X: Any, y: Any, values: Any) -> tuple[str, Floats]:
    """The label of the axis, and value, lower and upper end for every input, (3, inputs)."""
    n = inside.tree.n_features
    if X is not None:
        table = importance(model, X, y)
        own = look_inside(model, wanted_by="plot_importance").tree.schema.features
        place = {str(each): i for i, each in enumerate(np.asarray(table["input"]))}
        at = [place[each] for each in own]
        what = "error" if inside.tree.schema.task == "classification" else "squared error"
        return f"increase of the {what} when permuted", np.array(
            [np.asarray(table[c])[at] for c in ("permutation", "low", "high")]
        )
    if values is None:
        values = getattr(inside.model, "feature_importances_", None)
        if values is None:
            kind = type(inside.model).__name__
            raise ValueError(
                f"plot_importance needs feature_importances_, which a {kind} does not have: pass X and y, or values."
            )
        return "feature importance", np.tile(np.asarray(values, np.float64), (3, 1))
    given = np.asarray(values, np.float64)
    if given.ndim not in (1, 2) or len(given) != n:
        raise ValueError(f"values must have a row for each of {n} inputs, got shape {given.shape}.")
    given = given.reshape(n, -1)
    return "importance", np.array([given.mean(axis=1), *np.quantile(given, [0.05, 0.95], axis=1)])


def _draw(ax: Any, names: list[str], bars: Floats) -> None:
    at = np.arange(len(names))[::-1]
    reach = np.maximum([bars[0] - bars[1], bars[2] - bars[0]], 0.0)
    style = {"elinewidth": 0.9, "ecolor": INK}
    ax.barh(at, bars[0], height=0.62, color=ACCENT, xerr=reach if reach.any() else None, error_kw=style, zorder=2)
    ax.axvline(0.0, color=GREY, linewidth=0.8, zorder=1)
    ax.set_yticks(at, names, **PLAIN)
    ax.set_ylim(-0.6, len(names) - 0.4)
    quiet_axes(ax)
    ax.tick_params(axis="y", length=0)
