"""The sum that gives the output of one row.

    log odds of 1: 66.2% × −2.10 + 33.8% × +4.60 = +0.16 → 1 0.54

Each part is a node with the share of the row that it keeps and what it adds (node_numbers.py); a linear response adds
its value for this row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.formulas.equation import expand, response
from softwood.kernels.kinds import Link
from softwood.tree.arrays import TreeArrays
from softwood.tree.node_numbers import centred_scores, output_names, unit_of
from softwood.tree.spelling import spell_fixed, spell_label, spell_number
from softwood.tree.tree import Tree

MOST_PARTS = 8  # parts written out; the others are summed


@dataclass(frozen=True)
class RowPart:
    """The contribution of one node to the output of a row: share × adds, for every output."""

    node: int
    share: float
    adds: Floats


@dataclass(frozen=True)
class RowSum:
    """The parts of a row's output, largest share first; their sum, (outputs,), and the prediction after the link."""

    tree: Tree
    parts: tuple[RowPart, ...]
    total: Floats
    answer: Floats

    def spell(self, output: int = 0, most: int = MOST_PARTS) -> str:
        """The sum of one output in a line: `66.2% × −2.1 + 33.8% × +4.6 = +0.16`."""
        told, left = self.parts[:most], self.parts[most:]
        values = [float(part.adds[output]) for part in told] + [float(self.total[output])]
        *adds, total = spell_parts(values, unit_of(self.tree))
        text = " + ".join(f"{spell_share(part.share)} × {text}" for part, text in zip(told, adds, strict=True))
        if left:
            rest = sum(part.share * float(part.adds[output]) for part in left)
            summand = spell_parts([rest, *values], unit_of(self.tree))[0]
            text += f" {'−' if summand.startswith('−') else '+'} {summand.lstrip('+−')} from {_count_parts(left)}"
        return f"{text} = {total}"

    def lines(self, outputs: list[int] | None = None) -> list[str]:
        """The sums of all outputs (or of some), each with its name, and the prediction."""
        places = told_outputs(self.tree) if outputs is None else outputs
        names = output_names(self.tree)
        lines = [f"{names[k]}: {self.spell(k)}" for k in places]
        if len(lines) == 1:
            return [f"{lines[0]} → {self.spell_answer()}"]
        return [*lines, f"→ {self.spell_answer()}"]

    def spell_answer(self) -> str:
        """`malignant 0.97`, `152.1`."""
        schema = self.tree.schema
        if schema.task == "classification":
            place = int(schema.decide(self.answer[None])[0])
            return f"{spell_label(schema.answers[place])} {spell_fixed(float(self.answer[place]), 2)}"
        text = ", ".join(map(spell_number, self.answer.tolist()))
        return f"exp = {text}" if self.tree.link == Link.LOG else text


def row_sum(tree: Tree, row: Floats) -> RowSum:
    """The sum for an encoded row, (inputs,) or (1, inputs).

    Examples
    --------
    >>> from softwood import Schema
    >>> tree = Tree(
    ...     response=[[0.0], [-2.0], [4.0]], schema=Schema(("x",), (None,), ("no", "yes"), "classification"),
    ...     link=Link.SIGMOID, first_child=[1, -1, -1], n_children=[2, 0, 0], score=[1, 0, 0], squash=[1, 0, 0],
    ...     feature=[0, -1, -1], threshold=[0.0, np.nan, np.nan], softness=[[1.0, 1.0], [0, 0], [0, 0]])
    >>> print(*row_sum(tree, np.array([-0.2])).lines())
    log odds of yes: 60.0% × −2.00 + 40.0% × +4.00 = +0.40 → yes 0.60
    """
    X = np.asarray(row, np.float64).reshape(1, -1)
    phi, kept = expand(tree.basis, X), (tree.reach(X) * tree.leafness)[0]
    nodes = sorted(np.flatnonzero(kept > 0).tolist(), key=lambda m: -kept[m])
    parts = tuple(RowPart(m, float(kept[m]), centred_scores(tree, response(tree, m, phi))[0]) for m in nodes)
    return RowSum(tree, parts, centred_scores(tree, tree.output(X))[0], tree.predict(X)[0])


def _count_parts(parts: tuple[RowPart, ...]) -> str:
    """`6 more parts (12.3%)`: their number and the share of the row that they keep."""
    return f"{len(parts)} more {'part' if len(parts) == 1 else 'parts'} ({spell_share(sum(p.share for p in parts))})"


def told_outputs(tree: TreeArrays) -> list[int]:
    """The outputs to show: of two probabilities the second, else all."""
    two = tree.n_outputs == 2 and unit_of(tree) == "probability"
    return [1] if two else list(range(tree.n_outputs))


def spell_share(share: float) -> str:
    """Per cent with one decimal, so that products can be verified."""
    return "<0.1%" if share < 0.0005 else "100%" if share >= 0.9995 else f"{100 * share:.1f}%"


def spell_parts(values: list[float], unit: str) -> list[str]:
    """Summands, all with as many decimals as the largest needs for three digits."""
    size = max((abs(value) for value in values if np.isfinite(value)), default=0.0)
    if not 1e-4 <= size < 1e9:
        texts = [spell_number(value) for value in values]
    else:
        decimals = max(0, 2 - int(f"{size:e}".partition("e")[2]))
        texts = [spell_fixed(value, decimals) for value in values]
    return [text if unit == "probability" or text.startswith("−") else f"+{text}" for text in texts]
