"""Learned attributes of a soft tree: history, importances, penalty."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.learners.soft.finish.importance import MeasuredTree
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.search.selection import Candidate
from softwood.tree import HeldOut, Schema, Tree


def one_class_result(schema: Schema) -> FitResult:
    """One class only: a single leaf with probability 1."""
    unused = np.zeros(len(schema.features))
    leaf = Tree(response=np.ones((1, 1)), schema=schema)
    return FitResult(MeasuredTree(leaf, unused, unused, leaf), [], Candidate.nothing())


def relative_loss(learned: FitResult, loss: float | None = None) -> float:
    """The loss that selected the tree, or another one; for regression in units in which the best constant has 1/2 per
    target.
    """
    loss = learned.chosen.loss if loss is None else loss
    is_classes, constant = learned.tree.schema.task == "classification", learned.loss_of_centre
    if is_classes or constant <= 0 or learned.is_squared:
        return loss
    return loss * 0.5 * learned.tree.n_outputs / constant


def held_out_of(learned: FitResult) -> HeldOut | None:
    """The loss that selected the tree; for regression relative to the variance or to the loss of the best constant."""
    return told_loss(learned, learned.chosen.loss, "held-out rows of the search") if learned.candidates else None


def told_loss(learned: FitResult, loss: float, method: str) -> HeldOut | None:
    """A held-out loss; None if it is not finite."""
    if not np.isfinite(loss):
        return None
    if learned.tree.schema.task == "classification":
        return HeldOut("log loss", method, loss)
    measure = "squared error / variance" if learned.is_squared else "loss / loss of a constant"
    return HeldOut(measure, method, 2.0 * relative_loss(learned, loss) / learned.tree.n_outputs)


def history_line(candidate: Candidate) -> dict[str, Any]:
    """A candidate of the search, for `history_`."""
    return {
        "gate": candidate.gate,
        "leaf": candidate.leaf,
        "n_inputs": candidate.inputs,
        "reweighted": candidate.reweighted,
        "weight_penalty": candidate.penalty,
        "n_nodes": candidate.nodes,
        "loss": candidate.loss,
    }
