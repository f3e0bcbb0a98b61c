"""`explain`: the contribution of each input to a row's output, as interventional Shapley values."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.explanation import Explanation
from softwood.explain.rows import (
    Background,
    choose,
    find_intervals,
    make_background,
    open_model,
    read_rows,
    some_rows,
)
from softwood.explain.shapley import Sampling, make_plan, shapley_values, take_apart
from softwood.tree import Tree

MOST_THREADS = 2**31 - 1  # upper limit of the kernels; idle threads are not started
METHODS = ("auto", "exact", "sampling")


def explain(
    model: Any,
    X: Any,
    background: Any = None,
    *,
    background_weight: Any = None,
    method: str = "auto",
    n_background: int = 100,
    n_pairs: int = 2,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    """Compute the contribution of every input to the output of every row.

    Contributions of a row add up to its output minus the mean output over the background rows, in units of the output
    before the link: log odds or scores of classes, probabilities of hard classification trees, numbers of regression.
    They are interventional Shapley values: inputs outside a coalition are taken from a background row.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one. For a pipeline the inputs of the
        estimator are explained, after the earlier steps.
    X : rows to explain, as `predict` takes them.
    background : rows to compare with, as `predict` takes them; training rows are a good choice. None: the rows X
        themselves, so contributions are relative to the other rows.
    background_weight : weights of the background rows; None: equal. A row of weight two counts as two rows.
    method : "exact"; "sampling": orders of the inputs are sampled, and contributions have standard errors and still add
        up exactly; "auto": exact if all gates on the path to a node use one input each, or up to 8 inputs together.
    n_background : maximum number of background rows, drawn by weight, if time grows with their number (if each gate
        uses one input, all rows are used).
    n_pairs : for sampling: orders per background row, each with its reverse; at least 2.
    random_state : seed of sampling and of the draw of background rows, an integer.
    n_jobs : number of threads; None: one, -1: one per processor. Results do not depend on it.

    Returns
    -------
    Explanation
        `contributions` (rows, inputs, outputs), `base`, `output`, `standard_error`; `reasons(row)`, `paths(row)` and
        `to_text(row)` read them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, explain
    >>> iris = load_iris(as_frame=True)
    >>> model = CARTClassifier(random_state=0).fit(iris.data, iris.target_names[iris.target])
    >>> why = explain(model, iris.data)
    >>> why
    Explanation(150 rows, 4 inputs, probability of setosa, probability of versicolor, probability of virginica; exact, \
against 149 background rows)
    >>> [reason.text for reason in why.reasons(0, "virginica", side="against")]
    ['petal length (cm) = 1.4', 'petal width (cm) = 0.2']
    """
    _check(method, n_background, n_pairs, random_state)
    tree = open_model(model, "explain")
    rows = some_rows(read_rows(model, X), "X")
    if background is None and len(rows) == 1:
        raise ValueError(
            "one row alone has no background to compare with; pass background=, for example the training rows."
        )
    against = rows if background is None else some_rows(read_rows(model, background, "background"), "background")
    compared = make_background(against, background_weight)
    sampling = Sampling(n_pairs, random_state, _threads(n_jobs))
    found = _explain(tree, rows, compared, method, n_background, sampling)
    return replace(found, interval=find_intervals(model, rows, tree))


def _explain(
    tree: Tree, rows: Floats, compared: Background, method: str, n_background: int, sampling: Sampling
) -> Explanation:
    n_distinct = len(compared.rows)
    apart, steps = take_apart(tree, np.concatenate([rows, compared.rows]), method)
    plan = make_plan(apart, steps, method)
    if plan.compares_pairs and len(compared.rows) > n_background:
        compared = choose(compared, n_background, sampling.seed)
        apart, steps = take_apart(tree, np.concatenate([rows, compared.rows]), method)
        plan = make_plan(apart, steps, method)
    values = shapley_values(apart, plan, len(rows), compared.weight, sampling)
    return Explanation(
        tree,
        rows,
        values.contributions,
        values.standard_error,
        compared.weight @ tree.output(compared.rows),
        tree.output(rows),
        "sampling" if values.sampled else "exact",
        len(compared.rows),
        n_distinct=n_distinct,
    )


def _check(method: str, n_background: int, n_pairs: int, random_state: int) -> None:
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}.")
    for name, value, least in (("n_background", n_background, 1), ("n_pairs", n_pairs, 2)):
        if not isinstance(value, int | np.integer) or value < least:
            raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}.")
    if not isinstance(random_state, int | np.integer) or random_state < 0:
        raise ValueError(f"random_state must be an integer, 0 or more, got {random_state!r}.")


def _threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int | np.integer) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs must be None, -1 or a number of threads of at least 1, got {n_jobs!r}.")
    return os.cpu_count() or 1 if n_jobs == -1 else min(int(n_jobs), MOST_THREADS)
