"""The reasons of one prediction as a waterfall: from the mean output over the background to the output of the row.

One bar per important input, the largest first, each starting where the previous one ends; the rest is one bar.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.explain import Explanation
from softwood.kernels.kinds import Link
from softwood.view.plots.canvas import PLAIN, import_matplotlib, name_axes, quiet_axes, shorten, take_axes
from softwood.view.plots.colours import ACCENT, GREY, INK, SECOND
from softwood.view.plots.spelling import short_number


def plot_reasons(explanation: Any, row: int = 0, *, answer: Any = None, n: int = 8, ax: Any = None) -> Any:
    """Draw the contribution of each input to the output of one row.

    Parameters
    ----------
    explanation : the result of `softwood.explain`.
    row : position of the row.
    answer : the class or target; None: the predicted class.
    n : maximum number of inputs with their own bar.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, explain, plot_reasons
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> why = explain(CARTClassifier(random_state=0).fit(X, y), X)
    >>> plot_reasons(why, 100).get_xlabel()
    'probability of 2'
    """
    import_matplotlib("plot_reasons")
    if not isinstance(explanation, Explanation):
        raise TypeError(
            f"plot_reasons needs an Explanation, got {type(explanation).__name__}: pass softwood.explain(model, X)."
        )
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}.")
    answer = explanation.decided(row) if answer is None else answer
    unit, found, _ = explanation.of(answer)
    reasons = explanation.reasons(row, answer, n)
    others = int(np.count_nonzero(found[row])) - len(reasons)
    labels = [shorten(reason.text, 44) for reason in reasons]
    changes = [reason.contribution for reason in reasons]
    spread = [reason.standard_error for reason in reasons]
    if others > 0:
        labels.append(f"{others} more {'input' if others == 1 else 'inputs'}")
        changes.append(float(found[row].sum()) - sum(changes))
        spread.append(0.0)
    if not changes:  # the row's prediction is the background's mean
        labels, changes, spread = ["no input"], [0.0], [0.0]
    end = _output(explanation, row, answer)
    ax = take_axes(ax, 6.0, 0.9 + 0.32 * len(changes), "plot_reasons")
    _draw(ax, labels, np.array(changes), np.array(spread), end)
    name_axes(ax, unit)
    return ax


def _output(explanation: Explanation, row: int, answer: Any) -> float:
    """Output of a row for one class or target, in the unit of `Explanation.of`."""
    tree, output = explanation.tree, explanation.output[row]
    place = tree.schema.answers.index(answer)
    if tree.link == Link.SIGMOID and tree.n_outputs == 1:
        return float(output[0] if place else -output[0])
    return float(output[place] - (output.mean() if tree.link == Link.SOFTMAX else 0.0))


def _draw(ax: Any, labels: list[str], change: Any, error: Any, end: float) -> None:
    base = end - float(change.sum())
    ends = base + np.cumsum(change)
    starts = np.concatenate([[base], ends[:-1]])
    at = np.arange(len(change))[::-1]
    colours = [ACCENT if part >= 0 else SECOND for part in change]
    bars = error if np.any(error > 0) else None
    ax.barh(at, change, left=starts, height=0.62, color=colours, xerr=bars, zorder=2,
            error_kw={"elinewidth": 0.8, "ecolor": INK})  # fmt: skip
    for i, part in zip(at, range(len(change)), strict=True):
        if part + 1 < len(change):
            ax.plot([ends[part]] * 2, [i + 0.31, i - 1.31], color=GREY, linewidth=0.7, zorder=1)
    span = float(np.ptp([base, end, *ends])) or 1.0
    for i, start, stop, part in zip(at, starts, ends, change, strict=True):
        text = ("+" if part >= 0 else "") + short_number(float(part))
        ax.text(max(start, stop) + 0.015 * span, i, text, va="center", ha="left", fontsize="small", color=INK)
    for value, name, place in ((base, "mean", len(change) - 0.45), (end, "this row", -0.55)):
        ax.axvline(value, color=GREY, linewidth=0.8, linestyle=":", zorder=0)
        ax.text(value, place, f"{name} {short_number(value)}", ha="center", va="bottom" if place > 0 else "top",
                fontsize="small", color=GREY, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
    ax.set_yticks(at, labels, **PLAIN)
    ax.set_ylim(-1.1, len(change) + 0.1)
    ax.use_sticky_edges = False
    ax.margins(x=0.12)
    quiet_axes(ax)
    ax.tick_params(axis="y", length=0)
