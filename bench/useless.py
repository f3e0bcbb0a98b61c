"""Useless inputs: the loss of a tree if most inputs are useless, against a forest, LightGBM and CART.

    python -m bench.useless                              (make useless)

Data are made, not read: Friedman 1 (1991), the clusters of scikit-learn's `make_classification` (after Guyon, 2003),
and steps, which suit hard trees.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import make_classification, make_friedman1

from bench.contest import Case, Rows, hold

HEAD = """# Useless inputs

`make useless` runs it; the runs are in `bench/results/useless.json`. Only some inputs of these tables are
informative; all are random. Two thirds of the rows are for training; figures are means of three draws. Errors are
proportions of the target's variance, or of the rows. All models use their defaults and one thread. LightGBM takes the
better of 7 and 31 leaves and stops early on a fifth of the rows; the forest has 300 trees. Bold: the lowest error.
"""


def friedman(inputs: int, seed: int) -> Rows:
    """Friedman 1: a product, a square and two lines."""
    return Rows(*make_friedman1(1500, inputs, noise=1.0, random_state=seed))


def clusters(inputs: int, seed: int) -> Rows:
    """Two classes in four clusters each, at the corners of a cube in ten dimensions."""
    how = {"n_informative": 10, "n_redundant": 0, "n_clusters_per_class": 4, "flip_y": 0.05}
    return Rows(*make_classification(3000, inputs, random_state=seed, **how))


def steps(inputs: int, seed: int) -> Rows:
    """Three steps and a line behind one of them."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(3000, inputs))
    y = 2.0 * (X[:, 0] > 0) + 3.0 * ((X[:, 1] > 0.5) & (X[:, 2] > 0)) + np.where(X[:, 3] > 1, X[:, 4], 0.0)
    return Rows(X, y + 0.3 * rng.normal(size=3000))


def _cases(said: str, draw: Callable[[int, int], Rows], classes: bool, *inputs: int) -> dict[str, Case]:
    """One table for each number of inputs."""
    return {f"{said} of {n}": Case(classes, partial(draw, n)) for n in inputs}


CASES = {
    **_cases("Friedman 1, 5", friedman, False, 5, 10, 30, 100, 300),
    **_cases("clusters, 10", clusters, True, 10, 20, 50, 100),
    **_cases("steps, 5", steps, False, 5, 20, 50),
}


if __name__ == "__main__":
    hold("useless", CASES, "useful of all inputs", HEAD)
