"""Standard errors of the responses and curves of a tree, given its gates (tree_errors.py has the formulas)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.explain.error_tables import TABLES, error_table
from softwood.explain.frames import as_frame
from softwood.explain.rows import open_model, read_rows, some_rows
from softwood.tree import Tree


def read_target(tree: Tree, y: Any) -> Floats:
    """Actual values as targets of the outputs, (rows, outputs)."""
    given = np.asarray(y)
    if tree.schema.task != "classification":
        numbers = given.astype(np.float64).reshape(len(given), -1)
        if numbers.shape[1] != tree.n_outputs:
            raise ValueError(f"y must have {tree.n_outputs} targets, as the tree has, got {numbers.shape[1]}.")
        return numbers
    place: dict[Any, int] = {label: at for at, label in enumerate(tree.schema.answers)}
    unknown = [label for label in given.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y has the label {unknown[0]!r:.60}, which is not one of the tree's classes.")
    return target_of(tree, np.array([place[label] for label in given.tolist()]))


def target_of(tree: Tree, code: npt.NDArray[Any]) -> Floats:
    """Class codes as targets of the outputs, (rows, outputs)."""
    if tree.n_outputs == 1:
        return np.asarray((code == 1).astype(np.float64)[:, None])
    return np.asarray(np.eye(tree.n_outputs)[code])


def standard_errors(model: Any, X: Any, y: Any, *, sample_weight: Any = None, by: str = "node") -> Any:
    """Compute standard errors of responses, slopes and curves of a tree, given its gates.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one.
    X, y : rows and their actual values: those of `fit`, or preferably as many new ones.
    sample_weight : weights of the rows; a row of weight two counts as two rows.
    by : "node": every leaf and bud. "input": every input of a linear response. "curve": points of its curve.

    Returns
    -------
    A pandas DataFrame (a dict of arrays if pandas is not installed). `node`, `what` (the output: log odds, score,
    probability, a number), `rows` (weight that arrives), `value`, `error`, and `low` and `high`, the ends of a 95 %
    interval; NaN if fewer than two rows arrive.

    - by="node": the `value` is what the node adds before the link; for a linear response its mean over the training
      rows that arrive.
    - by="input": `input`, `kind`, `degrees` (effective degrees of freedom). The `value` of a "slope" is the slope, that
      of a "curve" the standard deviation of what it adds.
    - by="curve": `input`, `x` (a category's code, NaN for missing), `label` (the same as text). The `value` is the
      height of the curve above its mean; `low` and `high` are its band.

    Errors are robust (Huber, White); they ignore that gates were chosen on the rows.

    Examples
    --------
    >>> from softwood import CARTRegressor
    >>> x, y = np.arange(20.0)[:, None], np.repeat([1.0, 5.0], 10) + np.tile([-1.0, 1.0], 10)
    >>> table = standard_errors(CARTRegressor(max_depth=1, prune=None).fit(x, y), x, y)
    >>> table["error"].round(3).tolist()
    [0.333, 0.333]
    """
    if by not in TABLES:
        raise ValueError(f"by must be 'node', 'input' or 'curve', got {by!r}.")
    tree = open_model(model, "standard_errors")
    rows = some_rows(read_rows(model, X), "X")
    target = read_target(tree, y)
    weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if len(target) != len(rows) or weight.shape != (len(rows),):
        raise ValueError(f"X has {len(rows)} rows, y {len(target)}, sample_weight {weight.size}: they must agree.")
    return as_frame(error_table(tree, rows, target, weight, by))
