"""The sections of a report, in the order and under the headings of a model card (Mitchell et al., 2019)."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.overview import summary
from softwood.formats.text import to_text
from softwood.tree.once import computed_once
from softwood.tree.spelling import spell_number
from softwood.view.plots import calibration, curves
from softwood.view.plots.calibration import plot_calibration
from softwood.view.plots.curves import plot_curves
from softwood.view.plots.importance import plot_importance
from softwood.view.plots.many_classes import MOST_CLASSES, tell_classes
from softwood.view.plots.scene import Scene
from softwood.view.plots.tree import plot_tree
from softwood.view.reports.confusions import show_confusion
from softwood.view.reports.data import HEAD, MOST_INPUTS, describe_inputs, notes_on_rows, show_target
from softwood.view.reports.digest import rows_digest, show_files
from softwood.view.reports.groups import SMALL_GROUP_ROWS, Groups, by_group
from softwood.view.reports.markup import Pictures, capitalized, items, paragraph, preformatted, table
from softwood.view.reports.measures import Answers, measure
from softwood.view.reports.points import show_scorecard
from softwood.view.reports.proofs import notes_on_proofs, show_proofs
from softwood.view.reports.ranking import draw_roc, show_cutoffs, show_lift, tell_roc
from softwood.view.reports.residuals import draw_residuals
from softwood.view.reports.stability import Shift, find_shifts, notes_on_shifts, notes_on_training, show_stability
from softwood.view.reports.worst import worst_rows

PACKAGES = ("softwood", "numpy", "scipy", "scikit-learn")
MOST_LEAVES = 16  # in the drawing; of a larger tree only the upper part
DIGEST = "Hash of the rows as the model reads them: names, kinds and levels of the inputs, then the values, row by row."
NOTED = ("Intended use", "Factors", "Ethical considerations", "Caveats and recommendations")


@dataclass(frozen=True)
class Report:
    """The contents of a report.

    Attributes
    ----------
    scene : tree, rows and actual values.
    groups : the group of every row; None without groups.
    notes : the author's text, by heading.
    n_worst : number of rows to explain.
    training : the training rows as the tree reads them, or None.
    files : the sources of the rows.
    """

    scene: Scene
    groups: Groups | None
    notes: Mapping[str, str]
    n_worst: int
    training: Floats | None = None
    files: Sequence[str | os.PathLike[str]] = ()

    @computed_once
    def shifts(self) -> list[Shift]:
        """Shifts between the training rows and these."""
        return find_shifts(self.scene, self.training)

    @computed_once
    def pictures(self) -> Pictures:
        return Pictures()

    @computed_once
    def answers(self) -> Answers:
        """Measures of the classes, or of the first target."""
        scene, known = self.scene, np.asarray(self.scene.y)
        given = scene.tree.predict(scene.rows)
        if scene.classes:
            return Answers(known, given, scene.tree.decide(scene.rows), scene.tree.schema)
        return Answers(known[:, 0], given[:, 0], given[:, 0], scene.tree.schema)

    def sections(self) -> Iterator[tuple[str, str]]:
        """Heading and HTML of every section."""
        yield "Model details", self._details()
        yield "Intended use", self._noted("Intended use")
        yield "Factors", self._factors()
        yield "Metrics", self._metrics()
        yield "Evaluation data", self._data()
        yield "Quantitative analyses", self._analyses()
        yield "The tree", self._tree()
        yield "Largest errors", worst_rows(self.scene, self.answers, self.n_worst)
        yield "Ethical considerations", self._noted("Ethical considerations")
        yield "Caveats and recommendations", self._caveats()
        yield "Settings and versions", self._settings()

    def _noted(self, heading: str) -> str:
        told = self.notes.get(heading, "")
        return paragraph(told) if told else paragraph(f"Not provided. Add it with notes={{'{heading}': …}}.", "unsaid")

    def _details(self) -> str:
        origin = self.scene.tree.provenance
        told = preformatted(summary(self.scene.model))
        if origin is not None and origin.changes:
            told += paragraph(f"Changed after training: {', '.join(origin.changes)}.")
        return told

    def _factors(self) -> str:
        if self.groups is None:
            return self._noted("Factors")
        told = self.notes.get("Factors", "")
        return paragraph(told) + paragraph(f"Errors are broken down by {self.groups.name}.")

    def _metrics(self) -> str:
        schema = self.scene.tree.schema
        said = {
            "classification": "Error rate: proportion of rows whose predicted class is wrong. Log loss and Brier score "
            "measure the probabilities.",
            "regression": "RMSE: root mean squared error; MAE: mean absolute error; both in the unit of the target. "
            "R²: proportion of its variance that is explained. Residual: actual minus predicted.",
        }[schema.task]
        if self.answers.has_curve:
            said += (
                " ROC AUC: probability that a row of the second class has a higher score than a row of the first; "
                "Gini: 2 · AUC − 1; KS: largest distance between the score distributions of the two classes."
            )
        costs = " Classes are predicted by least expected cost." if schema.costs is not None else ""
        said += f"{costs} Intervals are 95 % intervals. Baseline: a constant prediction."
        if schema.task == "regression" and len(schema.answers) > 1:
            said += f" The model has {len(schema.answers)} targets; the first is measured: {schema.answers[0]}."
        return paragraph(said)

    def _data(self) -> str:
        scene, n = self.scene, len(self.scene.rows)
        told = paragraph(f"{n:,} rows, which should not be the training rows.") + self._digests()
        told += show_target(scene)
        more = scene.tree.n_features - MOST_INPUTS
        caption = "Numbers: minimum … median … maximum."
        return told + table(HEAD, describe_inputs(scene), left=len(HEAD), caption=caption) + (
            paragraph(f"… {more} more inputs.") if more > 0 else ""
        )  # fmt: skip

    def _digests(self) -> str:
        """Digests of the rows."""
        schema = self.scene.tree.schema
        lines = [["these rows, inputs and target", rows_digest(schema, self.scene.rows, self.scene.y)]]
        if self.training is not None:
            lines.append(["training rows, inputs", rows_digest(schema, self.training)])
        return table(["data", "SHA-256"], lines, left=2, caption=DIGEST) + show_files(self.files)

    def _analyses(self) -> str:
        rows = [
            [capitalized(m.name), spell_number(m.value),
             "" if np.isnan(m.low) else f"{spell_number(m.low)} … {spell_number(m.high)}",
             "" if m.baseline is None else spell_number(m.baseline)] for m in measure(self.answers)
        ]  # fmt: skip
        told = table(["measure", "value", "95 % interval", "baseline"], rows)
        stability = show_stability(self.shifts, self.training is not None)
        return told + self._compared() + self._ranked() + self._by_group() + stability + self._importance()

    def _compared(self) -> str:
        """Confusion or residuals, and calibration."""
        scene = self.scene
        draw = self.pictures.figure(
            lambda ax: plot_calibration(scene.tree, scene.rows, self._known, ax=ax),
            "Calibration: observed against predicted, with 95 % intervals."
            + tell_classes(scene, calibration.MOST_CLASSES), width=3.6, height=3.6,
        )  # fmt: skip
        if not scene.classes:
            told = "Residuals (actual minus predicted) against the prediction; the line is their running median."
            return f'<div class="pair">{self.pictures.figure(self._residuals, told, width=3.6, height=3.6)}{draw}</div>'
        table_of_classes = f"<div>{show_confusion(self.answers, scene.labels)}</div>"
        if not self.answers.has_curve:
            return f'<div class="pair">{table_of_classes}{draw}</div>'
        told = tell_roc(self.answers, scene.labels[1])
        curve = self.pictures.figure(lambda ax: draw_roc(ax, self.answers), told, width=3.6, height=3.6)
        return f'{table_of_classes}<div class="pair">{curve}{draw}</div>'

    def _ranked(self) -> str:
        """Lift and cut-offs, for two classes."""
        if not self.answers.has_curve:
            return ""
        label = self.scene.labels[1]
        return show_lift(self.answers, label) + show_cutoffs(self.answers, label)

    def _residuals(self, ax: Any) -> Any:
        return draw_residuals(ax, self.answers.given, np.asarray(self.answers.known, np.float64))

    @property
    def _known(self) -> Any:
        """Actual values as the user's labels."""
        scene, known = self.scene, np.asarray(self.scene.y)
        return [scene.tree.schema.answers[code] for code in known] if scene.classes else known

    def _by_group(self) -> str:
        if self.groups is None:
            return ""
        positive = 1 if self.scene.classes and len(self.scene.labels) == 2 else None
        head, lines, _ = by_group(self.answers, self.groups, positive)
        said = f"By {self.groups.name}."
        if positive is not None:
            label = self.scene.labels[positive]
            said += (
                f" Selection rate: proportion predicted {label}. False negative rate: proportion of the rows that are "
                f"{label} and predicted otherwise. False positive rate: proportion of the other rows that are "
                f"predicted {label}. Calibration gap: observed proportion of {label} minus the mean predicted "
                f"probability. Impact ratio: selection rate / the highest selection rate of a group of at least "
                f"{SMALL_GROUP_ROWS} rows."
            )
        return "<h3>By group</h3>" + table(head, lines, caption=said)

    def _importance(self) -> str:
        scene = self.scene
        if not scene.used:
            return ""
        told = self.pictures.figure(
            lambda ax: plot_importance(scene.tree, scene.rows, self._known, ax=ax),
            "Increase of the error on these rows when the values of an input are permuted, with 95 % intervals.",
        )
        return "<h3>Permutation importance</h3>" + told

    def _tree(self) -> str:
        scene, tree = self.scene, self.scene.tree
        deep = self._depth()
        part = "" if deep is None else f" The upper {deep + 1} levels."
        told = self.pictures.figure(
            lambda ax: plot_tree(tree, scene.rows, self._known, max_depth=deep, ax=ax),
            "The tree, with the rows of this report: the width of an edge is the proportion of the rows that follow it."
            + part
            + self._stacked,
            natural=True,
        )
        if scene.used:
            told += "<h3>Curves</h3>" + self.pictures.figure(
                lambda ax: plot_curves(tree, scene.rows, self._known, ax=ax),
                "Partial dependence: the output as one input varies and the others are fixed; the band shows "
                "how rows differ." + tell_classes(scene, curves.MOST_CLASSES),
            )
        told += "<h3>Rules</h3>" + preformatted(to_text(_named(scene), form="rules", width=110))
        return told + show_proofs(scene) + show_scorecard(scene, self.training)

    @property
    def _stacked(self) -> str:
        """The legend for many classes."""
        if not (self.scene.classes and len(self.scene.labels) > MOST_CLASSES):
            return ""
        return f" Pale: all classes but the {MOST_CLASSES} most frequent ones of a node."

    def _depth(self) -> int | None:
        tree = self.scene.tree
        if tree.n_leaves <= MOST_LEAVES:
            return None
        for depth in range(tree.depth, 0, -1):
            inner = (tree.node_depth == depth) | ((tree.node_depth < depth) & (tree.n_children == 0))
            if int(inner.sum()) <= MOST_LEAVES:
                return depth
        return 1

    def _caveats(self) -> str:
        told = notes_on_rows(self.scene)
        if len(self.scene.rows) < 100:
            told.append(f"With only {len(self.scene.rows)} rows the intervals are wide.")
        if self.groups is not None:
            positive = 1 if self.scene.classes and len(self.scene.labels) == 2 else None
            told += by_group(self.answers, self.groups, positive)[2]
        told += notes_on_shifts(self.scene, self.shifts) + notes_on_proofs(self.scene)
        told += notes_on_training(self.scene, self.training)
        note = self.notes.get("Caveats and recommendations", "")
        return (items(told) if told else "") + (
            paragraph(note) if note or told else self._noted("Caveats and recommendations")
        )

    def _settings(self) -> str:
        origin = self.scene.tree.provenance
        settings = [] if origin is None else [[name, json.dumps(value)] for name, value in origin.parameters.items()]
        told = table(["parameter", "value"], settings, left=2) if settings else ""
        learned = [] if origin is None or not origin.version else [["softwood, at training", origin.version]]
        versions = [*learned, ["Python", platform.python_version()], *([name, _version(name)] for name in PACKAGES)]
        return told + table(["package", "version"], versions, left=2)


def _named(scene: Scene) -> Any:
    """The text of `to_text`: the model, which may have rules, or the tree with the names of a pipeline."""
    same = getattr(scene.model, "tree_", None)
    return scene.model if same is scene.tree else scene.tree


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
