"""Whether these rows are like the training rows: population stability indices of the score, the leaves and the inputs.

    index = sum over bins of (q − p) log(q / p),        p, q: shares of the training rows and of these rows in a bin

Bins of numbers are deciles of the training rows, with missing values in their own bin; each level or leaf is a bin. In
a leaf of a soft tree every row counts by its reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats
from softwood.explain.ranges import used_inputs
from softwood.stats.pairs import stability_of_counts
from softwood.tree.spelling import spell_fixed, spell_number
from softwood.view.plots.scene import Scene
from softwood.view.reports.markup import paragraph, percent, table

SOME_SHIFT, LARGE_SHIFT = 0.1, 0.25  # of the index, by the convention of credit scoring
N_BINS = 10
MOST_LINES = 30
MOST_IN_COMMON = 0.5  # of the rows: with fewer, equal rows may be chance
HEAD = ["", "training rows", "these rows", "stability index", "shift"]


class Shift(NamedTuple):
    """A shift: its name, mean or the share of the bin with the largest change (before, now), and the index."""

    name: str
    before: str
    now: str
    psi: float

    @property
    def word(self) -> str:
        """The size of the shift, by convention."""
        return "little" if self.psi < SOME_SHIFT else "some" if self.psi < LARGE_SHIFT else "large"


def find_shifts(scene: Scene, training: Floats | None) -> list[Shift]:
    """Shifts of the scores, the leaves and the inputs; without training rows, of those whose counts the tree stores."""
    found = [] if training is None else list(_scores(scene, training))
    found += _leaves(scene)
    inputs = [shift for f in range(scene.tree.n_features) if (shift := _input(scene, f, training)) is not None]
    return found + sorted(inputs, key=lambda shift: -shift.psi)


def show_stability(shifts: list[Shift], complete: bool) -> str:
    """The table of the report."""
    if not shifts:
        return "<h3>Stability</h3>" + paragraph(_advice(), "unsaid")
    lines = [[one.name, one.before, one.now, spell_fixed(one.psi, 3), one.word] for one in shifts[:MOST_LINES]]
    said = (
        f"Population stability index between the training rows and these: below {SOME_SHIFT} a small shift, "
        f"from {LARGE_SHIFT} a large one, by convention. Numbers: mean; bins are deciles of the training rows. Levels "
        "and leaves: the share of the one with the largest change."
    )
    more = len(shifts) - MOST_LINES
    said += f" {more} inputs with smaller shifts are not shown." if more > 0 else ""
    told = "<h3>Stability</h3>" + table(HEAD, lines, caption=said)
    return told if complete else told + paragraph(_advice(), "unsaid")


def notes_on_shifts(scene: Scene, shifts: list[Shift]) -> list[str]:
    """Notes: scores with a shift, and inputs of the tree with a large shift."""
    used = {scene.name(f) for f in used_inputs(scene.tree)}
    names = set(map(scene.name, range(scene.tree.n_features)))
    scores = [one for one in shifts if one.name not in names and one.psi >= SOME_SHIFT]
    told = [f"Stability index of the {one.name}: {spell_fixed(one.psi, 2)}, a {_shift(one)}." for one in scores]
    moved = [one.name for one in shifts if one.name in used and one.psi >= LARGE_SHIFT]
    return told + ([f"Distributed differently than in training: {', '.join(moved)}."] if moved else [])


def _shift(one: Shift) -> str:
    return "large shift" if one.psi >= LARGE_SHIFT else "shift"


def _advice() -> str:
    return "Scores and numbers are compared with those of the training rows where these are passed as X_train."


def _scores(scene: Scene, training: Floats) -> Iterator[Shift]:
    """The probability of the second of two classes, those of the first few of more classes, or every target."""
    before, now = scene.tree.predict(training), scene.tree.predict(scene.rows)
    two = scene.classes and len(scene.labels) == 2
    for k in [1] if two else range(min(before.shape[1], N_BINS)):
        name = f"probability of {scene.labels[k]}" if scene.classes else f"prediction of {scene.labels[k]}"
        yield _numbers(name, before[:, k], now[:, k])


def _leaves(scene: Scene) -> list[Shift]:
    tree = scene.tree
    nodes = np.flatnonzero(tree.leafness > 0)
    if len(nodes) < 2 or not np.isfinite(tree.count).all() or not tree.count[0] > 0:
        return []
    before = tree.count[nodes] * tree.leafness[nodes]
    now = scene.reach.sum(axis=0)[nodes] * tree.leafness[nodes]
    return [_bins("share per leaf", [f"node {node}" for node in nodes.tolist()], before, now)]


def _input(scene: Scene, feature: int, training: Floats | None) -> Shift | None:
    """None if the tree does not store enough about the training rows."""
    name, x = scene.name(feature), scene.rows[:, feature]
    levels = scene.levels(feature)
    if training is not None and not levels:
        return _numbers(name, training[:, feature], x)
    names = [*levels, "missing"]
    if training is not None:
        return _bins(name, names, _level_counts(training[:, feature], len(levels)), _level_counts(x, len(levels)))
    known = scene.tree.schema.inputs[feature].summary
    if known is None or not known.counts:
        return None
    return _bins(name, names, np.array([*known.counts, known.missing]), _level_counts(x, len(levels)))


def _level_counts(x: Floats, n: int) -> Floats:
    known = x[~np.isnan(x)].astype(np.int64)
    return np.append(np.bincount(known, minlength=n), len(x) - len(known)).astype(np.float64)


def _numbers(name: str, before: Floats, now: Floats) -> Shift:
    known = before[~np.isnan(before)]
    edges = np.unique(np.quantile(known, np.linspace(0, 1, N_BINS + 1)[1:-1])) if len(known) else np.zeros(0)
    counts = []
    for x in (before, now):
        there = x[~np.isnan(x)]
        inside = np.bincount(np.searchsorted(edges, there), minlength=len(edges) + 1)
        counts.append(np.append(inside, len(x) - len(there)).astype(np.float64))
    first, second = _occupied(*counts)
    return Shift(name, _mean(before), _mean(now), stability_of_counts(first, second))


def _bins(name: str, names: list[str], before: Floats, now: Floats) -> Shift:
    shares = before / max(before.sum(), 1e-300), now / max(now.sum(), 1e-300)
    most = int(np.argmax(np.abs(shares[1] - shares[0])))
    first, second = (f"{names[most]} {percent(float(share[most]))}" for share in shares)
    return Shift(name, first, second, stability_of_counts(*_occupied(before, now)))


def _occupied(before: Floats, now: Floats) -> tuple[Floats, Floats]:
    """Bins with rows of either table; empty ones are dropped."""
    there = (before > 0) | (now > 0)
    return before[there], now[there]


def _mean(x: Floats) -> str:
    known = x[~np.isnan(x)]
    return spell_number(float(f"{known.mean():.5g}")) if len(known) else ""


def notes_on_training(scene: Scene, training: Floats | None) -> list[str]:
    """Notes on the given training rows."""
    if training is None:
        return []
    origin, told = scene.tree.provenance, []
    if origin is not None and origin.n_rows and origin.n_rows != len(training):
        told.append(f"The model was learned from {origin.n_rows:,} rows; X_train has {len(training):,}.")
    same = rows_in_common(scene.rows, training) / len(scene.rows)
    if same > MOST_IN_COMMON:
        told.append(f"{percent(same)} of these rows are also training rows: the measures may be too good.")
    return told


def rows_in_common(rows: Floats, training: Floats) -> int:
    """How many rows are also among the training rows."""
    seen = {row.tobytes() for row in _canonical(training)}
    return sum(row.tobytes() in seen for row in _canonical(rows))


def _canonical(rows: Floats) -> Floats:
    return np.where(np.isnan(rows), np.nan, rows + 0.0)
