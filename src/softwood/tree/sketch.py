"""`str(tree)`: the tree as an indented sketch, one line per node, for the interactive prompt.

`softwood.to_text` prints the full report with counts and probabilities; this is the short form.
"""

from __future__ import annotations

import numpy as np

from softwood.kernels.kinds import Link
from softwood.tree.arrays import TreeArrays
from softwood.tree.node_numbers import is_summed
from softwood.tree.outline import depth_that_fits, outline
from softwood.tree.spelling import display_width, spell_fixed, spell_label, spell_list, wrap
from softwood.tree.wording import Wording

MOST_LINES = 200  # maximum number of lines; deeper nodes are counted
WIDTH = 100  # characters that long sets, sums and responses are truncated to


def sketch(tree: TreeArrays) -> str:
    """The tree as text.

    Examples
    --------
    >>> from softwood import Schema, Tree
    >>> from softwood.kernels.kinds import Score
    >>> print(sketch(Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema(("age",), (None,), ("y",)), first_child=[1, -1, -1],
    ...     n_children=[2, 0, 0], score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[30.5, 0, 0])))
    Tree(3 nodes, 2 leaves, depth 1, 1 feature, 1 output, hard)
    ├─ age ≤ 30.5 or missing → 0
    └─ age > 30.5 → 1
    """
    words = Wording(tree)
    lines = [repr(tree)]
    for node, stem, below, hidden in outline(tree, depth_that_fits(tree, MOST_LINES)):
        parts = [_rule(words, node, WIDTH - display_width(stem))]
        if tree.leafness[node] > 0:
            parts.append("→ " + _answer(words, node, WIDTH // 2))
        if tree.leafness[node] > 0 and tree.n_children[node]:
            parts.append(f"(bud, leafness {words.number(tree.leafness[node])})")
        if tree.note and tree.note[node]:
            parts.append(f"[{tree.note[node]}]")
        if hidden:
            parts.append(f"… {hidden} nodes below")
        if node or len(parts) > 1:  # the root has no rule: it gets a line only if it keeps something
            lines.append(stem + " ".join(parts))
        if not hidden and words.written_once(node):
            room = WIDTH - display_width(below)
            lines += [below + line for line in wrap(words.gate(node, room).pieces, room, "  ")]
    return "\n".join(lines)


def _rule(words: Wording, node: int, room: int) -> str:
    also = words.when_missing(node)
    rule = " ".join(words.branch(node, room - len(also) - 1, n_lines=1))
    return f"{rule} {also}" if also else rule


def _answer(words: Wording, node: int, room: int) -> str:
    """`benign 0.98`, `22.5`, `(1.2, 3.4)`, `3 + 0.8·age`, `log mean 3 + 0.8·age`, `benign 0.63, log odds 3 + 0.8·age`.

    First what arrives there, then what the node adds, if outputs are sums.
    """
    tree = words.tree
    if tree.schema.task == "classification":
        return _class(words, node, room)
    responses = [words.response(node, output, room) for output in range(tree.n_outputs)]
    if tree.link == Link.LOG:
        responses = [f"log mean {text}" for text in responses]
    if tree.n_outputs == 1:
        return responses[0]
    return f"({spell_list(responses, room)})"


def _class(words: Wording, node: int, room: int) -> str:
    """The majority class of what arrives, its proportion, and for two classes the log odds that the node adds."""
    tree, linear = words.tree, bool(words.tree.slope_row[node] >= 0)
    summed = is_summed(tree) and tree.n_outputs == 1
    odds = f"log odds {words.response(node, 0, room)}" if summed else ""
    if linear and not len(tree.mean) and not len(tree.arrived):
        return odds or f"scores of {tree.n_outputs} classes"
    chance = tree.mean_answers[node]
    best = int(np.argmax(chance))
    answer = f"{spell_label(tree.schema.answers[best])} {spell_fixed(float(chance[best]), 2)}"
    return f"{answer}, {odds}" if odds else answer
