"""A notebook that takes one table of two inputs through every family of trees: formula, picture, paper.

Its cells are plain text and Python; docs/notebooks/lesson.ipynb is the same notebook after it has run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROWS = '''
from matplotlib import pyplot
from sklearn.datasets import make_moons

from softwood import plot_surface

X, y = make_moons(400, noise=0.3, random_state=0)
X_test, y_test, X, y = X[240:], y[240:], X[:240], y[:240]
error = {}


def show(model):
    """Plot its surface with the training rows; note its error on the test rows."""
    name = type(model).__name__
    error[name] = 1 - (model.predict(X_test) == y_test).mean()
    ax = pyplot.subplots(figsize=(5, 3.4), layout="constrained")[1]
    plot_surface(model, X, y, answer=1, feature_names=["a", "b"], ax=ax)
    ax.set_title(f"{name}: {model.get_n_leaves()} leaves")
'''

CART = """
from softwood import CARTClassifier, to_text

cart = CARTClassifier().fit(X, y)
show(cart)
print(to_text(cart, feature_names=["a", "b"]))
"""

C45 = """
from softwood import C45Classifier

c45 = C45Classifier().fit(X, y)
show(c45)
"""

DISCRIMINANT = """
from softwood import LinearDiscriminantTreeClassifier

discriminant = LinearDiscriminantTreeClassifier().fit(X, y)
show(discriminant)
print(to_text(discriminant, feature_names=["a", "b"]))
"""

SOFT = """
from softwood import SoftTreeClassifier

soft = SoftTreeClassifier(gate="linear", leaf="constant").fit(X, y)
show(soft)
reach = soft.tree_.reach(X[:1])[0]
print("the first row reaches every leaf; its shares sum to", reach[soft.tree_.n_children == 0].sum().round(12))
"""

BUDDING = """
from softwood import BuddingTreeClassifier

budding = BuddingTreeClassifier(gate="linear", leaf="constant").fit(X, y)
show(budding)
print("leafness of the nodes:", budding.tree_.leafness.round(3))
"""

SOFTENED = """
from softwood import soften

softened = soften(cart, X, y)
show(softened)
print("the same tree, the same inputs at its gates:", (softened.tree_.feature == cart.tree_.feature).all())
"""

COMPARED = """
for name, wrong in error.items():
    print(f"{name:33} {wrong:.1%} of the test rows are misclassified")
"""

CELLS = (
    """# One table, six trees

Two inputs, two classes, 240 rows. Each section has the formula of a family of trees, its paper, and the
tree learned from these rows: the colour is the probability of class 1.

All of them are one equation. A node keeps a share of the row (its *leafness*), and its gate passes the rest on:

    output(m, x) = leafness[m] · response[m](x) + (1 − leafness[m]) · Σ_c share[m→c](x) · output(c, x)""",
    ROWS,
    """## CART: one input and one threshold at a node

    share = 1 if x[j] ≤ t, else 0        leafness = 0 at branches, 1 at leaves

The split with the largest decrease of the Gini impurity Σ p(1 − p) is chosen. The tree is grown large and pruned to the
smallest size within one standard error of the lowest cross-validated error. Surfaces have steps, parallel to the axes.

*Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984.*""",
    CART,
    """## C4.5: the gain ratio

    gain ratio = (entropy − Σ part · entropy of the part) / entropy of the parts themselves

A split is chosen by its information gain relative to its own entropy. Pruning uses the upper confidence limit of the
training error and needs no held-out rows.

*Quinlan, C4.5: Programs for Machine Learning, 1993.*""",
    C45,
    """## Discriminant trees: a weighted sum at a node

    share = 1 if w · x + w0 > 0, else 0        w = S⁻¹ (mean of one side − mean of the other)

Fisher's linear discriminant cuts in any direction. One such gate can replace several thresholds.

*Yıldız and Alpaydın, Linear discriminant trees, IJPRAI, 2005.*""",
    DISCRIMINANT,
    """## Soft trees: every row goes both ways

    share = 1 / (1 + exp(−(w · x + w0)))

The share is a number between 0 and 1. The prediction is the mean over all leaves, each weighted by the share of the row
that reaches it, so the surface is smooth, and all gates can be refined together by their gradient.

*İrsoy, Yıldız and Alpaydın, Soft decision trees, ICPR 2012.*""",
    SOFT,
    """## Budding trees: leaf and branch at once

    0 ≤ leafness[m] ≤ 1, learned        loss + penalty · Σ (1 − leafness[m])

Leafness is a parameter like the others: a node may be partly a leaf. So the tree can grow and shrink while it learns,
which is what a stream needs. If every leafness ends as 0 or 1, the tree is a soft tree.

*İrsoy, Yıldız and Alpaydın, Budding trees, ICPR 2014.*""",
    BUDDING,
    """## Softened trees: a hard tree with ramps

    share = 1 below t − a, 0 above t + b, a ramp between

CART's gates stay, and their thresholds become ramps: rows near a threshold go both ways. A ramp extends as far as the
threshold could move without raising the training error by more than one standard error.

*Quinlan, C4.5, 1993 (soft thresholds); Dvořák and Savický, Softening splits in decision trees, 2007.*""",
    SOFTENED,
    """## Side by side

One table does not say which is best. Compare the learners on your own rows, by cross-validation; if a hard tree
does as well, it is easier to read.""",
    COMPARED,
)


def lesson(path: str | Path = "lesson.ipynb") -> Path:
    """Write a notebook that learns one table of two inputs by CART, C4.5, discriminant, soft, budding and softened
    trees, each with its formula, its surface and its paper.

    Parameters
    ----------
    path : where to write it; an existing file is not replaced.

    Returns
    -------
    Path
        The notebook, for Jupyter or any other program that opens `.ipynb`. It needs matplotlib.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from softwood import lesson
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lesson(Path(folder) / "trees.ipynb").name
    'trees.ipynb'
    """
    place = Path(path)
    if place.suffix != ".ipynb":
        raise ValueError(f"path must end in .ipynb, got {str(path)!r:.200}.")
    if place.exists():
        raise FileExistsError(f"{str(place)!r:.200} exists already: choose another path, or delete it.")
    place.write_text(json.dumps(_notebook(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return place


def _notebook() -> dict[str, Any]:
    cells = [_cell(number, text.strip("\n"), number % 2 == 1) for number, text in enumerate(CELLS)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cell(number: int, text: str, is_code: bool) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": "code" if is_code else "markdown", "id": f"cell-{number}", "metadata": {}}
    if is_code:
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": text.splitlines(keepends=True)}
