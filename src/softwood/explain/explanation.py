"""The result of `explain`: contributions of every input to every row's output, and methods to read them.

    output[row] = base + sum over inputs of contributions[row, input]      for every output, in its unit

Pictures and pages read an `Explanation` without computing it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.words import find_answer, spell_answer, spell_cell, spell_value
from softwood.formats.columns import spell_column
from softwood.formats.paths import conditions
from softwood.kernels import apply_link
from softwood.kernels.formulas.equation import expand, response
from softwood.kernels.kinds import Link
from softwood.tree import Tree
from softwood.tree.node_numbers import centred_scores, is_summed, output_names, unit_of
from softwood.tree.row_sum import MOST_PARTS, row_sum, spell_parts, spell_share, told_outputs
from softwood.tree.spelling import pad, spell_label, spell_number
from softwood.tree.wording import Wording

SIDES = ("both", "for", "against")
LEAST_SHARE = 0.005  # paths with a smaller share of the row are omitted
MOST_ADDED = 3  # maximum number of outputs for which the addend of a node is shown
ROOM = 100


@dataclass(frozen=True)
class Reason:
    """One input of one row: its value and its contribution.

    Attributes
    ----------
    feature : index of the input.
    name, value : the input and its value, as text.
    contribution : in units of the output; for two classes, to the log odds of the requested class.
    standard_error : standard error of the contribution; 0 if it is exact.
    share : its proportion of the sum of absolute contributions to the row.
    text : `age = 31`, `windy`, `income missing`.
    """

    feature: int
    name: str
    value: str
    contribution: float
    standard_error: float
    share: float
    text: str


@dataclass(frozen=True)
class RowPath:
    """One path of a row through the tree.

    Attributes
    ----------
    node, share : the last node, and the proportion of the row that it keeps.
    conditions : the conditions on the path; `gate 2 yes` is a sum, which `Explanation.gates` spells out.
    answer : the response of the node as text; if outputs are sums, what it adds: `+4.62 to log odds of yes`.
    """

    node: int
    share: float
    conditions: tuple[str, ...]
    answer: str


@dataclass(frozen=True, eq=False)
class Explanation:
    """Contributions of every input to the outputs of some rows.

    Attributes
    ----------
    tree : the tree that was explained, with the names to print.
    cells : (rows, inputs) the rows as numbers that the tree takes; missing values are NaN, categories are codes.
    contributions : (rows, inputs, outputs) what each input adds to each output, in units of the output (`outputs`).
    standard_error : (rows, inputs, outputs) their standard errors; 0 if a contribution is exact.
    base : (outputs,) mean output over the background rows.
    output : (rows, outputs) output of the tree; `base` plus the sum of the contributions.
    method : "exact" or "sampling".
    n_background : number of distinct background rows used.
    n_distinct : number of distinct background rows given; more than `n_background` if they were sampled.
    interval : (rows, targets, 2) ends of 90 % intervals, for a regressor with held-out rows; else None.
    """

    tree: Tree
    cells: Floats
    contributions: Floats
    standard_error: Floats
    base: Floats
    output: Floats
    method: str
    n_background: int
    interval: Floats | None = None
    n_distinct: int | None = None

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, rows: int | slice | Sequence[int]) -> Explanation:
        """The explanation of some of the rows, or of one."""
        if isinstance(rows, int | np.integer):
            self._row(int(rows))
            rows = [int(rows)]
        names = ("cells", "contributions", "standard_error", "output")
        interval = None if self.interval is None else self.interval[rows]
        return replace(self, interval=interval, **{name: getattr(self, name)[rows] for name in names})

    def __repr__(self) -> str:
        rows, inputs, outputs = self.contributions.shape
        sizes = f"{rows} rows, {inputs} inputs, {', '.join(self.outputs) if outputs < 4 else f'{outputs} outputs'}"
        return f"Explanation({sizes}; {self.method}, against {self._compared} background rows)"

    @property
    def _compared(self) -> str:
        """The number of background rows, and of how many if they were sampled."""
        cut = self.n_distinct is not None and self.n_distinct > self.n_background
        return f"{self.n_background} of {self.n_distinct}" if cut else str(self.n_background)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self.tree.schema.features

    @property
    def outputs(self) -> tuple[str, ...]:
        """The unit of every output: `log odds of yes`, `score of setosa`, `probability of no`, `price`."""
        return output_names(self.tree)

    def decided(self, row: int = 0) -> Any:
        """The predicted class of a row; for regression the first target."""
        if self.tree.schema.task != "classification":
            return self.tree.schema.answers[0]
        return self.tree.schema.answers[int(self.tree.decide(self._row(row))[0])]

    def of(self, answer: Any) -> tuple[str, Floats, Floats]:
        """The unit of the contributions to one class or target, the contributions, and their standard errors: (rows,
        inputs) each. Of two classes with one output, the first has the negative contributions of the second. Scores of
        three or more classes are centred on their mean, since only differences between scores matter.
        """
        place, tree = find_answer(self.tree, answer), self.tree
        if tree.link == Link.SIGMOID and tree.n_outputs == 1:
            sign, label = (1.0 if place else -1.0), spell_label(tree.schema.answers[place])
            return f"log odds of {label}", sign * self.contributions[:, :, 0], self.standard_error[:, :, 0]
        found = self.contributions[:, :, place]
        if tree.link == Link.SOFTMAX:
            found = found - self.contributions.mean(axis=2)
        return self.outputs[place], found, self.standard_error[:, :, place]

    def base_of(self, answer: Any) -> float:
        """The mean output over the background rows for one class or target."""
        place, tree = find_answer(self.tree, answer), self.tree
        if tree.link == Link.SIGMOID and tree.n_outputs == 1:
            return float(self.base[0]) if place else -float(self.base[0])
        return float(self.base[place] - (self.base.mean() if tree.link == Link.SOFTMAX else 0.0))

    def reasons(self, row: int = 0, answer: Any = None, n: int | None = 4, side: str = "both") -> tuple[Reason, ...]:
        """The most important inputs of one row, the largest contribution first.

        Parameters
        ----------
        row : position among the explained rows.
        answer : class or target to explain; None: the predicted class.
        n : maximum number of reasons; None: all that are not 0.
        side : "for" (increases the output), "against" (decreases it) or "both".
        """
        if side not in SIDES:
            raise ValueError(f"side must be one of {', '.join(map(repr, SIDES))}, got {side!r}.")
        cells = self._row(row)[0]
        _, all_rows, errors = self.of(self.decided(row) if answer is None else answer)
        found, total = all_rows[row], float(np.abs(all_rows[row]).sum())
        size = {"both": np.abs(found), "for": found, "against": -found}[side]
        order = [int(f) for f in np.argsort(-size, kind="stable") if size[f] > 0]
        return tuple(
            Reason(
                f,
                self.inputs[f],
                spell_value(self.tree.schema, f, float(cells[f])),
                float(found[f]),
                float(errors[row, f]),
                abs(float(found[f])) / total,
                spell_cell(self.tree.schema, f, float(cells[f])),
            )
            for f in order[:n]
        )

    def paths(self, row: int = 0, n: int = 3) -> tuple[RowPath, ...]:
        """The paths of a row through the tree with the largest shares; for a hard tree its path."""
        tree, words, cells = self.tree, Wording(self.tree), self._row(row)
        share = tree.reach(cells)[0] * tree.leafness
        nodes = [int(p) for p in np.argsort(-share, kind="stable")[:n] if share[p] >= LEAST_SHARE]
        outputs = [response(tree, p, expand(tree.basis, cells)) for p in nodes]
        said = [self._said(centred_scores(tree, output)) for output in outputs]
        told = zip(nodes, said, strict=True)
        return tuple(RowPath(p, float(share[p]), tuple(conditions(words, p, ROOM)), text) for p, text in told)

    def _said(self, output: Floats) -> str:
        """The response of a node to a row or, if outputs are sums, what it adds: (1, outputs)."""
        tree = self.tree
        if not is_summed(tree):
            return spell_answer(tree, apply_link(int(tree.link), output))
        names, places = output_names(tree), told_outputs(tree)
        largest = sorted(places, key=lambda k: -output[0, k])[:MOST_ADDED]
        texts = spell_parts([float(output[0, k]) for k in largest], unit_of(tree))
        return ", ".join(f"{text} to {names[k]}" for text, k in zip(texts, largest, strict=True))

    def _row(self, row: int) -> Floats:
        """The numbers of one row, (1, inputs)."""
        if not -len(self) <= row < len(self):
            raise IndexError(f"row must be below {len(self)}, the number of explained rows, got {row}.")
        return np.asarray(self.cells[row][None])

    def gates(self, paths: Sequence[RowPath]) -> dict[int, str]:
        """The sums behind the names in paths: `gate 2` is `0.8·age − 1.2·income ≥ 3?`."""
        words, found = Wording(self.tree), {}
        for path in paths:
            node = path.node
            while node:
                node = int(self.tree.parent[node])
                if words.written_once(node) and not words.is_mean(node):
                    found[node] = " ".join(words.gate(node, ROOM).pieces)
        return dict(sorted(found.items()))

    def to_text(self, row: int = 0, answer: Any = None, n: int = 8) -> str:
        """One row as text: its output, the most important inputs, and its path through the tree."""
        answer = self.decided(row) if answer is None else answer
        unit, found, _ = self.of(answer)
        reasons = self.reasons(row, answer, n)
        total = float(found[row].sum())
        left = total - sum(reason.contribution for reason in reasons)
        others = int(np.count_nonzero(found[row])) - len(reasons)
        texts = [reason.text for reason in reasons] + [f"… {others} more"] * bool(others)
        changes = [reason.contribution for reason in reasons] + [left] * bool(others)
        numbers = [_signed(number) for number in spell_column(np.array([*changes, total]), 3)]
        said = spell_answer(self.tree, self.tree.predict(self._row(row)))
        if self.interval is not None:
            ends = self.interval[row, find_answer(self.tree, answer)]
            said += f" (90%: {spell_number(ends[0])} to {spell_number(ends[1])})"
        lines = [f"{said}; {unit} {numbers.pop()} against the mean of {self._compared} background rows"]
        wide = max(map(len, numbers), default=0)
        lines += [f"  {pad(number, wide, '>')}  {text}" for number, text in zip(numbers, texts, strict=True)]
        paths = self.paths(row, n=MOST_PARTS)
        lines += [f"{spell_share(path.share)} {_way(path)}: {path.answer}" for path in paths]
        whole = row_sum(self.tree, self._row(row))
        rest = whole.parts[len(paths) :]
        if rest:
            lines.append(f"{spell_share(sum(part.share for part in rest))} by … {len(rest)} more")
        if is_summed(self.tree) and len(whole.parts) > 1:
            places = sorted(told_outputs(self.tree), key=lambda k: -whole.total[k])[:MOST_ADDED]
            lines += whole.lines(places)
        lines += [f"gate {node}: {text}" for node, text in self.gates(paths).items()]
        return "\n".join(lines)


def _way(path: RowPath) -> str:
    return f"by {' and '.join(path.conditions)}" if path.conditions else "at the root"


def _signed(number: str) -> str:
    return number if number.startswith("−") else f"+{number}"
