"""scikit-learn's decision trees and forests as a `Tree`, and hard trees on numbers back as theirs.

scikit-learn rounds every cell to a float before it compares; a `Tree` compares doubles. On import a threshold becomes
the highest double that rounds to a float not above it; on export, the highest float not above it. So an imported tree
sends every row as in scikit-learn, and an exported one sends every row of floats as in softwood.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.formats.models import look_inside
from softwood.formats.program import Program, make_program
from softwood.formats.scaling import fold_scaling
from softwood.formats.tables import round_down
from softwood.kernels.kinds import Score
from softwood.release import __version__
from softwood.tree import Provenance, Schema, Tree, is_joined, join_trees
from softwood.tree.provenance import json_value


def from_sklearn(model: Any) -> Tree:
    """The tree of a fitted DecisionTreeClassifier or DecisionTreeRegressor (ExtraTree... too), or the mean of the trees
    of a fitted RandomForest... or ExtraTrees... of either kind.

    It gives the same predictions as the model, and can be printed, viewed, explained, saved, softened and exported.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    >>> bool((from_sklearn(model).predict(X) == model.predict_proba(X)).all())
    True
    """
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.utils.validation import check_is_fitted

    classifiers = (DecisionTreeClassifier, RandomForestClassifier, ExtraTreesClassifier)
    forests = (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor)
    if not isinstance(model, (DecisionTreeClassifier, DecisionTreeRegressor, *forests)):
        raise TypeError(
            f"from_sklearn needs a decision tree, a random forest or extra trees of scikit-learn, got "
            f"{type(model).__name__}."
        )
    is_forest, classes = isinstance(model, forests), isinstance(model, classifiers)
    check_is_fitted(model, "estimators_" if is_forest else "tree_")
    if classes and model.n_outputs_ > 1:
        raise ValueError(f"a Tree has the classes of one target, got a model of {model.n_outputs_} targets.")
    schema, parts = _schema(model, classes), model.estimators_ if is_forest else [model]
    origin = _provenance(model, parts[0].tree_)
    trees = [_read_tree(part.tree_, schema, classes, origin) for part in parts]
    return join_trees(trees, provenance=origin) if is_forest else trees[0]


def _read_tree(theirs: Any, schema: Schema, classes: bool, origin: Provenance) -> Tree:
    order = _levels(theirs.children_left, theirs.children_right)
    branch = theirs.children_left[order] >= 0
    value = theirs.value[order]
    response = value[:, 0, :] / value[:, 0, :].sum(axis=1, keepdims=True) if classes else value[:, :, 0]
    loss = theirs.impurity * theirs.weighted_n_node_samples
    gain = loss - loss[theirs.children_left] - loss[theirs.children_right]
    first = np.cumsum(2 * branch) - 2 * branch + 1
    return Tree(
        response=response,
        schema=schema,
        first_child=np.where(branch, first, -1),
        n_children=np.where(branch, 2, 0),
        score=np.where(branch, Score.THRESHOLD, Score.NONE),
        feature=np.where(branch, theirs.feature[order], -1),
        threshold=np.where(branch, _highest_double(theirs.threshold[order]), np.nan),
        default=np.where(branch & (theirs.missing_go_to_left[order] == 0), 1, 0),
        count=theirs.weighted_n_node_samples[order],
        impurity=theirs.impurity[order],
        gain=np.where(branch, gain[order], 0.0),
        provenance=origin,
    )


def to_sklearn(model: Any, *, drop_surrogates: bool = False) -> Any:
    """A fitted DecisionTreeClassifier or DecisionTreeRegressor with the tree of a model.

    The tree must be hard, with two-way steps on one number and constant leaves. Categories, fractional missing values,
    surrogates and costs are refused, because scikit-learn's trees do not have them.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a search over one.
    drop_surrogates : whether to drop surrogates: a missing value then goes where it would if all surrogates were
        missing, too.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> to_sklearn(CARTRegressor().fit(X, X[:, 0] > 7)).predict([[3.0], [9.0]])
    array([0., 1.])
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.tree._tree import Tree as TheirTree

    inside = look_inside(model, wanted_by="to_sklearn")
    tree = fold_scaling(inside.tree, inside.transformers, "to_sklearn")
    if is_joined(tree):
        raise ValueError(
            f"to_sklearn makes one decision tree, and this model is a mean of {tree.n_children[0]} trees; export it "
            "whole by softwood.export, or fit one tree."
        )
    program = make_program(tree, "to_sklearn")
    _refuse_more(program, drop_surrogates)
    classes, n = program.is_classifier, tree.n_features
    answers = tree.answers
    made = DecisionTreeClassifier() if classes else DecisionTreeRegressor()
    made.n_features_in_, made.max_features_, made.n_outputs_ = n, n, 1 if classes else tree.n_outputs
    if not all(name == f"x{at}" for at, name in enumerate(tree.schema.features)):
        made.feature_names_in_ = np.array(tree.schema.features, object)
    if classes:
        made.classes_ = np.array(tree.schema.answers)
        made.n_classes_ = tree.n_answers
    sizes = np.array([tree.n_answers] if classes else [1] * tree.n_outputs, np.intp)
    made.tree_ = TheirTree(n, sizes, made.n_outputs_)
    dtype = made.tree_.__getstate__()["nodes"].dtype
    order = np.array(list(tree.walk()))  # the order of scikit-learn
    nodes = _their_nodes(tree, order, dtype)
    value = answers[order][:, None, :] if classes else answers[order][:, :, None]
    state = {"max_depth": tree.depth, "node_count": len(order), "nodes": nodes, "values": np.ascontiguousarray(value)}
    made.tree_.__setstate__(state)
    return made


