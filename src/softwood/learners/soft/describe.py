"""A tree that was learned, with what there is to say of it: the gains of its gates and the importance of its inputs.

Importances by gain are what CART's are, but a soft tree's say less. Of two inputs that count only together the gate
above gains nothing, and all goes to the one below; a gate that weighs all inputs has no gain of one input. What the
tree loses without an input has neither fault: docs/soft.md shows both beside permutation importances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.engines import Floats
from softwood.kernels.expansion import Expansion
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.ground import judge_engine, rises
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Sapling
from softwood.tree import Tree
from softwood.tree.gain import Arrivals, Sample
from softwood.tree.harden import harden

ENOUGH_ROWS = 5_000  # to measure what a gate or an input is worth


@dataclass(frozen=True)
class Described:
    """The tree with its gains, and the importances of its inputs: by what it loses without them, and by gain.

    hardened : the tree with steps for gates, and what the rows say of that.
    """

    tree: Tree
    importance: Floats
    by_gain: Floats
    hardened: Tree


def sample_of(rows: SoftProblem, centre: Floats, scale: Floats) -> Sample:
    """Some of the rows, which are `in_order` with scaled targets, in the user's units."""
    some = rows.head(ENOUGH_ROWS)
    return Sample(some.X, some.target * scale + centre, some.weight)


def describe(
    tree: Tree,
    sapling: Sapling,
    columns: Columns,
    rows: SoftProblem,
    centre: Floats,
    scale: Floats,
    n_threads: int = 1,
    tables: Expansion | None = None,
) -> Described:
    """Of the tree, which was this sapling; `rows` are `in_order` with scaled targets, and some of them are enough."""
    some = rows.head(ENOUGH_ROWS)
    engine = judge_engine(some, columns, n_threads, single=False, tables=tables)
    rise = np.maximum(rises(sapling, columns, engine, rows.X.shape[1]), 0.0)
    importance = np.asarray(rise / rise.sum() if rise.sum() > 0 else rise)
    sample = sample_of(some, centre, scale)
    seen, hardened = Arrivals(tree, sample, n_threads), Arrivals(harden(tree), sample, n_threads)
    return Described(seen.described(), importance, seen.importances(), hardened.counted().described())
