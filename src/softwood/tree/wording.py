"""Gates and responses in words: the one place that says what `x[3] <= 2.5` is called.

A rule belongs to a child: it says which rows its parent's gate sends there. `str(tree)`, `to_text` and every later
export for people take their words from here, so they never disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Missing, Score, Squash, Term
from softwood.tree.spelling import spell_apart, spell_label, spell_list, spell_name, spell_number

if TYPE_CHECKING:
    from softwood.tree.tree import Tree


class SpelledTerm(NamedTuple):
    """One term of a sum: its sign, text without sign, how much it matters, and by how much the text says too much.

    form : "s" or "clip" where several hinges are one term.
    """

    minus: bool
    text: str
    size: float
    less: float = 0.0
    form: str = ""


class Wording:
    """Words for the gates and responses of one tree.

    Parameters
    ----------
    tree : the tree.
    digits : digits of numbers (see `spelling`); None is exact. Two thresholds of one feature that differ never look
        the same: they get the digits it takes.

    Examples
    --------
    >>> from softwood import Schema, Tree
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema(("age",), (None,), ("y",)), first_child=[1, -1, -1],
    ...     n_children=[2, 0, 0], score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[30.5, np.nan, np.nan])
    >>> words = Wording(stump)
    >>> words.rule(1), words.rule(2), words.when_missing(1)
    ('age ≤ 30.5', 'age > 30.5', 'or missing')
    """

    def __init__(self, tree: Tree, digits: int | None = 3) -> None:
        if digits is not None and digits < 1:
            raise ValueError(f"digits must be at least 1, or None for exact numbers, got {digits}.")
        self.tree, self.digits = tree, digits
        self.names = [spell_name(name) for name in tree.schema.features]

    def number(self, value: float) -> str:
        """A number with this wording's digits."""
        return spell_number(value, self.digits)

    # -- rules ---------------------------------------------------------------------------------------------------

    def rule(self, child: int, room: int | None = None) -> str:
        """Which rows the parent's gate sends to `child`; long sets and sums are cut to about `room` columns."""
        node = int(self.tree.parent[child])
        if node < 0:
            return "all rows"
        slot = child - int(self.tree.first_child[node])
        score = Score(self.tree.score[node])
        if score == Score.THRESHOLD:
            return self._threshold(node, slot)
        if score == Score.INTERVAL:
            return self._interval(node, slot)
        if score == Score.CATEGORY:
            return self._category(int(self.tree.feature[node]), self._group(node), slot, room)
        return self._linear(node, slot, room)

    def _threshold(self, node: int, slot: int) -> str:
        tree, feature = self.tree, int(self.tree.feature[node])
        name, at = self.names[feature], float(tree.threshold[node])
        if self._asks_presence(node):
            return f"{name} {'missing' if slot else 'present'}"
        rule = f"{name} {'>' if slot else '≤'} {self._cut(feature, at)}"
        below, above = map(float, tree.softness[node])
        if tree.squash[node] == Squash.RAMP:
            return f"{rule} (ramp {self.number(at - below)} … {self.number(at + above)})"
        return f"{rule} (softness {self.number(below)})" if tree.squash[node] == Squash.SIGMOID else rule

    def _interval(self, node: int, slot: int) -> str:
        tree, feature = self.tree, int(self.tree.feature[node])
        cuts = [self._cut(feature, cut) for cut in tree.cut[tree.cut_begin[node] : tree.cut_begin[node + 1]]]
        name = self.names[feature]
        if slot == 0:
            return f"{name} ≤ {cuts[0]}"
        return f"{name} > {cuts[-1]}" if slot == len(cuts) else f"{cuts[slot - 1]} < {name} ≤ {cuts[slot]}"

    def _category(self, feature: int, group: npt.NDArray[np.int32], slot: int, room: int | None) -> str:
        levels = self.tree.schema.categories[feature] or ()
        members = [spell_label(levels[code]) for code in np.flatnonzero(group == slot)]
        name = self.names[feature]
        if not members:  # no known category comes here, only what the gate cannot read
            return f"{name} missing"
        if len(members) == 1:
            return f"{name} = {members[0]}"
        frame = f"{name} in {{}}"
        left = None if room is None else room - len(frame)
        return f"{name} in {{{spell_list(members, left)}}}"

    def _linear(self, node: int, slot: int, room: int | None) -> str:
        tree = self.tree
        if node in self._lone and self.digits is not None:  # an exact rule is not divided by its weight
            feature, cut, steepness = self._lone[node]
            sign = ("<" if slot else "≥") if steepness > 0 else (">" if slot else "≤")
            soft = f" (softness {self.number(1.0 / abs(steepness))})" if tree.squash[node] == Squash.SIGMOID else ""
            return f"{self.names[feature]} {sign} {self._cut(feature, cut)}{soft}"
        at = slice(tree.weight_begin[node], tree.weight_begin[node + 1])
        terms = self._terms(tree.weight[at], tree.weight_column[at], room is not None)
        side = f" {'<' if slot else '≥'} {self.number(sum(term.less for term in terms) - float(tree.bias[node]))}"
        side += " (soft)" if tree.squash[node] == Squash.SIGMOID else ""
        return _sum(terms, None if room is None else room - len(side)) + side

    # -- sums over the basis -------------------------------------------------------------------------------------

    def _terms(self, weight: npt.NDArray[np.float64], column: npt.NDArray[np.int32], short: bool) -> list[SpelledTerm]:
        """Largest weights first: `0.8·age − 1.2·income`; a zero weight is left out.

        Short: all hinges of an input are one term: `s(age)`, a curve, or `0.8·clip(age, 0, 90)`, a line that is
        held back at both ends. Exact numbers (digits None) are never short.
        """
        short = short and self.digits is not None
        basis, used = self.tree.basis, np.flatnonzero(weight)
        feature, kind = basis.feature[column], basis.term[column]
        hinges = np.bincount(feature[used][kind[used] == Term.HINGE], minlength=len(self.names))
        groups: dict[tuple[int, int], list[int]] = {}
        for i in map(int, used):
            bends = short and hinges[feature[i]] > 1 and kind[i] in (Term.IDENTITY, Term.SQUARE, Term.HINGE)
            groups.setdefault((int(feature[i]), -1 if bends else i), []).append(i)
        terms = [self._spelled(weight[at], column[at]) for at in groups.values()]
        return sorted(terms, key=lambda term: -term.size)

    def _spelled(self, weight: npt.NDArray[np.float64], column: npt.NDArray[np.int32]) -> SpelledTerm:
        """Terms of one input as one."""
        if len(column) == 1:
            return self._times(float(weight[0]), self.term(int(column[0])))
        basis = self.tree.basis
        name = self.names[int(basis.feature[column[0]])]
        knot, hinge = basis.parameter[column], basis.term[column] == Term.HINGE
        if len(column) == 2 and hinge.all() and weight[0] == -weight[1]:
            low, high = np.argsort(knot)
            ends = ", ".join(self.number(float(knot[end])) for end in (low, high))
            term = self._times(float(weight[low]), f"clip({name}, {ends})")
            return term._replace(less=float(weight[low] * knot[low]), form="clip")
        x, square = knot[hinge][:, None], basis.term[column] == Term.SQUARE
        height = np.where(hinge, np.maximum(x - knot, 0.0), np.where(square, x * x, x)) @ weight
        return SpelledTerm(False, f"s({name})", float(np.ptp(height)), form="s")

    def _times(self, weight: float, text: str) -> SpelledTerm:
        size = "" if abs(weight) == 1 else f"{self.number(abs(weight))}·"
        return SpelledTerm(weight < 0, size + text, abs(weight))

    def short_forms(self, gates: bool) -> set[str]:
        """Which of `s` and `clip` the short sums of this tree's responses use, and of its gates if asked."""
        tree = self.tree
        places = zip(tree.weight_begin[:-1], tree.weight_begin[1:], strict=True) if gates else ()
        sums = [self._terms(tree.weight[begin:end], tree.weight_column[begin:end], True) for begin, end in places]
        for row in set(map(int, tree.slope_row)) - {-1}:
            every = np.arange(tree.slope.shape[1], dtype=np.int32)
            sums += [self._terms(slope, every, True) for slope in tree.slope[row].T]
        return {term.form for terms in sums for term in terms} - {""}

    def term(self, column: int) -> str:
        """A column of the basis: `age`, `age²`, `max(0, age − 30)`, `[colour = red]`, `[age missing]`."""
        basis, feature = self.tree.basis, int(self.tree.basis.feature[column])
        name, kind, parameter = self.names[feature], Term(basis.term[column]), float(basis.parameter[column])
        if kind == Term.SQUARE:
            return f"({name})²" if " " in name else f"{name}²"
        if kind == Term.HINGE:
            knot = f" {'−' if parameter > 0 else '+'} {self._cut(feature, parameter).removeprefix('−')}"
            return f"max(0, {name}{knot if parameter else ''})"
        if kind == Term.CATEGORY:
            return f"[{name} = {spell_label((self.tree.schema.categories[feature] or ())[int(parameter)])}]"
        return f"[{name} missing]" if kind == Term.MISSING else name

    # -- missing values ------------------------------------------------------------------------------------------

    def when_missing(self, child: int) -> str:
        """What the rule of `child` adds for a value its gate cannot read: `or missing`, a fraction, or nothing."""
        tree, node = self.tree, int(self.tree.parent[child])
        if node < 0 or tree.score[node] == Score.LINEAR:
            return ""  # a linear gate reads a missing value through its basis
        slot = child - int(tree.first_child[node])
        if tree.missing[node] == Missing.FRACTION:
            return f"or {100 * tree.fraction[child]:.3g}% of missing"
        return "" if slot != tree.default[node] or self._only_missing(node, slot) else "or missing"

    def _only_missing(self, node: int, slot: int) -> bool:
        """Whether the rule itself says that only missing values come to this slot."""
        tree = self.tree
        if tree.score[node] == Score.CATEGORY:
            return not (self._group(node) == slot).any()
        return self._asks_presence(node) and slot == 1

    def _asks_presence(self, node: int) -> bool:
        tree = self.tree
        return bool(
            tree.threshold[node] == np.inf and tree.default[node] == 1 and tree.missing[node] != Missing.FRACTION
        )

    def _group(self, node: int) -> npt.NDArray[np.int32]:
        return self.tree.group[self.tree.group_begin[node] : self.tree.group_begin[node + 1]]

    def surrogate(self, row: int, room: int | None = None) -> str:
        """What surrogate `row` asks; yes sends the row to the first child."""
        table = self.tree.surrogates
        feature, group = int(table.feature[row]), table.slots(row)
        if len(group):
            if not (group == 0).any():
                return f"not {self._category(feature, group, 1, room)}"
            return self._category(feature, group, 0, room)
        sign = ">" if table.flip[row] else "≤"
        return f"{self.names[feature]} {sign} {self._cut(feature, float(table.threshold[row]))}"

    def fills(self) -> list[str]:
        """Per basis column in use what it counts as where its input is missing: `age = 38`."""
        tree, used = self.tree, set(map(int, self.tree.weight_column))
        for row in set(map(int, tree.slope_row)) - {-1}:
            used |= set(map(int, np.flatnonzero(tree.slope[row].any(axis=1))))
        columns = [c for c in sorted(used) if tree.basis.term[c] != Term.MISSING]
        texts = dict.fromkeys(self._fill(c) for c in columns)  # all terms of an input count as one value of it
        return list(texts)

    def _fill(self, column: int) -> str:
        """What a column counts as where its input is missing, said of the input where that says the same."""
        basis, feature = self.tree.basis, int(self.tree.basis.feature[column])
        mine = basis.feature == feature
        hinge, line = mine & (basis.term == Term.HINGE), mine & (basis.term == Term.IDENTITY)
        above = hinge & (basis.when_missing > 0)
        known = np.append(basis.when_missing[line], basis.parameter[above] + basis.when_missing[above])
        if basis.term[column] in (Term.HINGE, Term.IDENTITY) and len(known):
            value = float(known[0])
            fits = np.allclose(basis.when_missing[hinge], np.maximum(value - basis.parameter[hinge], 0.0))
            if fits and np.allclose(basis.when_missing[line], value):
                return f"{self.names[feature]} = {self.number(value)}"
        return f"{self.term(column)} = {self.number(float(basis.when_missing[column]))}"

    # -- responses -----------------------------------------------------------------------------------------------

    def response(self, node: int, output: int = 0, room: int | None = None) -> str:
        """One output's response before the link: a number, or `3 + 0.8·age`."""
        tree = self.tree
        start, row = self.number(float(tree.response[node, output])), int(tree.slope_row[node])
        if row < 0:
            return start
        slope = tree.slope[row, :, output]
        if not slope.any():
            return start
        terms = self._terms(slope, np.arange(len(slope), dtype=np.int32), room is not None)
        start = self.number(float(tree.response[node, output]) - sum(term.less for term in terms))
        text = _sum(terms, None if room is None else room - len(start) - 3)
        return f"{start} − {text[1:]}" if text.startswith("−") else f"{start} + {text}"

    # -- numbers of one feature ----------------------------------------------------------------------------------

    @cached_property
    def _lone(self) -> dict[int, tuple[int, float, float]]:
        """Per linear gate that weighs one number alone: its feature, where the score is 0, and the weight."""
        tree, found = self.tree, {}
        for node in map(int, np.flatnonzero(tree.score == Score.LINEAR)):
            at = slice(tree.weight_begin[node], tree.weight_begin[node + 1])
            weight, column = tree.weight[at], tree.weight_column[at]
            used = np.flatnonzero(weight)
            if len(used) == 1 and tree.basis.term[column[used[0]]] == Term.IDENTITY:
                one, cut = float(weight[used[0]]), float(-tree.bias[node] / weight[used[0]])
                found[node] = int(tree.basis.feature[column[used[0]]]), cut, one
        return found

    @cached_property
    def _cuts(self) -> dict[int, dict[float, str]]:
        """Per feature the text of every number it is compared with."""
        tree, owner = self.tree, np.repeat(np.arange(self.tree.n_nodes), np.diff(self.tree.cut_begin))
        hard, hinge = tree.score == Score.THRESHOLD, tree.basis.term == Term.HINGE
        lone = np.array([gate[:2] for gate in self._lone.values()]).reshape(-1, 2)
        feature = [tree.feature[hard], tree.feature[owner], tree.surrogates.feature, tree.basis.feature[hinge]]
        value = [tree.threshold[hard], tree.cut, tree.surrogates.threshold, tree.basis.parameter[hinge]]
        feature, value = [*feature, lone[:, 0].astype(np.int32)], [*value, lone[:, 1]]
        at, number = np.concatenate(feature), np.concatenate(value)
        return {int(f): spell_apart(number[(at == f) & ~np.isnan(number)], self.digits) for f in np.unique(at)}

    def _cut(self, feature: int, value: float) -> str:
        return self._cuts[feature][float(value)]


def _sum(terms: Sequence[SpelledTerm], room: int | None) -> str:
    """As many terms as there is room for; of two, both."""
    kept = len(terms)
    while kept > 1 and len(terms) > 2 and room is not None and len(_join(terms[:kept], len(terms) - kept)) > room:
        kept -= 1
    return _join(terms[:kept], len(terms) - kept) if terms else "0"


def _join(terms: Sequence[SpelledTerm], left_out: int) -> str:
    first, *rest = terms
    text = ("−" if first.minus else "") + first.text
    text += "".join(f" {'−' if term.minus else '+'} {term.text}" for term in rest)
    return f"{text} + … {left_out} more" if left_out else text
