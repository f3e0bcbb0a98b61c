"""A tree as a drawing for documents: DOT for Graphviz, Mermaid for Markdown pages.

Every node has its rule or its prediction, and its number of training rows; every edge has its values. The wording
is that of `to_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from softwood.formats.columns import spell_chances, spell_counts
from softwood.formats.models import look_inside
from softwood.tree import Tree
from softwood.tree.outline import outline
from softwood.tree.spelling import spell_label
from softwood.tree.wording import Wording

ROOM = 60  # maximum characters of a sum or a set of levels


class Box(NamedTuple):
    """One node of a drawing: its id, its lines, the id of its parent (-1 for the root) and the label of its edge."""

    node: int
    lines: list[str]
    above: int
    edge: str
    is_leaf: bool


def to_dot(model: Any, *, digits: int | None = 3, max_depth: int | None = None) -> str:
    """The tree in DOT, Graphviz's language.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one.
    digits : of numbers, as in `to_text`.
    max_depth : maximum depth to draw; deeper nodes are counted.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> print(to_dot(CARTRegressor().fit(X, X[:, 0] > 7)))
    digraph tree {
      node [shape=box, style=rounded, fontname="Helvetica"];
      edge [fontname="Helvetica"];
      0 [label="x0\\nn = 20"];
      1 [label="0\\nn = 8", style="rounded,filled", fillcolor="#eeeeee"];
      0 -> 1 [label="≤ 7.5"];
      2 [label="1\\nn = 12", style="rounded,filled", fillcolor="#eeeeee"];
      0 -> 2 [label="> 7.5 or missing"];
    }
    """
    lines = [
        "digraph tree {",
        '  node [shape=box, style=rounded, fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
    ]
    for box in _boxes(model, "to_dot", digits, max_depth):
        filled = ', style="rounded,filled", fillcolor="#eeeeee"' if box.is_leaf else ""
        lines.append(f'  {box.node} [label="{_lines(box.lines, _escape_dot, chr(92) + "n")}"{filled}];')
        if box.above >= 0:
            lines.append(f'  {box.above} -> {box.node} [label="{_escape_dot(box.edge)}"];')
    return "\n".join([*lines, "}"])


def to_mermaid(model: Any, *, digits: int | None = 3, max_depth: int | None = None) -> str:
    """The tree in Mermaid, which GitHub and other sites render; parameters as in `to_dot`.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> print(to_mermaid(CARTRegressor().fit(X, X[:, 0] > 7)))
    flowchart TD
      n0["x0<br>n = 20"]
      n1(["0<br>n = 8"])
      n0 -- "≤ 7.5" --> n1
      n2(["1<br>n = 12"])
      n0 -- "#gt; 7.5 or missing" --> n2
    """
    lines = ["flowchart TD"]
    for box in _boxes(model, "to_mermaid", digits, max_depth):
        opens, closes = ("([", "])") if box.is_leaf else ("[", "]")
        lines.append(f'  n{box.node}{opens}"{_lines(box.lines, _escape_mermaid, "<br>")}"{closes}')
        if box.above >= 0:
            lines.append(f'  n{box.above} -- "{_escape_mermaid(box.edge)}" --> n{box.node}')
    return "\n".join(lines)


def _lines(lines: list[str], escape: Callable[[str], str], between: str) -> str:
    return between.join(map(escape, lines))


def _escape_dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _escape_mermaid(text: str) -> str:
    """Escape characters that have a meaning in Mermaid, HTML or Markdown."""
    names = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "\n": " ", "`": "#96;", "\\": "#92;"}
    return "".join(names.get(char, char) for char in text)


def _boxes(model: Any, wanted_by: str, digits: int | None, max_depth: int | None) -> Iterator[Box]:
    """Nodes in depth-first order, a node before its children."""
    tree = look_inside(model, wanted_by=wanted_by).tree
    words = Wording(tree, digits)
    known = bool(np.isfinite(tree.count).all())
    for line in outline(tree, max_depth):
        m, children = line.node, len(tree.children(line.node)) if not line.hidden else 0
        lines = [_question(words, m)] if children else []
        if not children or tree.leafness[m] > 0:
            lines.append(_answer(tree, words, m))
        lines += [f"n = {spell_counts(tree.count[[m]])[0]}"] if known else []
        lines += [f"… {line.hidden} more nodes"] if line.hidden else []
        yield Box(m, lines, int(tree.parent[m]), _edge(words, m), not children)


def _question(words: Wording, node: int) -> str:
    if words.written_once(node):
        return " ".join(words.gate(node, ROOM).pieces)
    return words.names[int(words.tree.feature[node])]


def _edge(words: Wording, child: int) -> str:
    gate, _ = words.place(child)
    if gate < 0:
        return ""
    rule = " ".join(words.branch(child, ROOM, n_lines=1))
    if not words.written_once(gate):
        name = words.names[int(words.tree.feature[gate])]
        rule = rule.removeprefix(f"{name} ")
    missing = words.when_missing(child)
    return f"{rule} {missing}" if missing else rule


def _answer(tree: Tree, words: Wording, node: int) -> str:
    """The mean prediction of the rows at a node."""
    mean = tree.mean_answers[node]
    if tree.schema.task != "classification":
        return ", ".join(map(words.number, mean.tolist()))
    best = int(tree.schema.decide(mean[None, :])[0])
    return f"{spell_label(tree.schema.answers[best])} ({spell_chances(mean[[best]], words.digits)[0]})"
