"""Changes of scores and errors: stability, classes, paired tests, calibration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from softwood.arrays import Floats
from softwood.measures import brier_losses, equal_bins, log_losses, roc_auc
from softwood.stats import delong_test, mcnemar_test, paired_t_test, population_stability_index
from softwood.view.comparisons.part import Part
from softwood.view.comparisons.sides import Pair
from softwood.view.reports.groups import SMALL_GROUP_ROWS, Groups

SOME_SHIFT, LARGE_SHIFT = 0.1, 0.25  # of the stability index, by the convention of credit scoring
N_BINS = 10  # of the calibration


def compare_scores(pair: Pair, groups: Groups | None) -> Part:
    """Mean score of both models and population stability index, of all rows and by group."""
    found: list[tuple[Any, ...]] = []
    scores = pair.scores()
    for name, rows in each_group(groups, len(np.asarray(pair.old.rows))):
        for answer, old, new in scores:
            index = population_stability_index(old[rows], new[rows])
            means = float(old[rows].mean()), float(new[rows].mean())
            gap = float(np.abs(new[rows] - old[rows]).mean())
            found.append((name, answer, int(rows.sum()), *means, gap, index, _shift(index)))
    notes = [
        f"Stability index: below {SOME_SHIFT} a small shift, from {LARGE_SHIFT} a large one, by convention; "
        f"bins are deciles of the scores of the {pair.names[0]} model."
    ]
    few = min(len(np.unique(old)) for _, old, _ in scores)
    if few < N_BINS:
        notes.append(
            f"The {pair.names[0]} model has {few} distinct scores: a new model that spreads them increases the index."
        )
    small = [name for name, rows in each_group(groups, len(np.asarray(pair.old.rows))) if rows.sum() < SMALL_GROUP_ROWS]
    if small:
        notes.append(f"Fewer than {SMALL_GROUP_ROWS} rows are unreliable: {', '.join(small)}.")
    head = (
        _of(groups), "score", "rows", f"mean, {pair.names[0]}", f"mean, {pair.names[1]}", "mean change, absolute",
        "stability index", "shift",
    )  # fmt: skip
    return Part("scores", "Scores", head, tuple(found), tuple(notes))


def _of(groups: Groups | None) -> str:
    return "rows of" if groups is None else groups.name


def _shift(index: float) -> str:
    return "little" if index < SOME_SHIFT else "some" if index < LARGE_SHIFT else "large"


def each_group(groups: Groups | None, n: int) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """All rows, then every group."""
    yield "all", np.ones(n, np.bool_)
    if groups is not None:
        member = np.array(groups.member, object)
        for name in groups.names:
            yield name, member == name


def compare_classes(pair: Pair) -> Part:
    """The old and new class of every row, and which model is correct if they differ."""
    old, new = np.asarray(pair.old.decided), np.asarray(pair.new.decided)
    found: list[tuple[Any, ...]] = []
    for before, after in sorted({(int(a), int(b)) for a, b in zip(old, new, strict=True)}):
        rows = (old == before) & (new == after)
        right = (None, None) if pair.y is None else tuple(int((pair.y[rows] == k).sum()) for k in (before, after))
        found.append((pair.labels[before], pair.labels[after], int(rows.sum()), *right))
    changed = int((old != new).sum())
    share = 100.0 * changed / len(old)
    notes = (f"{changed:,} of {len(old):,} rows ({share:.1f}%) change class.",)
    head = (*pair.names, "rows", f"{pair.names[0]} right", f"{pair.names[1]} right")
    return Part("classes", "Classes", head if pair.y is not None else head[:3],
                tuple(row if pair.y is not None else row[:3] for row in found), notes)  # fmt: skip


def compare_errors(pair: Pair, groups: Groups | None) -> Part:
    """Errors of both models on the same rows, the difference with its interval, and a paired test."""
    assert pair.y is not None
    rows = [("all", *_line(*each)) for each in _losses(pair)]
    if pair.is_classifier and len(pair.classes) == 2 and 0 < np.count_nonzero(pair.y) < len(pair.y):
        rows.append(("all", *_area(pair)))
    for name, some in list(each_group(groups, len(pair.y)))[1:]:
        measure, old, new, test = next(iter(_losses(pair)))
        rows.append((name, *_line(measure, old[some], new[some], test)))
    head = (_of(groups), "measure", *pair.names, "difference", "low", "high", "p", "test")
    notes = (
        "Difference: new minus old, with its 95 % interval; p: the probability of a difference at least this "
        "large between equal models. Tests are paired by row and not corrected for multiple testing.",
    )
    return Part("errors", "Errors", head, tuple(rows), notes)


def _losses(pair: Pair) -> Iterator[tuple[str, Floats, Floats, str]]:
    """The losses of both models per row, and the test for each."""
    actual, old, new = np.asarray(pair.y), pair.old, pair.new
    if not pair.is_classifier:
        gaps = [np.asarray(side.decided) - actual for side in pair.sides]
        yield "absolute error", np.abs(gaps[0]), np.abs(gaps[1]), "paired t"
        yield "squared error", np.square(gaps[0]), np.square(gaps[1]), "paired t"
        return
    decided = [np.asarray(side.decided) for side in pair.sides]
    yield "error", *((each != actual).astype(np.float64) for each in decided), "McNemar"
    costs = [side.tree.schema.costs for side in pair.sides]
    if costs[0] is not None and costs[0] == costs[1]:
        table = np.array(costs[0])
        yield "cost", table[actual, decided[0]], table[actual, decided[1]], "paired t"
    if set(old.tree.schema.answers) != set(new.tree.schema.answers):
        return
    before, after = pair.probabilities
    for name, losses in (("log loss", log_losses), ("Brier score", brier_losses)):
        yield name, losses(actual, before), losses(actual, after), "paired t"


def _line(name: str, old: Floats, new: Floats, test: str) -> tuple[Any, ...]:
    gap = new - old
    mean, n = float(gap.mean()), len(gap)
    half = float(stdtrit(n - 1, 0.975) * gap.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    found = mcnemar_test(old, new) if test == "McNemar" else paired_t_test(old, new)
    return name, float(old.mean()), float(new.mean()), mean, mean - half, mean + half, found.p_value, test


def _area(pair: Pair) -> tuple[Any, ...]:
    positive = np.asarray(pair.y) == 1
    ((_, old, new),) = pair.scores()
    areas = [roc_auc(positive, score).value for score in (old, new)]
    return "AUC", *areas, areas[1] - areas[0], None, None, delong_test(positive, old, new).p_value, "DeLong"


def compare_calibration(pair: Pair) -> tuple[Part, Part]:
    """Mean predicted against observed, over all rows and in ten bins; the bins."""
    assert pair.y is not None
    lines: list[tuple[Any, ...]] = []
    points: list[tuple[Any, ...]] = []
    places = [1] if len(pair.classes) == 2 else range(max(len(pair.classes), 1))
    for k, (answer, *scores) in zip(places, pair.scores(), strict=True):
        observed = (pair.y == k).astype(np.float64) if pair.is_classifier else np.asarray(pair.y)
        for name, score in zip(pair.names, scores, strict=True):
            bins = equal_bins(score, N_BINS)
            table = [(float(score[rows].mean()), float(observed[rows].mean()), len(rows)) for rows in bins]
            points += [(answer, name, *line) for line in table]
            error = sum(n * abs(mean - seen) for mean, seen, n in table) / len(score)
            lines.append((answer, name, float(score.mean()), float(observed.mean()), error))
    what = "observed proportion" if pair.is_classifier else "observed mean"
    notes = ("Calibration error: mean distance of predicted and observed in ten bins of equal size.",)
    head = ("score", "model", "mean predicted", what, "calibration error")
    return (
        Part("calibration", "Calibration", head, tuple(lines), notes),
        Part("calibration_bins", "Calibration in bins", ("score", "model", "predicted", "observed", "rows"),
             tuple(points), printed=False),
    )  # fmt: skip
