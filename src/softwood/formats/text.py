"""A tree as readable rules, for a terminal or a report.

    node  rule                      n   share  class    no   yes
       0  all rows                100  100.0%  no     0.62  0.38
       1  ├─ age ≤ 30 or missing   60   60.0%  no     0.90  0.10  *
       2  └─ age > 30              40   40.0%  yes    0.20  0.80  *

The rule of a node is the condition for its parent to send rows there; n and share are the training rows (by weight)
that arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.formats.answers import answer_columns, equations
from softwood.formats.columns import GAP, Column, spell_counts, spell_shares, total_width
from softwood.formats.models import Inside, look_inside
from softwood.formats.overview import lost_its_buds
from softwood.formats.paths import paths_to_text
from softwood.formats.rules import rules_to_text
from softwood.formats.sums import sum_notes
from softwood.kernels.kinds import Missing
from softwood.tree import Tree
from softwood.tree.once import computed_once
from softwood.tree.outline import Line, outline
from softwood.tree.ruleset import RuleSet
from softwood.tree.spelling import display_width, pad, spell_fixed, spell_list, spell_name, wrap
from softwood.tree.sums import Sum
from softwood.tree.wording import Wording

LEAST_ROOM = 28  # minimum width of a rule


def to_text(
    model: Any,
    *,
    form: str = "tree",
    digits: int | None = 3,
    max_depth: int | None = None,
    surrogates: bool = False,
    missing: bool = True,
    width: int | None = 100,
    feature_names: Sequence[str] | None = None,
) -> str:
    """Print a tree as rules, with names, counts, shares and predictions.

    Parameters
    ----------
    model : a fitted estimator, a pipeline or a search with one inside, or a `Tree`.
    form : "tree", or "rules": the ordered rules of a model that has them (`rules_`), else the paths of the tree, for a
        soft tree those with the largest shares. Rules use only the parameters `digits`, `width` and `feature_names`.
    digits : decimals of numbers (significant digits below one). Different thresholds of one feature get as many digits
        as needed to differ. None writes all numbers exactly.
    max_depth : maximum depth to print; deeper nodes are counted.
    surrogates : whether to list the surrogate splits of each gate with agreement and adjusted agreement, as in rpart's
        summary.
    missing : whether to show where missing values go.
    width : target width in characters: long sets of categories and long sums are wrapped or truncated. None: neither.
    feature_names : names to print instead of the model's own, for a model fitted on an array.

    Returns
    -------
    str
        A table with one line per node; `*` marks a leaf.

    Examples
    --------
    >>> from softwood import Schema, Tree
    >>> from softwood.kernels.kinds import Score
    >>> tree = Tree(
    ...     response=[[0.62, 0.38], [0.9, 0.1], [0.2, 0.8]],
    ...     schema=Schema(("age",), (None,), ("no", "yes"), "classification"), count=[100, 60, 40],
    ...     first_child=[1, -1, -1], n_children=[2, 0, 0], score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1],
    ...     threshold=[30, np.nan, np.nan])
    >>> print(to_text(tree, digits=2))
    Tree: 100 rows, 2 leaves, depth 1 (* marks a leaf)
    <BLANKLINE>
    node  rule                      n   share  class    no   yes
       0  all rows                100  100.0%  no     0.62  0.38
       1  ├─ age ≤ 30 or missing   60   60.0%  no     0.90  0.10  *
       2  └─ age > 30              40   40.0%  yes    0.20  0.80  *
    """
    if form not in ("tree", "rules"):
        raise ValueError(f"form must be 'tree' or 'rules', got {form!r}.")
    if isinstance(model, RuleSet):
        return rules_to_text(model, digits=digits, width=width)
    inside = look_inside(model, feature_names)
    model, tree = inside.model, inside.tree
    if form == "rules":
        if hasattr(model, "rules_"):
            return rules_to_text(model, digits=digits, width=width)
        return "\n".join([paths_to_text(model, tree, digits, width), *_before(inside)])
    words = Wording(tree, digits)
    lines = list(outline(tree, max_depth))
    nodes = [line.node for line in lines]
    right = _counts(tree, nodes)
    right += answer_columns(words, nodes)
    right.append(Column("", ["" if tree.n_children[m] else "*" for m in nodes]))
    if any(tree.note):
        right.append(Column("gate below", [spell_name(tree.note[m]) for m in nodes]))
    left = Column("node", [str(m) for m in nodes], ">")
    room = None if width is None else max(LEAST_ROOM, width - left.width - len(GAP) - total_width(right))
    rules = [_rule(words, line, room, missing) for line in lines]
    wide = max(display_width(text) for texts in rules for text in texts)
    middle, indent = Column(pad("rule", wide), [texts[0] for texts in rules]), " " * (left.width + len(GAP))
    table = [GAP.join(cells).rstrip() for cells in zip(*(c.lines() for c in (left, middle, *right)), strict=True)]
    body, is_cut = table[:1], False
    for line, texts, row in zip(lines, rules, table[1:], strict=True):
        below = Below(words, line, None if width is None else width - len(indent) - display_width(line.below))
        more = [*texts[1:], *below.lines(surrogates)]
        body += [row, *((indent + text).rstrip() for text in more)]
        is_cut |= below.is_cut
    return "\n".join(
        [_title(model, tree), "", *body, *_notes(words, missing, surrogates, width, is_cut), *_before(inside)]
    )


def _before(inside: Inside) -> list[str]:
    """A note on the earlier steps of a pipeline, whose output the rules refer to."""
    return ["", f"Inputs are the output of the steps {', '.join(inside.steps)}."] if inside.steps else []


def _title(model: Any, tree: Tree) -> str:
    rows = [f"{spell_counts(tree.count[:1])[0]} rows"] if np.isfinite(tree.count[0]) else []
    leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    return f"{type(model).__name__}: {', '.join([*rows, leaves, f'depth {tree.depth}'])} (* marks a leaf)"


def _counts(tree: Tree, nodes: list[int]) -> list[Column]:
    """Columns n and share, if known."""
    count = tree.count[nodes]
    if not np.isfinite(count).all() or not count[0] > 0:
        return []
    return [Column("n", spell_counts(count), ">"), Column("share", spell_shares(count / count[0]), ">")]


def _rule(words: Wording, line: Line, room: int | None, missing: bool) -> list[str]:
    """The lines of a node's rule, the first with its branch marks."""
    tree, node = words.tree, line.node
    also = [words.when_missing(node)] if missing and words.when_missing(node) else []
    if tree.n_children[node] and tree.leafness[node] > 0:
        also.append(f"(bud, leafness {words.number(tree.leafness[node])})")
    if line.hidden:
        also.append(f"… {line.hidden} nodes below")
    if room is not None:
        room = max(LEAST_ROOM, room - display_width(line.below))
    asks = words.branch(node, room)
    pieces = (
        [*asks, *also] if len(asks) > 1 else [" ".join([*asks, *also])]
    )  # sets are wrapped, a short rule stays on one line
    first, *rest = wrap(pieces, room, "  ")
    return [line.stem + first, *(line.below + text for text in rest)]


