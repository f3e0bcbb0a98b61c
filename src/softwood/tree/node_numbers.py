"""The two numbers of a node, defined once for text, pictures, page and report.

    what arrives   mean of the target, or proportions of classes, of the training rows that arrive, weighted by the
                   proportion that arrives; label, colour and bar of a node are all taken from it
    what it adds   at nodes with leafness > 0: the response, in the unit of the sum, before the link: log odds, log
                   mean, the target's own unit; for a linear response its mean over the rows that arrive

A row's output is the sum over nodes of share × what the node adds (row_sum.py), so the summed numbers are not the ones
shown as probabilities. The scores of several classes are centred in each node: a number that all classes share changes
no probability.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.kinds import Link
from softwood.tree.arrays import TreeArrays
from softwood.tree.spelling import spell_label, spell_number

OBSERVED, PREDICTED, ANSWERED = "observed", "predicted", "answered"


@dataclass(frozen=True)
class NodeNumbers:
    """The numbers of all nodes of a tree.

    Attributes
    ----------
    arrives : (nodes, answers) what arrives at every node.
    source : of `arrives`: "observed"; "predicted", the mean prediction of the rows there, for a file of version 1;
        "answered", the responses of the nodes, if rows are unknown. In a hard tree with constant leaves responses are
        what arrives, so it is "observed".
    adds : (nodes, outputs) what every node adds; NaN if it keeps nothing, or if unknown.
    unit : of `adds`: "log odds", "log mean", "score", "probability", or "" (the target's own).
    names : of the outputs, with the unit: `log odds of yes`.

    Examples
    --------
    >>> from softwood import Schema, Tree
    >>> stump = Tree(
    ...     response=[[0.0], [-2.0], [1.5]], schema=Schema(("age",), (None,), ("no", "yes"), "classification"),
    ...     link=Link.SIGMOID, first_child=[1, -1, -1], n_children=[2, 0, 0], score=[1, 0, 0], feature=[0, -1, -1],
    ...     threshold=[30.0, np.nan, np.nan], arrived=[[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])
    >>> numbers = node_numbers(stump)
    >>> numbers.source, numbers.names, numbers.label(2), numbers.spell_adds(2)
    ('observed', ('log odds of yes',), 'yes', '+1.5')
    """

    tree: TreeArrays
    arrives: Floats
    source: str
    adds: Floats
    unit: str
    names: tuple[str, ...]

    def place(self, node: int) -> int:
        """The class of a node, as its position in `schema.answers`: decided by what arrives."""
        return int(self.tree.schema.decide(self.arrives[[node]])[0])

    def label(self, node: int) -> str:
        """The label of a node."""
        return spell_label(self.tree.schema.answers[self.place(node)])

    def answers(self, node: int) -> bool:
        """Whether the node keeps a part of the rows that arrive."""
        return bool(self.tree.leafness[node] > 0)

    def spell_adds(self, node: int, output: int = 0, digits: int | None = 3) -> str:
        """What a node adds to an output, signed; "" if it keeps nothing, "?" if unknown."""
        value = float(self.adds[node, output])
        if not self.answers(node):
            return ""
        return spell_added(value, digits, self.unit) if np.isfinite(value) else "?"


def node_numbers(tree: TreeArrays) -> NodeNumbers:
    """What arrives at every node of a tree and what each adds."""
    return NodeNumbers(tree, tree.mean_answers, _source(tree), _adds(tree), unit_of(tree), output_names(tree))


def is_summed(tree: TreeArrays) -> bool:
    """Whether outputs are sums over nodes; not in a hard tree with constant leaves."""
    return not (tree.is_hard and bool(np.all(tree.slope_row < 0)))


def unit_of(tree: TreeArrays) -> str:
    """The unit of the sum over nodes; "" is the target's own."""
    if tree.schema.task != "classification":
        return "log mean" if tree.link == Link.LOG else ""
    return {Link.SIGMOID: "log odds", Link.SOFTMAX: "score"}.get(tree.link, "probability")


def output_names(tree: TreeArrays) -> tuple[str, ...]:
    """The unit and name of every output: `log odds of yes`, `score of setosa`, `probability of no`, `price`, `log mean
    of n`.
    """
    labels, unit = [spell_label(answer) for answer in tree.schema.answers], unit_of(tree)
    if tree.link == Link.SIGMOID and tree.n_outputs == 1 and tree.schema.task == "classification":
        labels = labels[1:]
    return tuple(f"{unit} of {label}" if unit else label for label in labels)


def spell_added(value: float, digits: int | None, unit: str) -> str:
    """A summand with its sign; a probability has no sign."""
    text = spell_number(value, digits)
    return text if unit == "probability" or text.startswith("−") else f"+{text}"


def centred_scores(tree: TreeArrays, output: Floats) -> Floats:
    """Outputs (rows, outputs); the scores of several classes are centred, which changes no probability."""
    return output - output.mean(axis=1, keepdims=True) if tree.link == Link.SOFTMAX else output


def _source(tree: TreeArrays) -> str:
    if len(tree.arrived) or (tree.is_hard and tree.link == Link.IDENTITY and bool(np.all(tree.slope_row < 0))):
        return OBSERVED
    return PREDICTED if len(tree.mean) else ANSWERED


def _adds(tree: TreeArrays) -> Floats:
    adds = tree.response.copy()
    for m in np.flatnonzero(tree.slope_row >= 0).tolist():
        slope = tree.slope[tree.slope_row[m]]
        adds[m] += (tree.column_mean[m][:, None] * slope).sum(axis=0) if len(tree.column_mean) else np.nan
    adds[tree.leafness == 0] = np.nan
    return centred_scores(tree, adds)
