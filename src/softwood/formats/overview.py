"""A model on one screen: description, size, held-out score and most important inputs.

SoftTreeClassifier: classes benign, malignant; learned from 569 rows
  tree          5 nodes: 2 soft gates, 3 leaves, depth 2
  inputs        30 of 30 used; 92 weights in gates, none in leaves
  held out      log loss 0.0703
  matters most  worst texture 14%, worst radius 11%, area error 8%
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.formats.columns import spell_counts
from softwood.formats.models import look_inside
from softwood.kernels.kinds import Score, Squash
from softwood.tree import Tree
from softwood.tree.arrays import TreeArrays
from softwood.tree.proofs import recorded_certificate, spell_certificate
from softwood.tree.spelling import spell_label, spell_list, spell_name, spell_number, wrap

WIDTH = 100
TOLD = 3  # number of most important inputs


def summary(model: Any) -> str:
    """A fitted model in a few lines.

    Parameters
    ----------
    model : a fitted estimator, a pipeline or search with one inside, or a `Tree`.

    Returns
    -------
    str
        Description; nodes; inputs and weights; the error on held-out rows, if any; whether the monotone constraints
        are proved, if any; the three most important inputs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier
    >>> iris = load_iris(as_frame=True)
    >>> print(summary(CARTClassifier().fit(iris.data, iris.target_names[iris.target])))
    CARTClassifier: classes setosa, versicolor, virginica; learned from 150 rows
      tree          7 nodes: 3 gates, 4 leaves, depth 3
      inputs        2 of 4 used
      held out      error 0.0533 ± 0.0183, by cross-validation
      matters most  petal length (cm) 58%, petal width (cm) 42%
    """
    inside = look_inside(model)
    tree = inside.tree
    facts = [("tree", _size(tree)), ("inputs", _inputs(tree)), ("held out", _held_out(inside.model))]
    facts += [("monotone", tell_monotone(inside.model, tree)), ("matters most", _matters(inside.model, tree))]
    if inside.steps:
        facts.insert(0, ("after", ", ".join(inside.steps)))
    wide = max(len(name) for name, _ in facts)
    lines = [_heading(inside.model, tree)]
    for name, text in facts:
        if text:
            first, *rest = wrap(text.split(" "), WIDTH - wide - 4)
            lines += [f"  {name:<{wide}}  {first}", *(" " * (wide + 4) + more for more in rest)]
    return "\n".join(lines)


def tell_monotone(model: Any, tree: Tree) -> str:
    """Whether the constraints of the fit are proved; "" without any."""
    learned = getattr(model, "tree_", tree)
    proof = recorded_certificate(tree, learned.schema.features)
    return "" if proof is None else spell_certificate(proof)


def _heading(model: Any, tree: Tree) -> str:
    answers = [spell_label(answer) for answer in tree.schema.answers]
    noun = "classes" if tree.schema.task == "classification" else "target" if len(answers) == 1 else "targets"
    rows = f"; learned from {spell_counts(tree.count[:1])[0]} rows" if np.isfinite(tree.count[0]) else ""
    named = noun if answers == [noun] else f"{noun} {spell_list(answers, 60)}"
    return f"{type(model).__name__}: {named}{rows}"


def _many(n: int, noun: str, plural: str = "") -> str:
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def _size(tree: Tree) -> str:
    gate = (tree.n_children > 0) & (tree.score != Score.CONSTANT)
    soft = int(np.count_nonzero(gate & (tree.squash != Squash.STEP)))
    buds = int(np.count_nonzero(gate & (tree.leafness > 0)))
    gates = _many(int(gate.sum()), "gate")
    if soft:
        gates = gates.replace(" ", " soft ", 1) if soft == gate.sum() else f"{gates} ({soft} soft)"
    means = [f"mean of {n} trees" for n in tree.n_children[tree.score == Score.CONSTANT].tolist()]
    parts = [*means, gates, _many(tree.n_leaves, "leaf", "leaves"), f"depth {tree.depth}"]
    told = f", {_many(buds, 'bud')}" if buds else ", no buds: every leafness is 0 or 1" if lost_its_buds(tree) else ""
    return f"{_many(tree.n_nodes, 'node')}: {', '.join(parts)}{told}"


def lost_its_buds(tree: TreeArrays) -> bool:
    """Whether a budding tree was learned, but every node is a leaf or a branch, so that it is a soft tree."""
    learned_by = "" if tree.provenance is None else tree.provenance.estimator
    is_whole = tree.n_nodes == 1 or tree.is_hard
    return learned_by.startswith("BuddingTree") and not is_whole and not np.any(tree.leafness % 1)


def used_inputs(tree: Tree) -> list[int]:
    """Positions of the inputs that gates and responses use."""
    single = (tree.n_children > 0) & (tree.feature >= 0)
    rows = _slope_rows(tree)
    sloped = np.any(tree.slope[rows] != 0, axis=(0, 2)) if rows else np.zeros(len(tree.basis), np.bool_)
    columns = np.concatenate([tree.weight_column[tree.weight != 0], np.flatnonzero(sloped)])
    return sorted({*tree.feature[single].tolist(), *tree.basis.feature[columns].tolist()})


def _slope_rows(tree: Tree) -> list[int]:
    return sorted(set(map(int, tree.slope_row[tree.leafness > 0])) - {-1})


def _inputs(tree: Tree) -> str:
    """Number of used inputs, and of weights in sums."""
    text = f"{len(used_inputs(tree))} of {tree.n_features} used"
    gates, leaves = int(np.count_nonzero(tree.weight)), int(np.count_nonzero(tree.slope[_slope_rows(tree)]))
    if not gates + leaves:
        return text
    return f"{text}; {gates or 'no'} weights in gates, {leaves or 'none'} in leaves"


def _held_out(model: Any) -> str:
    """The error on the rows held out while the tree was chosen."""
    told = getattr(model, "held_out_", None)
    if not told:
        return ""
    error = f"{told['measure']} {spell_number(told['value'])}"
    if np.isfinite(told.get("standard_error", np.nan)):
        error += f" ± {spell_number(told['standard_error'])}"
    return error + (f", {told['by']}" if told.get("by") else "")


def _matters(model: Any, tree: Tree) -> str:
    weight = np.asarray(getattr(model, "feature_importances_", np.zeros(0)))
    if not weight.size or not weight.sum() > 0:
        return ""
    best = [int(f) for f in np.argsort(-weight, kind="stable")[:TOLD] if weight[f] > 0]
    return ", ".join(f"{spell_name(tree.schema.features[f])} {100 * weight[f] / weight.sum():.0f}%" for f in best)