@dataclass(frozen=True)
class Below:
    """The lines below a node: the sum of its gate, its linear response, its surrogates."""

    words: Wording
    line: Line
    room: int | None

    @computed_once
    def sums(self) -> list[Sum]:
        """The equations of the node's response, then its gate if it is written out once."""
        shown, node = not self.line.hidden, self.line.node
        gate = [self.words.gate(node, self.room)] if shown and self.words.written_once(node) else []
        return [*equations(self.words, node, self.room), *gate]

    @property
    def is_cut(self) -> bool:
        return any(told.is_cut for told in self.sums)

    def lines(self, surrogates: bool) -> list[str]:
        """All lines, with branch marks."""
        texts = [text for told in self.sums for text in wrap(told.pieces, self.room, "  ")]
        texts += self._surrogates() if surrogates and not self.line.hidden else []
        return [self.line.below + text for text in texts]

    def _surrogates(self) -> list[str]:
        words, tree, node = self.words, self.words.tree, self.line.node
        rows = tree.surrogates.of(node)
        if not rows or tree.missing[node] != Missing.SURROGATE:
            return []
        first, default = int(tree.first_child[node]), int(tree.first_child[node] + tree.default[node])
        name = words.names[int(tree.feature[node])]
        asks = [f"   {words.surrogate(row, self.room)}" for row in rows]
        head = f"{name} missing: node {first} if"
        wide = max(map(display_width, (head, *asks)))
        table = tree.surrogates
        scores = [
            f"{spell_fixed(table.agreement[r], 3)}   {pad(spell_fixed(table.adjusted[r], 3), 6, '>')}" for r in rows
        ]
        body = [f"{pad(ask, wide)}  {score}" for ask, score in zip(asks, scores, strict=True)]
        return [f"{pad(head, wide)}  agree  adjusted", *body, f"   none known: node {default}"]


def _notes(words: Wording, missing: bool, surrogates: bool, width: int | None, is_cut: bool) -> list[str]:
    """Notes on the table, where they apply."""
    tree = words.tree
    notes = sum_notes(tree, width)
    if lost_its_buds(tree):
        notes.append("No node is a bud: every leafness is 0 or 1, so this is a soft tree.")
    if missing and len(tree.surrogates) and not surrogates:
        notes.append("Missing values use surrogate splits first (surrogates=True lists them).")
    if missing and ((tree.group < 0).any() or len(tree.group_level)):
        notes.append("A category that neither side names counts as missing.")
    if width is not None and words.digits is not None and len(tree.column_mean) and (tree.slope_row >= 0).any():
        notes.append("Terms are centred at their means, so the constant is the mean; (±0.8): standard deviation.")
    if is_cut and len(tree.weight_effect) + len(tree.slope_effect):
        notes.append("Terms are sorted by their effect on a sum; (4%): effect of the terms left out.")
    forms = words.short_forms() if width is not None and words.digits is not None else set()
    if "s" in forms:
        notes.append("s(x) is a curve over x, a sum of hinges; width=None writes it out.")
    if "clip" in forms:
        notes.append("clip(x, a, b) is x, or a if x is less, or b if x is more.")
    if tree.schema.task == "classification" and tree.n_outputs > 1 and (tree.slope_row >= 0).any():
        notes.append("Scores are log odds, up to a number that all classes of a row share.")
    fills = words.fills() if missing else []
    if fills:
        start = "Where the input is missing: "
        notes.append(start + spell_list(fills, None if width is None else width - len(start)))
    return ["", *notes] if notes else []
