"""What the page says of a tree, in the words of `softwood.tree.wording`."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.formats.paths import paths
from softwood.kernels.kinds import Squash
from softwood.tree import Tree
from softwood.tree.spelling import spell_label, spell_number
from softwood.tree.wording import Wording

ROOM = 160  # columns of a sum or a set before it is cut; the details show all of it as curves
ROOM_OF_A_BRANCH = 60


def page_words(tree: Tree, name: str) -> dict[str, Any]:
    """Title, facts, and per node what its gate asks, which rows come to it, and what it answers."""
    words = Wording(tree)
    origin = tree.provenance
    title = origin.estimator if origin is not None and origin.estimator else name
    return {
        "title": title,
        "facts": _facts(tree),
        "question": [_question(words, node) for node in range(tree.n_nodes)],
        "rule": [words.rule(node, ROOM) for node in range(tree.n_nodes)],
        "branch": [_branch(words, node) for node in range(tree.n_nodes)],
        "answer": _answers(tree),
        "equation": [_equation(words, node) for node in range(tree.n_nodes)],
        "sums": [[f"gate {node}", " ".join(words.gate(node, 2 * ROOM).pieces)] for node in _sums(words)],
        "isHard": tree.is_hard,
    }


def page_rules(tree: Tree) -> list[dict[str, Any]]:
    """The conditions of every node that answers, the most travelled first where a row takes many paths."""
    words = Wording(tree)
    nodes = [node for node in tree.walk() if tree.leafness[node] > 0]
    if not tree.is_hard and np.isfinite(tree.count).all():
        nodes.sort(key=lambda node: -tree.count[node] * tree.leafness[node])
    asked = paths(words, nodes, ROOM)
    return [{"node": node, "if": asked[node]} for node in nodes]


def _facts(tree: Tree) -> list[str]:
    facts = [_plural(tree.n_nodes, "node", "nodes"), _plural(tree.n_leaves, "leaf", "leaves"), f"depth {tree.depth}"]
    facts.append(_plural(tree.n_features, "input", "inputs"))
    origin = tree.provenance
    if origin is not None and origin.n_rows:
        facts.append(f"learned from {_plural(origin.n_rows, 'row', 'rows')}")
    if origin is not None and origin.held_out is not None:
        held = origin.held_out
        facts.append(f"{held.measure} {spell_number(held.value)} ({held.method})")
    return facts


def _plural(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def _question(words: Wording, node: int) -> str:
    """What a gate asks: that of its first child where there are two, else the name of its input."""
    tree = words.tree
    if tree.n_children[node] == 0:
        return ""
    if words.written_once(node):
        return " ".join(words.gate(node, ROOM).pieces).removesuffix(" (soft)")
    if tree.n_children[node] == 2:
        return f"{words.rule(int(tree.first_child[node]), ROOM)}?"
    return f"{words.names[int(tree.feature[node])]}?"


def _branch(words: Wording, child: int) -> str:
    """Beside an edge: yes or no where the gate has two children, else which values come."""
    tree = words.tree
    gate, slot = words.place(child)
    if gate < 0:
        return "all rows"
    if tree.n_children[gate] == 2:
        soft = tree.squash[gate] != Squash.STEP
        return ("otherwise" if soft else "no") if slot else ("towards yes" if soft else "yes")
    name = words.names[int(tree.feature[gate])]
    return words.rule(child, ROOM_OF_A_BRANCH).removeprefix(f"{name} ").removeprefix("= ").removeprefix("in ")


def _answers(tree: Tree) -> list[str]:
    if tree.schema.task == "classification":
        return [spell_label(tree.schema.answers[k]) for k in tree.schema.decide(tree.mean_answers)]
    return [", ".join(map(spell_number, row)) for row in tree.mean_answers]


def _equation(words: Wording, node: int) -> str:
    tree = words.tree
    if tree.slope_row[node] < 0 or tree.leafness[node] == 0:
        return ""
    output = 0 if tree.n_outputs == 1 else int(np.argmax(tree.mean_answers[node]))
    return " ".join(words.equation(node, output, ROOM).pieces)


def _sums(words: Wording) -> list[int]:
    return [node for node in range(words.tree.n_nodes) if words.tree.n_children[node] and words.written_once(node)]
