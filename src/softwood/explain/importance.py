"""`importance`: the importance of the inputs on given rows, by three measures.

    permutation   increase of the loss when the input is permuted, averaged over all other rows (Breiman 2001)
    ablation      increase of the loss when the input is fixed at its mean, or a category at its most common level
    gain          the input's share of the impurity reduction of gates and linear responses (tree/gain.py)

The first is the expectation of a random permutation, computed from evenly spaced values of the input. It is not random,
so a row of weight two counts as two rows. Its interval reflects the sampling of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs
from softwood.explain.frames import as_frame
from softwood.explain.ranges import used_inputs
from softwood.explain.rows import open_model, read_rows, some_rows
from softwood.measures import brier_losses, log_losses
from softwood.tree import Tree
from softwood.tree.gain import Arrivals, Sample
from softwood.tree.labels import plain_label

AT_ONCE = 2**17  # rows that are predicted together


def importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    measure: str | None = None,
    level: float = 0.95,
    n_values: int = 20,
) -> Any:
    """Compute the importance of every input on rows with actual values, preferably held-out rows.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one.
    X, y : rows, as for `predict`, and their actual values.
    sample_weight : weights of the rows; a row of weight two counts as two rows.
    measure : for classes "error" (mean cost, if the model has costs), "brier" or "log loss"; for regression "squared
        error" or "absolute error". None: "error" or "squared error".
    level : confidence level of the interval, between 0 and 1.
    n_values : maximum number of values of an input to substitute in each row.

    Returns
    -------
    A pandas DataFrame (a dict of arrays if pandas is not installed) with one row per input, the most important first:
    `input`; `permutation`, with `low` and `high`; `ablation`; all in units of the measure; `gain`, which sums to 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier
    >>> iris = load_iris(as_frame=True)
    >>> table = importance(CARTClassifier(random_state=0).fit(iris.data, iris.target), iris.data, iris.target)
    >>> table.columns.tolist()
    ['input', 'permutation', 'low', 'high', 'ablation', 'gain']
    >>> table["input"][0]
    'petal length (cm)'
    """
    tree = open_model(model, "importance")
    rows = some_rows(read_rows(model, X), "X")
    weight = _weights(sample_weight, len(rows))
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, got {level!r}.")
    if not isinstance(n_values, int | np.integer) or n_values < 2:
        raise ValueError(f"n_values must be an integer of at least 2, got {n_values!r}.")
    target, loss = _losses(tree, y, len(rows), measure)
    here, now = loss(tree.predict(rows), np.arange(len(rows))), np.zeros((tree.n_features, 4))
    width = NormalDist().inv_cdf(0.5 + level / 2.0)
    for f in used_inputs(tree):
        values, part = _spaced(rows[:, f], weight, n_values)
        rise = _tried(tree, rows, f, values, part, loss) - here
        mean, error = _mean(rise, weight)
        fixed = _tried(tree, rows, f, np.array([_middle(tree, rows[:, f], weight, f)]), np.ones(1), loss) - here
        now[f] = mean, mean - width * error, mean + width * error, _mean(fixed, weight)[0]
    gain = Arrivals(tree, Sample(rows, target, weight)).counted().importances()
    order = np.argsort(-now[:, 0], kind="stable")
    columns = dict(zip(("permutation", "low", "high", "ablation"), now[order].T, strict=True))
    return as_frame({"input": [tree.schema.features[f] for f in order], **columns, "gain": gain[order]})


def _weights(given: Any, n: int) -> Floats:
    weight = np.ones(n) if given is None else np.asarray(given, np.float64)
    if weight.shape != (n,) or not np.isfinite(weight).all() or weight.min(initial=0.0) < 0 or not weight.any():
        raise ValueError(
            f"sample_weight must be {n} finite numbers, one for each row, none below 0 and not all 0, got shape "
            f"{weight.shape}."
        )
    return weight


Loss = Callable[[Floats, npt.NDArray[np.intp]], Floats]


def _losses(tree: Tree, y: Any, n: int, measure: str | None) -> tuple[Floats, Loss]:
    """The target in the form for gains, and the loss of every prediction for given rows."""
    classes = tree.schema.task == "classification"
    known = ("error", "brier", "log loss") if classes else ("squared error", "absolute error")
    measure = known[0] if measure is None else measure
    if measure not in known:
        raise ValueError(f"measure must be one of {', '.join(map(repr, known))}, got {measure!r}.")
    if not classes:
        numbers = _numbers(tree, y, n)
        if measure == "squared error":
            return numbers, lambda said, at: np.square(said - numbers[at]).mean(axis=1)
        return numbers, lambda said, at: np.abs(said - numbers[at]).mean(axis=1)
    codes, k = _codes(tree, y, n), len(tree.schema.answers)
    table = np.eye(k)[codes]
    target = table[:, 1:] if k == 2 else table
    if measure == "brier":
        return target, lambda said, at: brier_losses(codes[at], said)
    if measure == "log loss":
        return target, lambda said, at: log_losses(codes[at], said)
    costs = 1.0 - np.eye(k) if tree.schema.costs is None else np.array(tree.schema.costs)
    return target, lambda said, at: costs[codes[at], tree.schema.decide(said)]


def _numbers(tree: Tree, y: Any, n: int) -> Floats:
    numbers = np.asarray(y, np.float64)
    numbers = numbers[:, None] if numbers.ndim == 1 else numbers
    if numbers.shape != (n, tree.n_outputs) or not np.isfinite(numbers).all():
        raise ValueError(
            f"y must be finite numbers of shape ({n}, {tree.n_outputs}), one line per row, got {numbers.shape}."
        )
    return numbers


def _codes(tree: Tree, y: Any, n: int) -> Longs:
    labels = [plain_label(label) for label in np.asarray(y, object).ravel().tolist()]
    if len(labels) != n:
        raise ValueError(f"y must have a value for each of {n} rows, got {len(labels)}.")
    places = {answer: at for at, answer in enumerate(tree.schema.answers)}
    strange = [label for label in labels if label not in places]
    if strange:
        known = ", ".join(map(repr, tree.schema.answers[:10]))
        raise ValueError(f"y has {strange[0]!r:.80}, which is not a class of the model; the classes are {known}.")
    return np.array([places[label] for label in labels], np.int64)


def _spaced(values: Floats, weight: Floats, n_values: int) -> tuple[Floats, Floats]:
    """Values of an input with their proportions of the weight: all distinct ones, or this number of evenly spaced
    ones.
    """
    there = weight > 0
    values, weight = values[there] + 0.0, weight[there]
    distinct, where = np.unique(values, return_inverse=True)  # missing is one value, the last
    total = np.bincount(where.ravel(), weight, len(distinct))
    if len(distinct) <= n_values:
        return distinct, total / total.sum()
    below = np.cumsum(total)
    at = np.searchsorted(below, (np.arange(n_values) + 0.5) / n_values * below[-1])
    return distinct[at], np.full(n_values, 1.0 / n_values)


def _middle(tree: Tree, values: Floats, weight: Floats, feature: int) -> float:
    """The mean; for a category the most common level; missing if the input is always missing."""
    known = ~np.isnan(values) & (weight > 0)
    if not known.any():
        return float("nan")
    if tree.schema.n_levels(feature):
        return float(np.argmax(np.bincount(values[known].astype(np.int64), weight[known])))
    return float(np.average(values[known], weights=weight[known]))


def _tried(tree: Tree, rows: Floats, feature: int, values: Floats, part: Floats, loss: Loss) -> Floats:
    """Mean loss of every row over values of one input."""
    found = np.zeros(len(rows))
    for at in range(0, len(rows), AT_ONCE):
        some = np.arange(at, min(at + AT_ONCE, len(rows)))
        moved = rows[some]
        for value, share in zip(values, part, strict=True):
            moved[:, feature] = value
            found[some] += share * loss(tree.predict(moved), some)
    return found


def _mean(values: Floats, weight: Floats) -> tuple[float, float]:
    """Weighted mean and its standard error, with weights as counts of rows; NaN for one row or less."""
    total = float(weight.sum())
    mean = float(values @ weight) / total
    spread = float(np.square(values - mean) @ weight)
    return mean, float(np.sqrt(spread / total / (total - 1.0))) if total > 1.0 else float("nan")
