"""Two classes ranked by the probability of the second: ROC curve, lift table, cut-off table."""

from __future__ import annotations

from typing import Any

from softwood.measures import cutoff_table, lift_table, roc_auc, roc_curve
from softwood.tree.spelling import spell_fixed
from softwood.view.plots.canvas import name_axes, quiet_axes
from softwood.view.plots.colours import ACCENT, PALE
from softwood.view.reports.markup import percent, table
from softwood.view.reports.measures import Answers


def draw_roc(ax: Any, answers: Answers) -> Any:
    """True positive rate against false positive rate."""
    curve = roc_curve(answers.codes == 1, answers.given[:, 1])
    ax.plot([0, 1], [0, 1], color=PALE, linewidth=1.2, zorder=0)
    ax.plot(curve.false_positive_rate, curve.true_positive_rate, color=ACCENT, linewidth=1.8, zorder=2)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    quiet_axes(ax)
    name_axes(ax, "false positive rate", "true positive rate")
    return ax


def tell_roc(answers: Answers, label: str) -> str:
    """The caption of the curve."""
    area, low, high = (spell_fixed(end, 3) for end in roc_auc(answers.codes == 1, answers.given[:, 1]))
    return (
        f"ROC curve for {label}: area {area}, 95 % interval {low} … {high} (DeLong, on the scale of log odds). The "
        "straight line is the baseline."
    )


def show_lift(answers: Answers, label: str) -> str:
    """Bins of rows, the highest probabilities first."""
    lines = [
        [str(i), f"{line.rows:,}", spell_fixed(line.mean_score, 3), percent(line.rate), spell_fixed(line.lift, 2),
         percent(line.cumulated_rows), percent(line.cumulated_positives), spell_fixed(line.cumulated_lift, 2)]
        for i, line in enumerate(lift_table(answers.codes == 1, answers.given[:, 1]), 1)
    ]  # fmt: skip
    head = ["bin", "rows", "mean probability", f"observed {label}", "lift", "rows, cumulated",
            f"{label} found, cumulative", "lift, cumulated"]  # fmt: skip
    said = (
        f"Rows in bins of about equal size, the highest probability of {label} first; rows of one probability are in "
        f"one bin. Lift: proportion of {label} in the bin / proportion among all rows."
    )
    return "<h3>Lift</h3>" + table(head, lines, left=0, caption=said)


def show_cutoffs(answers: Answers, label: str) -> str:
    """Rates at cut-offs of the probability."""
    lines = [
        [f"{line.cutoff:g}", *(percent(rate) for rate in line[1:])]
        for line in cutoff_table(answers.codes == 1, answers.given[:, 1])
    ]
    if not lines:
        return ""
    head = ["cut\u2011off", "selection rate", "precision", "true positive rate", "false positive rate",
            "false negative rate", "error rate"]  # fmt: skip
    said = (
        f"Rates if {label} is predicted for probabilities of at least the cut-off. Precision: proportion of "
        f"{label} among the rows selected."
    )
    return "<h3>Cut-offs</h3>" + table(head, lines, left=0, caption=said)
