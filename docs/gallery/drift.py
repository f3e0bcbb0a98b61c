"""A stream whose rule is reversed half-way: a budding tree keeps learning, a tree fitted once does not."""

import numpy as np
from matplotlib import pyplot

from softwood import BuddingTreeRegressor, CARTRegressor

rng = np.random.default_rng(0)
online, once, errors = BuddingTreeRegressor(learner="online", random_state=0), CARTRegressor(random_state=0), []
for chunk in range(120):
    X = rng.uniform(-3, 3, (100, 1))
    y = (1 if chunk < 60 else -1) * np.sin(2 * X[:, 0]) + rng.normal(0, 0.1, 100)
    if chunk == 0:
        once.fit(X, y)
    else:  # answer first, then learn: every error is of rows never seen
        errors.append([np.mean((model.predict(X) - y) ** 2) for model in (online, once)])
    online.partial_fit(X, y)

figure, ax = pyplot.subplots(figsize=(8, 3.4), layout="constrained")
ax.semilogy(np.arange(1, 120), errors, label=["budding tree, goes on", "CART, fitted once"])
ax.axvline(60, color="0.5", linestyle=":")
ax.set(xlabel="chunks of 100 rows; the rule turns at the dotted line", ylabel="mean squared error")
ax.legend()
figure.savefig("drift.png", dpi=90)
