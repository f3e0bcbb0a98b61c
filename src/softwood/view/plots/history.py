"""The history of a fit: the candidates of the search, or the epochs.

soft, budding by the joint learner    a line per candidate: its held-out loss, the best marked
budding online                        loss and effective size over the epochs
mixtures                              log likelihood over the steps of EM
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.formats.models import look_inside
from softwood.tree.spelling import spell_number
from softwood.view.plots.canvas import import_matplotlib, name_axes, quiet_axes, take_axes
from softwood.view.plots.colours import ACCENT, GREY, INK, PALE, SECOND
from softwood.view.plots.pen import text_width

MOST_TICKS = 4
MOST_CANDIDATES = 24
LOG_SCALE_MIN_RATIO = 20.0  # ratio of the largest to the smallest loss above which the scale is logarithmic


def plot_history(model: Any, *, ax: Any = None) -> Any:
    """Draw the history of a fit.

    Parameters
    ----------
    model : a fitted soft or budding tree, or a mixture of experts; or a pipeline or search that ends in one.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import SoftTreeClassifier, plot_history
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=2).fit(X, y)
    >>> ax = plot_history(model)
    """
    import_matplotlib("plot_history")
    inside = look_inside(model, wanted_by="plot_history").model
    history = getattr(inside, "history_", None)
    climbed = getattr(inside, "log_likelihood_", None)
    if not history and climbed is None:
        raise ValueError(
            f"plot_history needs a model with a history_ that is not empty, got {type(inside).__name__}; soft "
            f"and budding trees have one; plot_pruning shows the pruning sequence of CART."
        )
    if not history:
        return _draw_climb(take_axes(ax, 5.0, 3.0, "plot_history"), np.asarray(climbed))
    if "epoch" in history[0]:
        return _draw_epochs(take_axes(ax, 5.5, 3.4, "plot_history"), history)
    shown = sorted(history, key=lambda line: float(line["loss"]))[:MOST_CANDIDATES]
    names = max(text_width(_candidate(line), 8.5) for line in shown)  # inches beside the lines
    ax = take_axes(ax, names + 4.0, 1.0 + 0.3 * len(shown), "plot_history")
    return _draw_candidates(ax, shown, len(history))


def _draw_climb(ax: Any, likelihood: Any) -> Any:
    ax.plot(np.arange(1, len(likelihood) + 1), likelihood, ".-", color=ACCENT)
    quiet_axes(ax)
    name_axes(ax, "step of EM", "log likelihood")
    return ax


def _draw_epochs(ax: Any, history: list[dict[str, Any]]) -> Any:
    at = np.arange(1, len(history) + 1)
    lines = {"loss": (GREY, "training rows"), "held_out_loss": (ACCENT, "held-out rows")}
    for key, (colour, name) in lines.items():
        values = np.array([line.get(key, np.nan) for line in history], np.float64)
        if np.isfinite(values).any():
            ax.plot(at, values, color=colour, linewidth=1.6, label=name)
    loss = np.array([line["loss"] for line in history])
    if loss.min() > 0 and loss.max() > LOG_SCALE_MIN_RATIO * loss.min():
        ax.set_yscale("log")
    quiet_axes(ax)
    name_axes(ax, "epoch", "loss")
    sizes = np.array([line.get("effective_size", np.nan) for line in history], np.float64)
    handles, names = ax.get_legend_handles_labels()
    if np.isfinite(sizes).any():
        right = ax.twinx()
        handles += right.plot(at, sizes, color=SECOND, linewidth=1.2, linestyle="--")
        names.append("effective size (right)")
        right.set_ylabel("effective size")
        right.set_ylim(bottom=0)
        right.spines[["top", "left"]].set_visible(False)
    _mark_restarts(ax, history, at)
    ax.legend(handles, names, frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax


def _mark_restarts(ax: Any, history: list[dict[str, Any]], at: Any) -> None:
    """Where the epochs restart: another candidate of the search."""
    epoch = np.array([line["epoch"] for line in history])
    for begin in at[1:][np.diff(epoch) <= 0]:
        ax.axvline(begin - 0.5, color=PALE, linewidth=0.8, zorder=0)


def _draw_candidates(ax: Any, shown: list[dict[str, Any]], total: int) -> Any:
    loss = np.array([float(line["loss"]) for line in shown])
    at = np.arange(len(shown))[::-1]
    ax.hlines(at, loss.min(), loss, color=PALE, linewidth=1.5, zorder=1)
    ax.plot(loss[1:], at[1:], "o", color=ACCENT, markersize=6, zorder=2)
    ax.plot(loss[:1], at[:1], "o", color=SECOND, markersize=9, zorder=3)
    ax.set_yticks(at, [_candidate(line) for line in shown], fontsize=8.5)
    ax.margins(x=0.12)
    ax.set_ylim(-0.6, len(shown) - 0.4)
    for place, value, line in zip(at, loss, shown, strict=True):
        if "n_nodes" in line:
            nodes = float(line["n_nodes"])
            text = f"{nodes:.0f} node{'' if nodes == 1 else 's'}" if nodes == round(nodes) else f"{nodes:.1f} nodes"
            ax.annotate(text, (value, place), (7, 0), textcoords="offset points", va="center", fontsize=8.0,
                        color=INK)  # fmt: skip
    quiet_axes(ax)
    ax.tick_params(axis="y", length=0, labelsize=8.5)
    ax.locator_params(axis="x", nbins=MOST_TICKS)  # losses may have many digits, which must not touch
    more = "" if total == len(shown) else f" (the best {len(shown)} of {total} candidates)"
    name_axes(ax, f"held-out loss{more}")
    return ax


def _candidate(line: dict[str, Any]) -> str:
    """`additive gates, linear leaves, 30 inputs, weight penalty 0.0044`."""
    parts = [f"{line['gate']} gates"] if "gate" in line else []
    parts += [f"{line['leaf']} leaves"] if "leaf" in line else []
    parts += [f"{int(line['n_inputs'])} inputs"] if "n_inputs" in line else []
    parts += [f"{name.replace('_', ' ')} {spell_number(float(line[name]), 2)}"
              for name in ("leafness_penalty", "weight_penalty") if name in line]  # fmt: skip
    parts += ["inputs held back"] if line.get("leans") else []
    return ", ".join(parts)
