"""Figure 3 of ICPR 2012: a sinusoid with noise, a hard tree of 37 nodes and a soft tree of 7, fits and trees.

Our defaults are shown for comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import CARTRegressor, SoftTreeRegressor, Tree
from softwood.datasets import make_sinusoid

HARD_LEAVES, SOFT_LEAVES = 19, 4  # 37 and 7 nodes
COLOURS = ("tab:orange", "tab:blue", "tab:green")


def fit_toy() -> list[tuple[str, Any]]:
    """The paper's two trees, of its sizes, and ours."""
    X, y = make_sinusoid()
    hard = CARTRegressor(max_leaves=HARD_LEAVES, prune=None).fit(X, y)
    soft = SoftTreeRegressor(max_leaves=SOFT_LEAVES, gate="linear", leaf="constant", weight_penalty=1e-4).fit(X, y)
    return [("hard", hard), ("soft, linear gates", soft), ("soft, our defaults", SoftTreeRegressor().fit(X, y))]


def draw() -> Any:
    """Fits above, trees below."""
    from matplotlib.figure import Figure

    X, y = make_sinusoid()
    x = np.linspace(X.min(), X.max(), 500)
    figure = Figure(figsize=(10.5, 5.2))
    axes = figure.subplots(2, 3, height_ratios=[3, 2])
    for column, (name, model) in enumerate(fit_toy()):
        answer = model.predict(x[:, None])
        error = np.mean((answer - np.sin(2 * x)) ** 2)
        above, below = axes[0, column], axes[1, column]
        above.plot(X[::2, 0], y[::2], ".", color="0.7", markersize=3)  # half of them: the file is shorter
        above.plot(x, np.sin(2 * x), color="0.4", linewidth=0.8, linestyle=":")
        above.plot(x, answer, color=COLOURS[column], linewidth=1.6)
        tree = model.tree_
        above.set_title(f"{name}: {tree.n_nodes} nodes ({tree.n_leaves} leaves)\nsquared error to sin 2x {error:.4f}")
        above.set_xlabel("x")
        draw_tree(below, tree, COLOURS[column])
    axes[0, 0].set_ylabel("y")
    figure.tight_layout()
    return figure


def draw_tree(axes: Any, tree: Tree, colour: str) -> None:
    """Nodes and lines; leaves are squares, a bud is the paler the more of a leaf it is."""
    place = layout(tree)
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        axes.plot(*zip(place[parent], place[node], strict=True), color="0.6", linewidth=0.8, zorder=1)
    leaf = tree.n_children == 0
    axes.scatter(*place[~leaf].T, s=26, facecolor="white", edgecolor=colour, linewidth=0.8, zorder=2)
    axes.scatter(*place[~leaf].T, s=26, color=colour, alpha=1.0 - tree.leafness[~leaf], zorder=3)
    axes.scatter(*place[leaf].T, s=26, marker="s", facecolor="white", edgecolor=colour, zorder=2)
    axes.set_axis_off()


def layout(tree: Tree) -> npt.NDArray[np.float64]:
    """Place (across, up) of every node: leaves side by side, a branch over the middle of its children."""
    place = np.zeros((tree.n_nodes, 2))
    left = iter(range(tree.n_nodes))

    def put(node: int, depth: int) -> float:
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        across = [put(child, depth + 1) for child in range(first, first + n)]
        place[node] = (np.mean(across) if across else next(left), -depth)
        return float(place[node, 0])

    put(0, 0)
    return place
