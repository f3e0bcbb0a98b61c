"""Readable trees: the simplest of a few kinds whose held-out loss is within one standard error of the best tree's.

    1   gates on one input, constant leaves, at most 8 leaves
    2   gates on a weighted sum of at most three inputs, constant leaves, at most 8 leaves
    3   the same with curves of the inputs
    4   the tree that the joint learner chooses without readable=True

The last is learned first. The others are then learned in this order, each on the same folds, and the first whose
held-out loss exceeds that of the last by at most one standard error is kept: CART's rule for the size of a tree
(Breiman et al. 1984, section 3.4.3). A tree is preferred to a formula of one node by the same rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from softwood.learners.soft.learn import learn_joint_from
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.selection import CLEAR_SE, Candidate
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.learners.soft.warm_start import WarmStart
from softwood.tree import Schema, Tree
from softwood.tree.views import LinearGate

READABLE_MAX_LEAVES = 8
READABLE_MAX_GATE_FEATURES = 3  # in a gate


def learn_readable(
    rows: TrainingRows, schema: Schema, how: JointOptions, validation: Dataset | None, before: WarmStart | None = None
) -> FitResult:
    """The simplest sufficient tree; `before` is a tree to continue from, whose kind is kept."""
    best = learn_joint_from(rows, schema, how, validation, before)
    if before is not None or best.interrupted:
        return best
    tried = list(best.candidates)
    for options in plain_kinds(how):
        if rows.sample.is_sparse and options.gate == "additive":
            continue  # sparse rows have no curves
        plain = learn_joint_from(rows, schema, options, validation)
        tried += plain.candidates
        if plain.interrupted:
            break
        if is_good_enough(plain.chosen, best.chosen):
            return replace(plain, candidates=tried)
    return replace(best, candidates=tried)


def plain_kinds(how: JointOptions) -> Iterator[JointOptions]:
    """Options of readable trees, the simplest first; options set by the caller are kept."""
    small = replace(
        how,
        leaf="constant" if how.leaf == "auto" else how.leaf,
        max_leaves=min(how.max_leaves, READABLE_MAX_LEAVES),
        more_leaves=False,
        max_gate_features=READABLE_MAX_GATE_FEATURES if how.max_gate_features is None else how.max_gate_features,
    )
    if how.gate != "auto":
        yield small
        return
    for gate in ("axis", "linear", "additive"):
        yield replace(small, gate=gate)


def is_good_enough(plain: Candidate, best: Candidate) -> bool:
    """Whether the loss of a plain tree is within one standard error of the best one's, on the folds that both saw."""
    rows = min(len(plain.row_loss), len(best.row_loss))  # folds come in the same order
    plain_loss, best_loss, weight = plain.row_loss[:rows], best.row_loss[:rows], best.weight[:rows]
    gap = float(np.average(plain_loss - best_loss, weights=weight))
    mean = np.average(best_loss, weights=weight)
    error = np.sqrt(np.average(np.square(best_loss - mean), weights=weight) / weight.sum())
    return bool(gap <= CLEAR_SE * error)


def why_not_readable(tree: Tree, max_gate_features: int | None = None) -> str:
    """A sentence if a tree is larger than a readable one: more than 8 leaves, or gates of more than 3 inputs."""
    most = READABLE_MAX_GATE_FEATURES if max_gate_features is None else max_gate_features
    gates = [gate for gate in map(tree.gate, range(tree.n_nodes)) if isinstance(gate, LinearGate)]
    widest = max((len(gate.features) for gate in gates), default=0)
    if tree.n_leaves <= READABLE_MAX_LEAVES and widest <= most:
        return ""
    return (
        f"readable=True found no tree of at most {READABLE_MAX_LEAVES} leaves and {most} inputs per gate whose "
        "held-out loss is within one standard error of this one's, which has "
        f"{tree.n_leaves} leaves and gates of up to {widest} inputs; "
        f"max_leaves={READABLE_MAX_LEAVES} and max_gate_features={most} insist on one."
    )
