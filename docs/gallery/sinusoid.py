"""A sinusoid: steps of a hard tree, a curve of a soft one."""

import numpy as np
from matplotlib import pyplot

from softwood import CARTRegressor, SoftTreeRegressor
from softwood.datasets import make_sinusoid

X, y = make_sinusoid(200, noise=0.1, random_state=0)
line = np.linspace(-3, 3, 600)[:, None]
truth = np.sin(2 * line[:, 0])

figure, axes = pyplot.subplots(1, 2, figsize=(10, 3.6), sharey=True, layout="constrained")
for model, ax in zip(
    [CARTRegressor(random_state=0), SoftTreeRegressor(gate="linear", leaf="constant")], axes, strict=True
):
    answer = model.fit(X, y).predict(line)
    error = np.mean((answer - truth) ** 2)
    ax.plot(X[:, 0], y, ".", color="0.6", markersize=4, label="rows")
    ax.plot(line[:, 0], answer, color="#0072B2", linewidth=2, label="the tree")
    ax.set_title(f"{type(model).__name__}: {model.get_n_leaves()} leaves, error {error:.4f}")
axes[0].legend()
figure.savefig("sinusoid.png", dpi=90)
