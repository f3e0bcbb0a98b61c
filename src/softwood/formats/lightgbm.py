"""One tree of a LightGBM model as a `Tree`, which gives its part of the raw score."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from softwood.kernels.kinds import Score
from softwood.release import __version__
from softwood.tree import Provenance, Schema, Tree


def from_lightgbm(model: Any, tree: int = 0) -> Tree:
    """Tree number `tree` of a Booster or a fitted LGBMClassifier, LGBMRegressor or LGBMRanker.

    It predicts the raw score of this tree alone: if an iteration has one tree, that of `predict(X, raw_score=True,
    start_iteration=tree, num_iteration=1)`. Category splits and zero_as_missing are refused.

    Parameters
    ----------
    model : the LightGBM model.
    tree : index of the tree, from 0; for several classes one iteration has one tree per class.

    Examples
    --------
    >>> from lightgbm import LGBMRegressor
    >>> from softwood.datasets import make_friedman
    >>> X, y = make_friedman(200)
    >>> from_lightgbm(LGBMRegressor(num_leaves=4, verbose=-1, n_jobs=1).fit(X, y), 3).n_leaves
    4
    """
    booster = getattr(model, "booster_", model)
    if not hasattr(booster, "dump_model"):
        raise TypeError(f"from_lightgbm needs a Booster or a fitted LightGBM estimator, got {type(model).__name__}.")
    dump = booster.dump_model()
    trees = dump["tree_info"]
    if not 0 <= tree < len(trees):
        raise ValueError(f"tree must be 0..{len(trees) - 1}, got {tree}.")
    rows: list[dict[str, Any]] = []
    queue = deque([trees[tree]["tree_structure"]])
    while queue:  # level by level, so siblings stand side by side
        node = queue.popleft()
        row = _read_node(node)
        if "split_feature" in node:
            row |= {"first_child": len(rows) + len(queue) + 1, "n_children": 2}
            queue += [node["left_child"], node["right_child"]]
        rows.append(row)
    names = tuple(map(str, dump["feature_names"]))
    schema = Schema(names, (None,) * len(names), ("raw_score",))
    fields: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0] if name != "response"}
    origin = Provenance(type(model).__name__, {"tree": tree}, __version__).then("from_lightgbm")
    return Tree(response=np.array([[row["response"]] for row in rows]), schema=schema, provenance=origin, **fields)


def _read_node(node: dict[str, Any]) -> dict[str, Any]:
    """One node as fields of a `Tree`."""
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
