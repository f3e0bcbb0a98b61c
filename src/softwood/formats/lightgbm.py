"""A LightGBM model as a `Tree`, the sum of its trees; or one of its trees, with its contribution to the raw score."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from softwood.kernels.kinds import Link, Score
from softwood.release import __version__
from softwood.tree import Provenance, Schema, Tree, add_trees, join_trees

# From raw scores to predictions, by objective. Objectives whose link a Tree does not have are refused.
LINKS = {
    **dict.fromkeys(("regression", "regression_l1", "huber", "fair", "quantile", "mape"), Link.IDENTITY),
    **dict.fromkeys(("lambdarank", "rank_xendcg", "custom"), Link.IDENTITY),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), Link.LOG),
    "binary": Link.SIGMOID,
    "multiclass": Link.SOFTMAX,
}


def from_lightgbm(model: Any, tree: int | None = None) -> Tree:
    """A Booster or a fitted LGBMClassifier, LGBMRegressor or LGBMRanker as the sum of its trees, or one of its trees.

    The whole model gives the same predictions as `predict` of the booster, up to rounding of the sum. One tree gives
    only its raw score: if an iteration has one tree, that of `predict(X, raw_score=True, start_iteration=tree,
    num_iteration=1)`. Category splits, zero_as_missing, linear trees and objectives without a link here are refused.

    Parameters
    ----------
    model : the LightGBM model.
    tree : index of one tree, from 0; for several classes one iteration has one tree per class. None: the whole model.

    Examples
    --------
    >>> from lightgbm import LGBMRegressor
    >>> from softwood.datasets import make_friedman
    >>> X, y = make_friedman(200)
    >>> model = LGBMRegressor(n_estimators=10, num_leaves=4, verbose=-1, n_jobs=1).fit(X, y)
    >>> from_lightgbm(model, 3).n_leaves, from_lightgbm(model).n_leaves
    (4, 40)
    """
    booster = getattr(model, "booster_", model)
    if not hasattr(booster, "dump_model"):
        raise TypeError(f"from_lightgbm needs a Booster or a fitted LightGBM estimator, got {type(model).__name__}.")
    dump = booster.dump_model()
    if tree is None:
        return _read_model(model, dump)
    trees = dump["tree_info"]
    if not 0 <= tree < len(trees):
        raise ValueError(f"tree must be 0..{len(trees) - 1}, got {tree}.")
    names = tuple(map(str, dump["feature_names"]))
    schema = Schema(names, (None,) * len(names), ("raw_score",))
    origin = Provenance(type(model).__name__, {"tree": tree}, __version__).then("from_lightgbm")
    return _read_tree(trees[tree], schema, Link.IDENTITY, origin)


def _read_model(model: Any, dump: Mapping[str, Any]) -> Tree:
    """The sum of all trees; of a random forest, which averages, their mean."""
    link, scale = _find_link(str(dump.get("objective") or "custom"))
    n_outputs, names = int(dump["num_tree_per_iteration"]), tuple(map(str, dump["feature_names"]))
    classes = link in (Link.SIGMOID, Link.SOFTMAX)
    n_answers = 2 if link == Link.SIGMOID else n_outputs
    if not classes and n_outputs > 1:
        objective = dump.get("objective")
        raise ValueError(f"models of {n_outputs} scores per row must be classifiers, got objective {objective!r}.")
    known = getattr(model, "classes_", None) if classes else None
    answers = tuple(range(n_answers) if known is None else known.tolist()) if classes else ("y",)
    schema = Schema(names, (None,) * len(names), answers, "classification" if classes else "regression")
    origin = Provenance(type(model).__name__, {}, __version__).then("from_lightgbm")
    trees = dump["tree_info"]
    if not trees:
        raise ValueError("the model has no trees; train it first.")
    read = [_read_tree(one, schema, link, origin, scale, at % n_outputs, n_outputs) for at, one in enumerate(trees)]
    if dump.get("average_output"):  # one mean per class, over its own trees
        read = [one.replace(response=n_outputs * one.response) for one in read]
        return join_trees(read, provenance=origin)
    return add_trees(read, provenance=origin)


def _find_link(objective: str) -> tuple[Link, float]:
    """The link of an objective as named in the model, `binary sigmoid:1`, and the factor on raw scores."""
    name, *options = objective.split()
    if name not in LINKS or "sqrt" in options:
        raise ValueError(
            f"models of objective {objective!r:.80} cannot be read whole; from_lightgbm(model, tree=0) reads the raw "
            "scores of one tree."
        )
    steepness = next((option.partition(":")[2] for option in options if option.startswith("sigmoid:")), "1")
    return LINKS[name], float(steepness) if name == "binary" else 1.0


def _read_tree(
    one: Mapping[str, Any],
    schema: Schema,
    link: Link,
    origin: Provenance,
    scale: float = 1.0,
    output: int = 0,
    n_outputs: int = 1,
) -> Tree:
    """One tree, which adds `scale` times its values to one output."""
    rows: list[dict[str, Any]] = []
    queue = deque([one["tree_structure"]])
    while queue:  # level by level, so siblings are adjacent
        node = queue.popleft()
        row = _read_node(node)
        if "split_feature" in node:
            row |= {"first_child": len(rows) + len(queue) + 1, "n_children": 2}
            queue += [node["left_child"], node["right_child"]]
        rows.append(row)
    fields: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0] if name != "response"}
    response = np.zeros((len(rows), n_outputs))
    response[:, output] = [scale * row["response"] for row in rows]
    return Tree(response=response, schema=schema, link=link, provenance=origin, **fields)


def _read_node(node: dict[str, Any]) -> dict[str, Any]:
    """One node as fields of a `Tree`."""
    if "leaf_coeff" in node:
        raise ValueError("models with linear_tree=True are not supported.")
    if "split_feature" not in node:
        leaf = {"first_child": -1, "n_children": 0, "score": Score.NONE, "feature": -1, "threshold": np.nan}
        return leaf | {
            "default": 0,
            "count": float(node.get("leaf_count", np.nan)),
            "gain": 0.0,
            "response": node["leaf_value"],
        }
    if node["decision_type"] != "<=":
        raise ValueError(f"a split on categories ({node['decision_type']!r}) cannot be read; encode them as numbers.")
    missing, threshold = node["missing_type"], float(node["threshold"])
    if missing == "Zero":
        raise ValueError("models with zero_as_missing=True are not supported.")
    # without NaN at fit, a missing value counts as 0
    left = node["default_left"] if missing == "NaN" else threshold >= 0.0
    return {
        "first_child": -1,
        "n_children": 0,
        "score": Score.THRESHOLD,
        "feature": node["split_feature"],
        "threshold": threshold,
        "default": 0 if left else 1,
        "count": float(node["internal_count"]),
        "gain": float(node["split_gain"]),
        "response": node["internal_value"],
    }
