"""DOT and Mermaid: every node and edge once, worded as in `to_text`, for any names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from softwood import Tree, export
from softwood.formats.drawings import to_dot, to_mermaid
from softwood.tree.wording import Wording
from tests.formats.exports.cases import learned_cases
from tests.formats.exports.conftest import AWKWARD
from tests.strategies import random_tree

TEXT = r'"((?:[^"\\]|\\.)*)"'


@pytest.mark.parametrize("seed", range(40))
def test_every_node_and_every_edge_stand_once(seed: int) -> None:
    tree = random_tree(seed, seed % 9)
    edges = [(int(tree.parent[m]), m) for m in range(1, tree.n_nodes)]
    dot, mermaid = to_dot(tree), to_mermaid(tree)
    boxes = re.findall(r"^  (\d+) \[label=", dot, re.MULTILINE)
    assert sorted(map(int, boxes)) == list(range(tree.n_nodes))
    found = [(int(a), int(b)) for a, b, _ in re.findall(rf"^  (\d+) -> (\d+) \[label={TEXT}\];$", dot, re.MULTILINE)]
    assert sorted(found, key=lambda edge: edge[1]) == edges
    found = [(int(a), int(b)) for a, _, b in re.findall(r'^  n(\d+) -- "([^"]*)" --> n(\d+)$', mermaid, re.MULTILINE)]
    assert sorted(found, key=lambda edge: edge[1]) == edges


def test_edges_say_what_the_text_says() -> None:
    """The rule of `to_text`, possibly without the name of the input, which is in the node above."""
    for case in learned_cases():
        words = Wording(case.tree)
        edges = re.findall(rf"-> (\d+) \[label={TEXT}\]", to_dot(case.model))
        assert sorted(int(child) for child, _ in edges) == list(range(1, case.tree.n_nodes))
        for child, edge in ((int(child), edge) for child, edge in edges):
            gate, _ = words.place(child)
            rule = " ".join([*words.branch(child, 60, n_lines=1), *filter(None, [words.when_missing(child)])])
            name = "" if words.written_once(gate) else f"{words.names[int(case.tree.feature[gate])]} "
            told = re.sub(r"\\(.)", r"\1", edge)
            assert told in (rule, rule.removeprefix(name), rule.replace(f"towards {name}", "towards ", 1))


LINES = {
    to_dot: [rf"  \d+ \[label={TEXT}(, style=\"rounded,filled\", fillcolor=\"#eeeeee\")?\];",
             rf"  \d+ -> \d+ \[label={TEXT}\];", r"digraph tree {", r"  (node|edge) \[.*\];", "}"],
    to_mermaid: [r'  n\d+(\["[^"<>`]*(<br>[^"<>`]*)*"\]|\(\["[^"<>`]*(<br>[^"<>`]*)*"\]\))',
                 r'  n\d+ -- "[^"<>`]*" --> n\d+', "flowchart TD"],
}  # fmt: skip


@pytest.mark.parametrize("draw", LINES)
def test_names_are_data_in_drawings(draw: Callable[..., str], awkward: Tree) -> None:
    """Every line is valid in the language, for any names, levels and classes."""
    for node in range(len(AWKWARD)):
        names = (*AWKWARD[node:], *AWKWARD[:node])
        schema = replace(awkward.schema, features=names, categories=(names, *[None] * 7), answers=names[:2])
        for line in draw(awkward.replace(schema=schema)).splitlines():
            assert any(re.fullmatch(form, line) for form in LINES[draw]), line


@pytest.mark.long
def test_deep_trees_are_cut_where_asked() -> None:
    case = next(case for case in learned_cases() if case.tree.depth > 3)
    shown = to_dot(case.model, max_depth=1)
    assert shown.count("->") == len(case.tree.children(0))
    assert re.search(r"… \d+ more nodes", shown)
    assert export(case.model, to="dot", max_depth=1) == shown
    assert export(case.model, to="mermaid") == to_mermaid(case.model)
