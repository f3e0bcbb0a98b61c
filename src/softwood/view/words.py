"""The texts of the page, from `softwood.tree.wording`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softwood.formats.paths import paths
from softwood.kernels.kinds import Squash
from softwood.tree import Tree
from softwood.tree.node_numbers import NodeNumbers, node_numbers
from softwood.tree.spelling import spell_number
from softwood.tree.wording import Wording
from softwood.view.added import added_words, has_unit, own_answer, spell_answer

ROOM = 160  # characters of a sum or a set before it is truncated; the details show all of it as curves
ROOM_OF_A_BRANCH = 60


def page_words(tree: Tree, name: str, told: list[int]) -> dict[str, Any]:
    """Title, facts, and per node its gate, its rule, and its response; for some of the nodes, by their number."""
    words, numbers = Wording(tree), node_numbers(tree)
    origin = tree.provenance
    title = origin.estimator if origin is not None and origin.estimator else name

    def of_each(spell: Callable[[int], Any]) -> Any:
        texts = {node: spell(node) for node in told}
        return list(texts.values()) if len(told) == tree.n_nodes else texts

    return {
        "title": title,
        "facts": _facts(tree),
        "told": None if len(told) == tree.n_nodes else told,
        "question": of_each(lambda node: _question(words, node)),
        "rule": of_each(lambda node: words.rule(node, ROOM)),
        "branch": of_each(lambda node: _branch(words, node)),
        "answer": of_each(lambda node: spell_answer(tree, numbers.arrives[node])),
        "equation": of_each(lambda node: _equation(words, node)),
        "sums": [[f"gate {node}", " ".join(words.gate(node, 2 * ROOM).pieces)] for node in _sums(words, told)],
        "isHard": tree.is_hard,
        "isSummed": has_unit(numbers),
        "unit": _unit(numbers),
        "source": numbers.source,
        "outputs": list(numbers.names),
        "arrives": np.nan_to_num(numbers.arrives).tolist(),
        "adds": of_each(lambda node: [float(v) if np.isfinite(v) else None for v in numbers.adds[node]]),
        "added": of_each(lambda node: added_words(numbers, node)),
    }


def page_rules(tree: Tree, told: list[int]) -> list[dict[str, Any]]:
    """The rules: for every node with a response, of those told, its conditions and what it adds or predicts; if rows
    take several paths, those with the largest proportion of rows first.
    """
    words, numbers = Wording(tree), node_numbers(tree)
    known = set(told)
    nodes = [node for node in tree.walk() if tree.leafness[node] > 0 and node in known]
    if not tree.is_hard and np.isfinite(tree.count).all():
        nodes.sort(key=lambda node: -tree.count[node] * tree.leafness[node] * tree.constant_share[node])
    asked = paths(words, nodes, ROOM)
    own = {node: own_answer(numbers, node) for node in nodes}
    then = {node: answer.tolist() if np.isfinite(answer).all() else None for node, answer in own.items()}
    adds = {node: _sum(words, numbers, node) for node in nodes}
    return [{"node": node, "if": asked[node], "then": then[node], "adds": adds[node]} for node in nodes]


def _sum(words: Wording, numbers: NodeNumbers, node: int) -> str:
    """The text of what a rule adds: a linear response as a sum of its largest terms."""
    if words.tree.slope_row[node] >= 0:
        return _equation(words, node)
    return added_words(numbers, node).removeprefix("adds ")


def _unit(numbers: NodeNumbers) -> str:
    """The column heading of what nodes add."""
    if not has_unit(numbers):
        return ""
    if len(numbers.names) == 1:
        return f"adds to {numbers.names[0]}"
    each = "each class" if numbers.tree.schema.task == "classification" else "each target"
    return f"adds to the {numbers.unit} of {each}" if numbers.unit else f"adds to {each}"


def _facts(tree: Tree) -> list[str]:
    facts = [_plural(tree.n_nodes, "node", "nodes"), _plural(tree.n_leaves, "leaf", "leaves"), f"depth {tree.depth}"]
    facts.append(_plural(tree.n_features, "input", "inputs"))
    origin = tree.provenance
    if origin is not None and origin.n_rows:
        facts.append(f"trained on {_plural(origin.n_rows, 'row', 'rows')}")
    if origin is not None and origin.held_out is not None:
        held = origin.held_out
        facts.append(f"{held.measure} {spell_number(held.value)} ({held.method})")
    return facts


def _plural(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def _question(words: Wording, node: int) -> str:
    """The rule of a gate: the condition of its first child if there are two, else the name of its input."""
    tree = words.tree
    if tree.n_children[node] == 0:
        return ""
    if words.written_once(node):
        return " ".join(words.gate(node, ROOM).pieces).removesuffix(" (soft)")
    if tree.n_children[node] == 2:
        return f"{words.rule(int(tree.first_child[node]), ROOM)}?"
    return f"{words.names[int(tree.feature[node])]}?"


def _branch(words: Wording, child: int) -> str:
    """The label of an edge: yes or no if the gate has two children, else the values."""
    tree = words.tree
    gate, slot = words.place(child)
    if gate < 0:
        return "all rows"
    if words.is_mean(gate):
        return words.rule(child)
    if tree.n_children[gate] == 2:
        soft = tree.squash[gate] != Squash.STEP
        return ("no" if slot else "yes") + (" (soft)" if soft else "")
    name = words.names[int(tree.feature[gate])]
    return words.rule(child, ROOM_OF_A_BRANCH).removeprefix(f"{name} ").removeprefix("= ").removeprefix("in ")


def _equation(words: Wording, node: int) -> str:
    tree = words.tree
    if tree.slope_row[node] < 0 or tree.leafness[node] == 0:
        return ""
    output = 0 if tree.n_outputs == 1 else int(np.argmax(node_numbers(tree).arrives[node]))
    return " ".join(words.equation(node, output, ROOM).pieces)


def _sums(words: Wording, told: list[int]) -> list[int]:
    return [node for node in told if words.tree.n_children[node] and words.written_once(node)]
