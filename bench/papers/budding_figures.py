"""Figures of docs/budding.md: a budding tree over epochs (as on the poster), and a stream with drift.

python -m bench.papers.budding_figures [FOLDER]     (needs matplotlib)
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np

from softwood import BuddingTreeRegressor

EPOCHS = (1, 3, 10, 30, 100, 300)
HOW: dict[str, Any] = {"learner": "online", "leafness_penalty": 3e-4, "learning_rate": 0.3}


def draw_growth(folder: pathlib.Path) -> None:
    """The fit and the size after some epochs on a sinusoid."""
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(0)
    x = rng.uniform(-3.14, 3.14, (300, 1))
    y = np.sin(2 * x[:, 0]) + 0.1 * rng.normal(size=300)
    grid = np.linspace(-3.14, 3.14, 400)[:, None]
    figure, axes = plt.subplots(2, 3, figsize=(9, 5), sharex=True, sharey=True, layout="constrained")
    for axis, epochs in zip(axes.flat, EPOCHS, strict=True):
        model = BuddingTreeRegressor(max_epochs=epochs, **HOW).fit(x, y)
        axis.plot(x[:, 0], y, ".", color="0.8", markersize=3)
        axis.plot(grid[:, 0], model.predict(grid), color="tab:green")
        axis.set_title(f"epoch {epochs}: {model.n_nodes_} nodes, effective {model.effective_size_:.1f}", fontsize=9)
    figure.savefig(folder / "budding_growth.png", dpi=110)
    plt.close(figure)


def draw_drift(folder: pathlib.Path) -> None:
    """Error and size of a stream whose phase turns halfway."""
    import matplotlib.pyplot as plt

    rng, chunks, size = np.random.default_rng(0), 120, 100
    model = BuddingTreeRegressor(learner="online", optimizer="adam", learning_rate=0.03)
    error, nodes = [], []
    for chunk in range(chunks):
        phase = 0.0 if chunk < chunks // 2 else np.pi
        x = rng.uniform(-3.14, 3.14, (size, 1))
        y = np.sin(x[:, 0] + phase) + 0.1 * rng.normal(size=size)
        if chunk:
            error.append(np.mean((model.predict(x) - y) ** 2))  # before the chunk is learned from
        nodes.append(model.partial_fit(x, y).effective_size_)
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 4.5), sharex=True, layout="constrained")
    top.semilogy(range(1, chunks), error, color="tab:red")
    top.axhline(0.01, color="0.7", linestyle=":")
    top.set_ylabel("squared error\nof the next chunk")
    bottom.plot(nodes, color="tab:green")
    bottom.set_ylabel("effective size")
    bottom.set_xlabel(f"chunk of {size} rows; the phase turns by half a period at {chunks // 2}")
    figure.savefig(folder / "budding_drift.png", dpi=110)
    plt.close(figure)


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs/figures")
    folder.mkdir(parents=True, exist_ok=True)
    draw_growth(folder)
    draw_drift(folder)


if __name__ == "__main__":
    main()
