"""The poster's figure: one budding tree on the sinusoid, row by row, as it grows: fits above, trees below."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.papers.figure_toy import draw_tree
from softwood import BuddingTreeRegressor
from softwood.datasets import make_sinusoid

EPOCHS = (1, 20, 50, 200)  # that are shown
PENALTY = 0.02  # on leafness: small enough to bud, large enough for a readable tree


def draw() -> Any:
    """Learn online, with a snapshot at each stop."""
    from matplotlib.figure import Figure

    X, y = make_sinusoid()
    rng = np.random.default_rng(0)
    model = BuddingTreeRegressor(leafness_penalty=PENALTY, random_state=0)
    figure = Figure(figsize=(11, 4.4))
    axes = figure.subplots(2, len(EPOCHS), height_ratios=[3, 2], sharey="row")
    for epoch in range(1, max(EPOCHS) + 1):
        order = rng.permutation(len(y))
        model.partial_fit(X[order], y[order])
        if epoch in EPOCHS:
            above, below = axes[:, EPOCHS.index(epoch)]
            answer = model.predict(X)
            above.plot(X[:, 0], y, ".", color="0.7", markersize=3)
            above.plot(X[:, 0], answer, color="tab:green", linewidth=1.6)
            error = np.mean((answer - np.sin(2 * X[:, 0])) ** 2)
            times = "epoch" if epoch == 1 else "epochs"
            above.set_title(f"{epoch} {times}: {model.tree_.n_nodes} nodes\nsquared error to sin 2x {error:.3f}")
            draw_tree(below, model.tree_, "tab:green")
    figure.tight_layout()
    return figure
