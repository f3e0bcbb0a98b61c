"""Gates and responses as text, for example of `x[3] <= 2.5`.

A rule belongs to a child: it is the condition for its parent's gate to send rows there. `str(tree)`, `to_text` and all
other text outputs use this module, so they agree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.contracts.level_slots import slots_of
from softwood.kernels.kinds import Link, Missing, Score, Squash, Term
from softwood.tree.arrays import TreeArrays
from softwood.tree.once import computed_once
from softwood.tree.schema import Kind
from softwood.tree.spelling import fit_items, spell_apart, spell_fixed, spell_label, spell_name, spell_number
from softwood.tree.sums import SpelledTerm, Sum, fit_sum, spell_mean

NO_MEAN = 1e-12  # of an input: 0 apart from rounding, as after centring
MOST_LINES = 8  # of a wrapped set of categories
GATE_LINES, RESPONSE_LINES = 3, 2  # of a wrapped sum


class Middle(NamedTuple):
    """Means of the basis columns over the rows that arrive; `lines`: whether lines are centred, too, not only
    curves.
    """

    columns: Floats
    lines: bool = True


class Wording:
    """The wording of the gates and responses of one tree.

    Parameters
    ----------
    tree : the tree.
    digits : digits of numbers (see `spelling`); None is exact. Different thresholds of one feature get as many digits
        as needed to differ.

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

    def __init__(self, tree: TreeArrays, digits: int | None = 3) -> None:
        if digits is not None and digits < 1:
            raise ValueError(f"digits must be at least 1, or None for exact numbers, got {digits}.")
        self.tree, self.digits = tree, digits
        self.names = [spell_name(name) for name in tree.schema.features]

    def number(self, value: float) -> str:
        """A number with this wording's digits."""
        return spell_number(value, self.digits)

    # -- rules ---------------------------------------------------------------------------------------------------

    def rule(self, child: int, room: int | None = None) -> str:
        """The condition for the parent's gate to send rows to `child`; long sets and sums are truncated to about `room`
        characters.
        """
        node, slot = self.place(child)
        if node < 0:
            return "all rows"
        if self.is_mean(node):
            return self._part(node, slot)
        if self.tree.score[node] == Score.LINEAR and not self._is_lone(node):
            return " ".join(self._linear(node, "<" if slot else "≥", room, 1).pieces)
        return " ".join([*self._asks(node, slot, room, 1), *self._softness(node)])

    def branch(self, child: int, room: int | None = None, n_lines: int = MOST_LINES) -> list[str]:
        """The rule of `child` below its gate, in pieces to wrap: yes or no for a gate that is `written_once`.

        A soft gate sends a row to both sides: its rules are marked `soft`, and the first has the softness.
        """
        node, slot = self.place(child)
        if node < 0:
            return ["all rows"]
        if self.is_mean(node):
            return [self._part(node, slot)]
        soft = self.tree.squash[node] != Squash.STEP
        if self.written_once(node):
            return [("no" if slot else "yes") + (" (soft)" if soft else "")]
        asks = self._asks(node, slot, room, n_lines)
        return [" ".join([*asks, *(["(soft)"] if slot else self._softness(node))])] if soft else asks

    def written_once(self, node: int) -> bool:
        """Whether the gate of a node is a sum or a mean of trees, which is written once, above its branches."""
        return self.is_mean(node) or (bool(self.tree.score[node] == Score.LINEAR) and not self._is_lone(node))

    def is_mean(self, node: int) -> bool:
        """Whether the node is the mean of its children, which are separate trees, and has no rule."""
        return bool(self.tree.score[node] == Score.CONSTANT)

    def gate(self, node: int, room: int | None = None) -> Sum:
        """The question of a gate that is written once, in pieces to wrap: `0.8·age − 1.2·income ≥ 3? (soft)`."""
        if self.is_mean(node):
            return spell_mean(self.tree.fraction[self.tree.children(node)], room)
        return self._linear(node, "≥", room, GATE_LINES, "?")

    def place(self, child: int) -> tuple[int, int]:
        """The parent and the slot of a child."""
        node = int(self.tree.parent[child])
        return node, child - int(self.tree.first_child[node]) if node >= 0 else 0

    def _part(self, node: int, slot: int) -> str:
        """One of the trees that a node averages: `tree 2 of 3`."""
        return f"tree {slot + 1} of {self.tree.n_children[node]}"

    def _asks(self, node: int, slot: int, room: int | None, n_lines: int) -> list[str]:
        """The condition of a gate on one input for a slot, in pieces."""
        score = Score(self.tree.score[node])
        if score == Score.CATEGORY:
            return self._category(int(self.tree.feature[node]), self._group(node), slot, room, n_lines)
        if score == Score.INTERVAL:
            return [self._interval(node, slot)]
        return [self._threshold(node, slot) if score == Score.THRESHOLD else self._lone_number(node, slot)]

    def _softness(self, node: int) -> list[str]:
        """The softness of a gate on one input; nothing for a step."""
        tree, squash = self.tree, self.tree.squash[node]
        if squash == Squash.STEP:
            return []
        if tree.score[node] == Score.LINEAR:
            return [f"(softness {self.number(1.0 / abs(self._lone[node][2]))})"]
        at, (below, above) = float(tree.threshold[node]), map(float, tree.softness[node])
        ends = f"{self.number(at - below)} … {self.number(at + above)}"
        return [f"(ramp {ends})" if squash == Squash.RAMP else f"(softness {self.number(below)})"]

    def _threshold(self, node: int, slot: int) -> str:
        tree, feature = self.tree, int(self.tree.feature[node])
        name, at = self.names[feature], float(tree.threshold[node])
        if self._asks_presence(node):
            return f"{name} {'missing' if slot else 'present'}"
        if self._parts_booleans(feature, at):
            return name if slot else f"not {name}"
        return f"{name} {'>' if slot else '≤'} {self._cut(feature, at)}"

    def _parts_booleans(self, feature: int, cut: float) -> bool:
        """Whether a threshold on a boolean input separates true from false."""
        return self.tree.schema.kinds[feature] == Kind.BOOLEAN and 0 <= cut < 1

    def between(self, feature: int, lower: float, upper: float) -> str:
        """A number between two of its thresholds, either of which may be infinite: `18 < age ≤ 30`."""
        name = self.names[feature]
        if self._parts_booleans(feature, min(upper, max(lower, 0.0))):
            return name if lower >= 0 else f"not {name}"
        if lower == -np.inf:
            return f"{name} ≤ {self._cut(feature, upper)}"
        if upper == np.inf:
            return f"{name} > {self._cut(feature, lower)}"
        return f"{self._cut(feature, lower)} < {name} ≤ {self._cut(feature, upper)}"

    def _interval(self, node: int, slot: int) -> str:
        tree, feature = self.tree, int(self.tree.feature[node])
        cuts = [self._cut(feature, cut) for cut in tree.cut[tree.cut_begin[node] : tree.cut_begin[node + 1]]]
        name = self.names[feature]
        if slot == 0:
            return f"{name} ≤ {cuts[0]}"
        return f"{name} > {cuts[-1]}" if slot == len(cuts) else f"{cuts[slot - 1]} < {name} ≤ {cuts[slot]}"

    def _category(
        self, feature: int, group: npt.NDArray[np.int32], slot: int, room: int | None, n_lines: int = 1
    ) -> list[str]:
        levels = self.tree.schema.categories[feature] or ()
        members = [spell_label(levels[code]) for code in np.flatnonzero(group == slot)]
        name = self.names[feature]
        if not members:  # no known category comes here, only missing values
            return [f"{name} missing"]
        if len(members) == 1:
            return [f"{name} = {members[0]}"]
        frame = len(f"{name} in {{}}")
        first, *rest = fit_items(members, None if room is None else room - (frame if n_lines == 1 else 2), n_lines)
        pieces = [f"{name} in {{{first}", *rest]
        return [*(f"{piece}," for piece in pieces[:-1]), f"{pieces[-1]}}}"]

    def _is_lone(self, node: int) -> bool:
        """Whether a linear gate reads as a threshold; an exact rule is not divided by its weight."""
        return self.digits is not None and node in self._lone

    def _lone_number(self, node: int, slot: int) -> str:
        feature, cut, steepness = self._lone[node]
        if self._parts_booleans(feature, cut) and cut > 0:
            return self.names[feature] if (steepness > 0) != bool(slot) else f"not {self.names[feature]}"
        sign = ("<" if slot else "≥") if steepness > 0 else (">" if slot else "≤")
        return f"{self.names[feature]} {sign} {self._cut(feature, cut)}"

    def _linear(self, node: int, sign: str, room: int | None, n_lines: int, mark: str = "") -> Sum:
        tree, at = self.tree, slice(self.tree.weight_begin[node], self.tree.weight_begin[node + 1])
        effect = tree.weight_effect[at] if len(tree.weight_effect) else None
        mean = self._column_mean(node, room)
        terms = self._terms(
            tree.weight[at], tree.weight_column[at], effect, room is not None, mean and mean._replace(lines=False)
        )
        side = f"{sign} {self.number(sum(term.less for term in terms) - float(tree.bias[node]))}{mark}"
        side += " (soft)" if tree.squash[node] == Squash.SIGMOID else ""
        return fit_sum(terms, effect is not None, room, n_lines, end=side)

    # -- sums over the basis -------------------------------------------------------------------------------------

    def _terms(
        self,
        weight: Floats,
        column: npt.NDArray[np.int32],
        effect: Floats | None,
        short: bool,
        mean: Middle | None = None,
    ) -> list[SpelledTerm]:
        """A sum with inputs of the largest effect, or weight, first: `0.8·age − 1.2·income`; no zero weights.

        Short: all hinges of an input are one term: `s(age)`, a curve, or `0.8·clip(age, 0, 90)`, a line that is clipped
        at both ends. Exact numbers (digits None) are never short. With `mean`, curves are centred over the rows that
        arrive, and so are lines, `0.8·(age − 38)`, if requested.
        """
        short = short and self.digits is not None
        basis, used = self.tree.basis, np.flatnonzero(weight)
        feature, kind = basis.feature[column], basis.term[column]
        hinges = np.bincount(feature[used][kind[used] == Term.HINGE], minlength=len(self.names))
        groups: dict[tuple[int, int], list[int]] = {}
        for i in map(int, used):
            bends = short and hinges[feature[i]] > 1 and kind[i] in (Term.IDENTITY, Term.SQUARE, Term.HINGE)
            groups.setdefault((int(feature[i]), -1 if bends else i), []).append(i)
        terms = [(f, self._spelled(weight[at], column[at], mean)) for (f, _), at in groups.items()]
        if effect is None:
            return sorted((term for _, term in terms), key=lambda term: -term.size)
        terms = [
            (f, t._replace(size=float(effect[at].sum()))) for (f, t), at in zip(terms, groups.values(), strict=True)
        ]
        of_input = np.bincount(feature, effect, len(self.names))
        levels = [self.tree.schema.n_levels(f) for f, _ in terms]
        order = sorted(
            range(len(terms)), key=lambda i: (-of_input[terms[i][0]], terms[i][0], -terms[i][1].size * (levels[i] > 0))
        )
        return [terms[i][1] for i in order]

    def _spelled(self, weight: Floats, column: npt.NDArray[np.int32], mean: Middle | None = None) -> SpelledTerm:
        """Terms of one input as one; with `mean`, centred over the rows that arrive."""
        average = 0.0 if mean is None else sum((weight * mean.columns[column]).tolist())
        if len(column) == 1:
            text = self.term(int(column[0]))
            if mean is None or not mean.lines:
                return self._times(float(weight[0]), text)
            return self._about(float(weight[0]), text, average / float(weight[0]), average)
        basis = self.tree.basis
        name = self.names[int(basis.feature[column[0]])]
        knot, hinge = basis.parameter[column], basis.term[column] == Term.HINGE
        if len(column) == 2 and hinge.all() and weight[0] == -weight[1]:
            low, high = np.argsort(knot)
            ends = ", ".join(self.number(float(knot[end])) for end in (low, high))
            one, start = float(weight[low]), float(weight[low] * knot[low])
            if mean is None or not mean.lines:
                return self._times(one, f"clip({name}, {ends})")._replace(less=start, form="clip")
            return self._about(one, f"clip({name}, {ends})", (start + average) / one, average)._replace(form="clip")
        x, square = knot[hinge][:, None], basis.term[column] == Term.SQUARE
        bent = np.square(np.where(square, x, 0.0))  # only squares: knots of 1e155 have none
        height = np.where(hinge, np.maximum(x - knot, 0.0), np.where(square, bent, x)) @ weight
        return SpelledTerm(False, f"s({name})", float(np.ptp(height)), -average, form="s")

    def _about(self, weight: float, text: str, middle: float, average: float) -> SpelledTerm:
        """`0.8·(age − 38)`: a centred term."""
        if abs(middle) < NO_MEAN:
            return self._times(weight, text)._replace(less=-average)
        sign = "+" if middle < 0 else "−"
        return self._times(weight, f"({text} {sign} {self.number(abs(middle))})")._replace(less=-average)

    def _column_mean(self, node: int, room: int | None) -> Middle | None:
        """Means that centre the sums of a node; None for sums written out as stored."""
        if room is None or self.digits is None or not len(self.tree.column_mean):
            return None
        return Middle(self.tree.column_mean[node])

    def _times(self, weight: float, text: str) -> SpelledTerm:
        size = "" if abs(weight) == 1 else f"{self.number(abs(weight))}·"
        return SpelledTerm(weight < 0, size + text, abs(weight))

    def short_forms(self) -> set[str]:
        """Which of `s` and `clip` the short sums of this tree use."""
        tree = self.tree
        places = zip(tree.weight_begin[:-1], tree.weight_begin[1:], strict=True)
        sums = [self._terms(tree.weight[begin:end], tree.weight_column[begin:end], None, True) for begin, end in places]
        for row in set(map(int, tree.slope_row)) - {-1}:
            every = np.arange(tree.slope.shape[1], dtype=np.int32)
            sums += [self._terms(slope, every, None, True) for slope in tree.slope[row].T]
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
        """The suffix of the rule of `child` for missing values: `or missing`, a fraction, or nothing."""
        tree, node = self.tree, int(self.tree.parent[child])
        if node < 0 or tree.score[node] == Score.LINEAR or self.is_mean(node):
            return ""  # a linear gate handles a missing value through its basis
        slot = child - int(tree.first_child[node])
        if tree.missing[node] == Missing.FRACTION:
            return f"or {100 * tree.fraction[child]:.3g}% of missing"
        return "" if slot != tree.default[node] or self._only_missing(node, slot) else "or missing"

    def _only_missing(self, node: int, slot: int) -> bool:
        """Whether the rule itself states that only missing values come to this slot."""
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
        tree = self.tree
        n_levels = tree.schema.n_levels(int(tree.feature[node]))
        return slots_of(tree.group_begin, tree.group, tree.group_level, node, n_levels)

    def surrogate(self, row: int, room: int | None = None) -> str:
        """The question of surrogate `row`; yes sends the row to the first child."""
        table = self.tree.surrogates
        feature = int(table.feature[row])
        group = table.slots(row, self.tree.schema.n_levels(feature))
        if len(group):
            if not (group == 0).any():
                return f"not {' '.join(self._category(feature, group, 1, room))}"
            return " ".join(self._category(feature, group, 0, room))
        sign = ">" if table.flip[row] else "≤"
        return f"{self.names[feature]} {sign} {self._cut(feature, float(table.threshold[row]))}"

    def fills(self) -> list[str]:
        """The replacement for a missing input per used basis column: `age = 38`."""
        tree, used = self.tree, set(map(int, self.tree.weight_column))
        for row in set(map(int, tree.slope_row)) - {-1}:
            used |= set(map(int, np.flatnonzero(tree.slope[row].any(axis=1))))
        plain = (tree.basis.term == Term.MISSING) | (
            (tree.basis.term == Term.CATEGORY) & (tree.basis.when_missing == 0)
        )
        columns = [c for c in sorted(used) if not plain[c]]  # an indicator needs no replacement
        texts = dict.fromkeys(self._fill(c) for c in columns)  # all terms of an input count as one value of it
        return list(texts)

    def _fill(self, column: int) -> str:
        """The replacement of a column for a missing input, as a value of the input if equivalent."""
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
        """One output's response before the link, on one line: a number, or `3 + 0.8·age`."""
        return " ".join(self._response(node, output, room, 1).pieces)

    def equation(self, node: int, output: int, room: int | None = None) -> Sum:
        """A linear response in pieces to wrap: `y = 3 + 0.8·age`, `log odds of yes = 3 + 0.8·age`."""
        tree, classes = self.tree, self.tree.schema.task == "classification"
        two = classes and tree.n_outputs == 1 and tree.n_answers == 2
        label = spell_label(tree.schema.answers[1 if two else output])
        name = f"log odds of {label}" if two else f"score of {label}" if classes else label
        name = f"log mean of {label}" if tree.link == Link.LOG else name
        return self._response(node, output, room, RESPONSE_LINES, f"{name} = ")

    def _response(self, node: int, output: int, room: int | None, n_lines: int, name: str = "") -> Sum:
        tree, row = self.tree, int(self.tree.slope_row[node])
        constant = float(tree.response[node, output])
        if row < 0 or not tree.slope[row, :, output].any():
            return Sum([name + self.number(constant)], False)
        slope = tree.slope[row, :, output]
        effect = tree.slope_effect[row, :, output] if len(tree.slope_effect) else None
        mean = self._column_mean(node, room)
        terms = self._terms(slope, np.arange(len(slope), dtype=np.int32), effect, room is not None, mean)
        if mean is not None and tree.link == Link.SOFTMAX:  # relative to the mean of all classes, as in `node_numbers`
            constant -= float((tree.response[node] + (mean.columns[:, None] * tree.slope[row]).sum(axis=0)).mean())
        start = name + self.number(constant - sum(term.less for term in terms))
        if mean is not None and effect is not None and n_lines > 1:  # the effect of each term on the sum
            terms = [term._replace(text=f"{term.text} (±{spell_fixed(*_two_digits(term.size))})") for term in terms]
        return fit_sum(terms, effect is not None, room, n_lines, start=start)

    # -- numbers of one feature ----------------------------------------------------------------------------------

    @computed_once
    def _lone(self) -> dict[int, tuple[int, float, float]]:
        """Per linear gate on a single number: its feature, the zero of the score, and the weight."""
        tree, found = self.tree, {}
        for node in map(int, np.flatnonzero(tree.score == Score.LINEAR)):
            at = slice(tree.weight_begin[node], tree.weight_begin[node + 1])
            weight, column = tree.weight[at], tree.weight_column[at]
            used = np.flatnonzero(weight)
            if len(used) == 1 and tree.basis.term[column[used[0]]] == Term.IDENTITY:
                one, cut = float(weight[used[0]]), float(-tree.bias[node] / weight[used[0]])
                found[node] = int(tree.basis.feature[column[used[0]]]), cut, one
        return found

    @computed_once
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


def _two_digits(size: float) -> tuple[float, int]:
    """A size, and the decimals that show two digits of it."""
    return size, max(0, 1 - int(np.floor(np.log10(size)))) if 1e-6 < size < 1e15 else 0
