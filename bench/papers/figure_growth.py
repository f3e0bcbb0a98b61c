"""The poster's figure: a budding tree on the sinusoid as it grows."""

from __future__ import annotations

from typing import Any

import numpy as np

import softwood
from bench.papers.figure_toy import draw_tree
from softwood.datasets import make_sinusoid

EPOCHS = (1, 5, 20, 100)


def draw() -> Any:
    """Fits after more and more epochs above, the trees below."""
    from matplotlib.figure import Figure

    X, y = make_sinusoid()
    figure = Figure(figsize=(11, 4.6))
    axes = figure.subplots(2, len(EPOCHS), height_ratios=[3, 2], sharey="row")
    for column, epochs in enumerate(EPOCHS):
        kind = getattr(softwood, "BuddingTreeRegressor")  # noqa: B009  # mypy must not ask before it is there
        model = kind(learner="online", max_epochs=epochs, random_state=0).fit(X, y)
        above, below = axes[0, column], axes[1, column]
        above.plot(X[:, 0], y, ".", color="0.7", markersize=3)
        above.plot(X[:, 0], model.predict(X), color="tab:green", linewidth=1.6)
        error = np.mean((model.predict(X) - np.sin(2 * X[:, 0])) ** 2)
        above.set_title(f"{epochs} epochs: {model.tree_.n_nodes} nodes, {error:.4f}")
        draw_tree(below, model.tree_, "tab:green")
    figure.tight_layout()
    return figure
