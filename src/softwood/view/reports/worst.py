"""The rows with the largest errors, each with the reasons for its prediction."""

from __future__ import annotations

import numpy as np

from softwood.explain import Explanation, explain
from softwood.tree.spelling import spell_fixed, spell_number
from softwood.view.plots.canvas import shorten
from softwood.view.plots.scene import Scene
from softwood.view.plots.spelling import short_number, spell_answers
from softwood.view.reports.markup import paragraph, table
from softwood.view.reports.measures import Answers

BACKGROUND = 200  # background rows for reasons
REASONS, REASON = 4, 120  # number of reasons, and characters of each


def worst_rows(scene: Scene, answers: Answers, n: int) -> str:
    """A table: row, actual, predicted, loss, reasons."""
    n = min(n, len(scene.rows))
    if not n:
        return paragraph("No rows are shown (n_worst=0).")
    losses = answers.losses
    worst = np.argsort(-losses, kind="stable")[:n]
    some = np.unique(np.linspace(0, len(scene.rows) - 1, BACKGROUND).astype(np.int64))
    why = explain(scene.tree, scene.rows[worst], scene.rows[some])
    given = scene.tree.predict(scene.rows[worst])
    lines = [
        [str(row), _known(scene, int(row)), spell_answers(scene, given[i]), spell_number(float(losses[row]), 2),
         _reasons(why, i)] for i, row in enumerate(worst)
    ]  # fmt: skip
    measure = "log loss" if scene.classes else "absolute error"
    said = (
        f"The {n} rows with the largest {measure}. Reasons: contributions of the inputs of largest effect to "
        f"{'the output of the predicted class' if scene.classes else 'the prediction'}, compared with {len(some)} rows "
        f"of this report{' (sampled)' if why.method == 'sampling' else ''}."
    )
    head = ["row", "actual", "predicted", measure, "reasons"]
    return table(head, lines, left=len(head), caption=said, longest=REASON * REASONS, kind="worst")


def _known(scene: Scene, row: int) -> str:
    known = np.asarray(scene.y)[row]
    return scene.labels[int(known)] if scene.classes else ", ".join(spell_number(float(value)) for value in known)


def _reasons(why: Explanation, row: int) -> str:
    told = [
        f"{shorten(reason.text, REASON // 2)} ({_signed(reason.contribution)})"
        for reason in why.reasons(row, n=REASONS)
    ]
    return "; ".join(told)


def _signed(value: float) -> str:
    text = short_number(value) if abs(value) >= 0.01 else spell_fixed(value, 3)
    return text if text.startswith("−") else f"+{text}"