def _schema(model: Any, classes: bool) -> Schema:
    plain = tuple(f"x{at}" for at in range(model.n_features_in_))
    names = tuple(getattr(model, "feature_names_in_", plain))
    if classes:
        return Schema(names, (None,) * len(names), tuple(model.classes_.tolist()), "classification")
    targets = ("y",) if model.n_outputs_ == 1 else tuple(f"y{at}" for at in range(model.n_outputs_))
    return Schema(names, (None,) * len(names), targets)


def _provenance(model: Any, theirs: Any) -> Provenance:
    parameters = {name: json_value(value) for name, value in model.get_params(deep=False).items()}
    rows, weight = int(theirs.n_node_samples[0]), float(theirs.weighted_n_node_samples[0])
    rows = int(getattr(model, "_n_samples", rows))  # a tree of a forest has only seen its bootstrap sample
    return Provenance(type(model).__name__, parameters, __version__, rows, weight).then("from_sklearn")


def _levels(left: Any, right: Any) -> npt.NDArray[np.intp]:
    """The nodes of scikit-learn level by level, siblings side by side."""
    order, level = [], [0]
    while level:
        order += level
        level = [child for node in level if left[node] >= 0 for child in (int(left[node]), int(right[node]))]
    return np.array(order, np.intp)


def _highest_double(threshold: Floats) -> Floats:
    """The highest double that, rounded to a float, is not above the threshold."""
    low = np.array([round_down(each) for each in threshold], np.float32)
    high = np.nextafter(low, np.float32(np.inf))
    middle = (low.astype(np.float64) + high.astype(np.float64)) / 2
    with np.errstate(over="ignore"):
        stays = middle.astype(np.float32) == low  # ties round to even
    return np.where(np.isfinite(middle), np.where(stays, middle, np.nextafter(middle, -np.inf)), threshold)


def _refuse_more(program: Program, drop_surrogates: bool) -> None:
    """Refuse features that scikit-learn's trees do not have."""
    readers = [node.readers[0] for node in program.nodes if node.readers]
    plain = all(len(node.children) == 2 for node in program.nodes if node.children) and not any(
        reader.is_category for reader in readers
    )
    if not plain or any(node.first is not None for node in program.nodes):
        raise ValueError(
            "to_sklearn needs steps on one number with two children: no categories, no linear or soft gates."
        )
    if not program.takes_one_path or any(node.slopes for node in program.nodes):
        raise ValueError("to_sklearn needs constant leaves, and missing values that go to one child; no buds.")
    if not drop_surrogates and any(len(node.readers) > 1 for node in program.nodes):
        raise ValueError(
            "scikit-learn's trees have no surrogates: fit with missing='direction', or drop them with "
            "drop_surrogates=True."
        )
    if program.costs is not None:
        raise ValueError("scikit-learn's trees have no costs; fit without them.")


def _their_nodes(tree: Tree, order: npt.NDArray[Any], dtype: Any) -> Any:
    place = np.empty(tree.n_nodes, np.int64)
    place[order] = np.arange(tree.n_nodes)
    branch = tree.n_children[order] > 0
    first = tree.first_child[order]
    nodes = np.zeros(len(order), dtype)
    nodes["left_child"] = np.where(branch, place[first], -1)
    nodes["right_child"] = np.where(branch, place[np.where(branch, first + 1, 0)], -1)
    nodes["feature"] = np.where(branch, tree.feature[order], -2)
    nodes["threshold"] = [
        round_down(each) if inner else -2.0 for each, inner in zip(tree.threshold[order], branch, strict=True)
    ]
    nodes["missing_go_to_left"] = branch & (tree.default[order] == 0)
    nodes["impurity"] = np.nan_to_num(tree.impurity[order])
    count = np.nan_to_num(tree.count[order])
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = np.round(count), count
    return nodes
