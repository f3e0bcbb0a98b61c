"""Range, spread and cuts of an input, from rows or from the tree's summary of its training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.kinds import Score, Term
from softwood.tree import Kind, Tree

TAIL = 0.05  # proportion of rows on either side outside the spread


@dataclass(frozen=True)
class InputRange:
    """One input.

    Attributes
    ----------
    low, high : smallest and largest value.
    spread : between the 5% and 95% quantiles; for a category the number of steps between levels.
    typical : median; for a category the most common level.
    whole : whether all known values are integers.
    n_levels : number of levels of a category; 0 for a number.
    has_missing : whether some rows had missing values.
    """

    low: float
    high: float
    spread: float
    typical: float
    whole: bool
    n_levels: int
    has_missing: bool


def used_inputs(tree: Tree, *, surrogates: bool = True) -> list[int]:
    """Inputs that a gate, a response or a surrogate uses."""
    single = (tree.n_children > 0) & (tree.feature >= 0)
    weighed = tree.weight_column[tree.weight != 0]
    sloped = np.flatnonzero(np.any(tree.slope != 0, axis=(0, 2))) if len(tree.slope) else np.zeros(0, np.int64)
    of_basis = tree.basis.feature[np.concatenate([weighed, sloped]).astype(np.int64)]
    instead = tree.surrogates.feature if surrogates else np.zeros(0, np.int32)
    asked = np.concatenate([tree.feature[single], instead, of_basis])
    return [int(f) for f in np.unique(asked)]


def cuts_of(tree: Tree, feature: int) -> list[float]:
    """Thresholds of a number, ascending."""
    cuts = tree.threshold[(tree.score == Score.THRESHOLD) & (tree.feature == feature)].tolist()
    for m in np.flatnonzero((tree.score == Score.INTERVAL) & (tree.feature == feature)):
        cuts += tree.cut[tree.cut_begin[m] : tree.cut_begin[m + 1]].tolist()
    cuts += tree.surrogates.threshold[tree.surrogates.feature == feature].tolist()
    return sorted({cut for cut in cuts if np.isfinite(cut)})


def knots_of(tree: Tree, feature: int) -> list[float]:
    """Knots of the curves of a number, ascending."""
    hinge = (tree.basis.term == Term.HINGE) & (tree.basis.feature == feature)
    return sorted(set(tree.basis.parameter[hinge].tolist()))


def input_range(tree: Tree, feature: int, rows: Floats | None, wanted_by: str) -> InputRange:
    """The range of one input, from rows if given."""
    n_levels = tree.schema.n_levels(feature)
    if rows is not None:
        return _of_values(rows[:, feature], n_levels)
    summary = tree.schema.summaries[feature]
    if tree.schema.kinds[feature] == Kind.BOOLEAN and summary is None:
        return InputRange(0.0, 1.0, 1.0, 0.0, True, 0, False)
    if n_levels:
        counts = summary.counts if summary is not None else (1.0,) * n_levels
        gone = summary is not None and summary.missing > 0
        return InputRange(0.0, n_levels - 1.0, max(n_levels - 1.0, 1.0), float(np.argmax(counts)), True, n_levels, gone)
    if summary is None or summary.range is None or not summary.quantiles:
        raise ValueError(
            f"{wanted_by} needs rows: the tree has no range of input {tree.schema.features[feature]!r:.80}; "
            "pass X, rows as predict takes them."
        )
    known = dict(summary.quantiles)
    low, high = summary.range
    values = [low, high, *known.values()]
    spread = known.get(1.0 - TAIL, high) - known.get(TAIL, low)
    whole = all(value == int(value) for value in values)
    return InputRange(low, high, spread or high - low, known.get(0.5, low), whole, 0, summary.missing > 0)


def _of_values(values: Floats, n_levels: int) -> InputRange:
    known = values[~np.isnan(values)]
    gone = len(known) < len(values)
    if n_levels:
        counts = np.bincount(known[(known >= 0) & (known < n_levels)].astype(np.int64), minlength=n_levels)
        return InputRange(0.0, n_levels - 1.0, max(n_levels - 1.0, 1.0), float(np.argmax(counts)), True, n_levels, gone)
    if not len(known):
        return InputRange(np.nan, np.nan, 1.0, np.nan, False, 0, gone)
    low, high = float(known.min()), float(known.max())
    below, middle, above = np.quantile(known, [TAIL, 0.5, 1.0 - TAIL], method="inverted_cdf").tolist()
    whole = bool(np.all(known == np.floor(known)))
    return InputRange(low, high, (above - below) or (high - low), middle, whole, 0, gone)
