"""The confusion matrix: the full table for few classes, the most frequent confusions for many."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Longs
from softwood.formats.colours import tint
from softwood.measures import confusion_matrix
from softwood.view.plots.colours import ACCENT
from softwood.view.plots.many_classes import MOST_CLASSES
from softwood.view.reports.markup import paragraph, table
from softwood.view.reports.measures import Answers

MOST_MISTAKES = 20


def show_confusion(answers: Answers, labels: list[str]) -> str:
    """Rows by actual and predicted class; for more than MOST_CLASSES the pairs that are confused most often."""
    if len(labels) > MOST_CLASSES:
        return _mistakes(answers, labels)
    counts = confusion_matrix(answers.codes, answers.chosen, len(labels))
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    lines = [[label, *(f"{count:,}" for count in row)] for label, row in zip(labels, counts, strict=True)]
    return table(
        ["actual ↓ predicted →", *labels], lines, caption="Confusion matrix (actual ↓ predicted →): number of rows.",
        shade=lambda row, column: tint(ACCENT, 0.5 * float(share[row, column - 1])) if column else "",
    )  # fmt: skip


def _mistakes(answers: Answers, labels: list[str]) -> str:
    n, known, given = len(labels), answers.codes, answers.chosen
    wrong = known != given
    if not wrong.any():
        return paragraph(f"All rows are classified correctly; there are {n} classes.")
    pair, count = np.unique(known[wrong] * n + given[wrong], return_counts=True)
    most = np.argsort(-count, kind="stable")[:MOST_MISTAKES]
    of_class: Longs = np.bincount(known, minlength=n)
    lines = [
        [labels[k], labels[g], str(rows), f"{100 * rows / of_class[k]:.1f}%"]
        for k, g, rows in zip(pair[most] // n, pair[most] % n, count[most], strict=True)
    ]
    said = (
        f"The {len(most)} most frequent of {len(pair):,} pairs of classes that are confused; there are {n} classes. "
        "The last column is the proportion of the rows of the actual class."
    )
    return table(["actual", "predicted", "rows", "of the class"], lines, left=2, caption=said)
