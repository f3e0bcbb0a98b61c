"""The learned attributes of every estimator, by name and type, and their consistency checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.formulas.equation import count_answers
from softwood.kernels.kinds import Loss
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.scaling import FixedScale
from softwood.learners.budding.stream import Stream
from softwood.learners.conformal.intervals import ClassSets, Intervals
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.learners.soft.warm_start import WarmStart
from softwood.persistence.history import History
from softwood.persistence.state_checks import require, require_feature, require_shape
from softwood.persistence.stored import Labels
from softwood.tree import RuleSet, Tree
from softwood.tree.labels import plain_labels
from softwood.tree.subtree import split_trees


class Fitted:
    """The type of an attribute that is a fitted estimator."""


# By class name; an estimator has those of all its base classes.
LEARNED: dict[str, dict[str, Any]] = {
    "TreeEstimator": {"n_features_in_": int, "feature_names_in_": Labels},
    "SetPrediction": {"_conformal": ClassSets | None},
    "IntervalPrediction": {"_conformal": Intervals | None},
    "Probabilities": {"classes_": Labels},
    "Numbers": {"_one_target": bool},
    "PrunedTree": {"pruning_sequence_": PruningSequence, "_pruning_table": PruningTable | None},
    "ObliqueTree": {"_spread": Floats},
    "OmnivariateTree": {"_is_soft": bool, "_importance": Floats},
    "C45Classifier": {"rules_": RuleSet},
    "SoftTree": {
        "_importance": Floats, "_gain_importance": Floats, "_hardened": Tree, "_grown": WarmStart | None,
        "_held_out_loss": float, "history_": History, "weight_penalty_": float, "n_iter_": int,
    },
    "SoftForest": {"oob_score_": float, "oob_curve_": Floats, "_loss_by_tree": Floats},
    "BuddingTree": {
        "_stream": Stream, "_params": BuddingParams | None, "history_": History, "weight_penalty_": float,
        "leafness_penalty_": float, "learning_rate_": float, "n_iter_": int,
    },
    "MixtureOfExperts": {"_importance": Floats, "log_likelihood_": Floats, "n_iter_": int},
    "SoftenedTree": {"hard_tree_": Tree},
    "Softened": {"estimator_": Fitted},
}  # fmt: skip
MAY_LACK = {"feature_names_in_", "rules_", "classes_", "_conformal"}
MAY_LACK_IN = {("OmnivariateTree", "_importance"), ("BuddingTree", "weight_penalty_")}


def learned_by(kind: type) -> dict[str, Any]:
    """Names and types of the learned attributes of this class."""
    bases = [base.__name__ for base in reversed(kind.__mro__)]
    return {name: what for base in bases for name, what in LEARNED.get(base, {}).items()}


def may_lack(kind: type, name: str) -> bool:
    """Whether the attribute is optional for this class."""
    bases = {base.__name__ for base in kind.__mro__}
    return name in MAY_LACK or any((base, name) in MAY_LACK_IN for base in bases)


def check_fitted(kind: type, tree: Tree, learned: dict[str, Any]) -> None:
    """A ValueError if the parts of a fitted estimator are inconsistent."""
    n, schema = tree.n_features, tree.schema
    require(learned["n_features_in_"] == n, f"n_features_in_ must be {n}, got {learned['n_features_in_']}.")
    names = learned.get("feature_names_in_", np.array(schema.features, object))
    require(
        all(isinstance(name, str) for name in names.tolist()) and len(names) == n, f"there must be {n} feature names."
    )
    task = "regression" if kind.__name__.endswith("Regressor") else "classification"
    require(schema.task == task, f"a {kind.__name__} needs a tree for {task}, got {schema.task}.")
    if task == "classification":
        require("classes_" in learned, "a classifier needs classes_.")
        same = plain_labels(learned["classes_"].tolist()) == schema.answers
        require(same, "classes_ must be the answers of the tree.")
    require(not learned.get("_one_target") or tree.n_outputs == 1, "one target is one output.")
    for name in ("_importance", "_gain_importance"):
        if name in learned:
            require_shape(name, learned[name], (n,))
    for other in _other_trees(learned):
        require(other.schema.same_columns_and_answers(schema), "all trees must have the same columns and answers.")
    if isinstance(learned.get("_conformal"), Intervals):
        _check_intervals(tree, learned["_conformal"])
    _check_oblique(tree, learned)
    _check_grown(tree, learned.get("_grown"))
    if "oob_curve_" in learned:
        _check_forest(tree, learned)
    if "_stream" in learned:
        _check_stream(tree, learned["_stream"], learned["_params"])


def _other_trees(learned: dict[str, Any]) -> list[Any]:
    trees = [learned[name] for name in ("_hardened", "hard_tree_") if name in learned]
    trees += [learned["pruning_sequence_"].tree] if "pruning_sequence_" in learned else []
    trees += [learned["estimator_"].tree_] if "estimator_" in learned else []
    return trees + ([learned["rules_"]] if "rules_" in learned else [])  # rules have a schema too


def _check_forest(tree: Tree, learned: dict[str, Any]) -> None:
    n = len(split_trees(tree))
    for name in ("oob_curve_", "_loss_by_tree"):  # NaN if no tree left out any row
        require(learned[name].shape == (n,), f"{name} must have one number per tree, {n}.")
        require(not np.isinf(learned[name]).any(), f"{name} must be finite, or NaN where no row was out of bag.")
    require(len(split_trees(learned["_hardened"])) == n, f"the hardened forest must have {n} trees.")


def _check_intervals(tree: Tree, intervals: Intervals) -> None:
    require(len(intervals.targets) == tree.n_outputs, f"intervals must be for {tree.n_outputs} targets.")
    for one in intervals.targets:
        inner = one.spread.tree
        same = inner is None or (inner.n_features == tree.n_features + 1 and inner.n_outputs == 1)
        require(same, "a spread must have the inputs of the tree and its answer.")


def _check_oblique(tree: Tree, learned: dict[str, Any]) -> None:
    if learned.get("_is_soft"):
        require("_importance" in learned, "a softened tree needs its importances.")
    elif "_spread" in learned:
        require_shape("_spread", learned["_spread"], (len(tree.basis),))


def _check_grown(tree: Tree, grown: WarmStart | None) -> None:
    if grown is not None:
        require_feature("columns", grown.design.feature, tree.n_features)
        require_feature("columns", grown.design.basis.feature, tree.n_features)
        outputs = count_answers(int(grown.tree.leaf_link), grown.tree.response.shape[1])
        require(outputs == tree.n_outputs, f"the state to continue from must have {tree.n_outputs} outputs.")


def _check_stream(tree: Tree, stream: Stream, params: BuddingParams | None) -> None:
    n, state = tree.n_features, stream.state
    require(state.outputs == tree.n_outputs, f"the stream must have {tree.n_outputs} outputs, got {state.outputs}.")
    if isinstance(stream.inputs, FixedScale):
        require_feature("columns", stream.inputs.fixed.feature, n)
        require_feature("columns", stream.inputs.fixed.basis.feature, n)
    else:
        levels = tree.schema.level_counts.tolist()
        require(list(stream.inputs.n_levels) == levels, f"levels of the stream must be {levels!r:.80}.")
    loss = stream.options.loss
    if tree.schema.task == "classification":
        wanted = Loss.LOGISTIC if len(tree.schema.answers) == 2 else Loss.SOFTMAX  # a single class also has one output
        require(loss == wanted, f"the loss of the stream must be {wanted.kind.name}.")
    else:
        fits = not loss.is_classes and not loss.mixes_answers and loss.link == tree.link
        require(fits, f"the loss of the stream must be of numbers behind the link {tree.link.name}.")
    require(stream.targets is None or loss == Loss.SQUARED, "classes are not scaled.")
    if len(stream.recent.X):
        require(stream.recent.X.shape[1] == n, f"recent rows must have {n} inputs.")
    if params is not None:
        same = params.columns == state.columns and params.outputs == state.outputs
        require(same, "the budding tree must have the columns and outputs of the stream.")
