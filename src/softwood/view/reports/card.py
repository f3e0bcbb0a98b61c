"""`report`: a model on one HTML page that prints well, under the headings of a model card.

M. Mitchell and others (2019). Model cards for model reporting. FAT*, 220-229. The tree, its curves and rules, and the
largest errors have their own sections.
"""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from numbers import Integral
from pathlib import Path
from typing import Any

from softwood.explain.rows import read_rows, some_rows
from softwood.formats.replace import replace_file, require_folder
from softwood.release import __version__
from softwood.tree.spelling import spell_name, spell_number
from softwood.view.page import Page
from softwood.view.plots.scene import Scene, look_at
from softwood.view.reports.groups import read_groups
from softwood.view.reports.markup import capitalized
from softwood.view.reports.measures import measure
from softwood.view.reports.pdf import find_printer
from softwood.view.reports.sections import NOTED, Report

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1><p class="sub">{sub}</p></header>
<nav aria-label="Contents"><ol>{contents}</ol></nav>
<main>
{body}
</main>
</body>
</html>
"""


def report(
    model: Any,
    X: Any,
    y: Any,
    *,
    group: Any = None,
    title: str | None = None,
    notes: Mapping[str, str] | None = None,
    n_worst: int = 10,
    feature_names: Sequence[str] | None = None,
    X_train: Any = None,
    files: Sequence[str | os.PathLike[str]] = (),
    path: str | os.PathLike[str] | None = None,
    to: str | os.PathLike[str] | None = None,
) -> Page:
    """Write a report of a model on rows that it was not trained on.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X, y : rows as the model takes them, and their actual classes or numbers. The file contains the rows with the
        largest errors, with their values; n_worst=0 omits them.
    group : for a breakdown of the errors: the name of a column of X, or one group per row.
    title : of the page; None: the name of the estimator.
    notes : the author's text by heading: "Intended use", "Factors", "Ethical considerations", "Caveats and
        recommendations".
    n_worst : number of rows with the largest errors to show and explain.
    feature_names : names to print instead of the model's own.
    X_train : the rows that the model was learned from, as it takes them: scores and inputs of X are compared with
        theirs (population stability index). None: only leaves and categories, whose counts the tree stores.
    files : files that rows and model were read from; the report has their names, sizes and SHA-256.
    path : where to write the page; None: a new file in the folder for temporary files.
    to : a file "….pdf" to also print the page to. Needs Chromium, Chrome or Edge, or WeasyPrint.

    Returns
    -------
    A `Page`: `page.path` is the file; in a notebook it shows itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier(random_state=0).fit(X[::2], y[::2])
    >>> page = report(model, X[1::2], y[1::2], notes={"Intended use": "Identifying iris species."})
    >>> page.path.suffix
    '.html'
    """
    if path is not None and Path(path).suffix.lower() == ".pdf":
        raise ValueError(f"path is for the page in HTML; for a PDF pass to={os.fspath(path)!r:.80}.")
    printer = None if to is None else find_printer(to)
    scene = look_at(
        model, X, y, wanted_by="report", feature_names=feature_names,
        needs_rows="that the model was not trained on", needs_answers="to measure errors",
    )  # fmt: skip
    if not isinstance(notes, Mapping | None):
        raise TypeError(f"notes must be a dict of headings and text, {{'Intended use': '…'}}, got {notes!r:.60}.")
    notes = {} if notes is None else dict(notes)
    unknown = [heading for heading in notes if heading not in NOTED]
    if unknown:
        raise ValueError(f"notes have the heading {unknown[0]!r:.60}; headings are {', '.join(map(repr, NOTED))}.")
    if not isinstance(n_worst, Integral) or n_worst < 0:
        raise ValueError(f"n_worst must be a whole number of at least 0, got {n_worst!r:.60}.")
    lacking = next((file for file in files if not Path(file).is_file()), None)
    if lacking is not None:
        raise FileNotFoundError(
            f"files must name files whose hashes the report gives; there is no {str(lacking)!r:.80}."
        )
    require_folder(path)
    groups = None if group is None else read_groups(X, group, len(scene.rows))
    training = None if X_train is None else some_rows(read_rows(model, X_train, "X_train"), "X_train")
    parts = Report(scene, groups, notes, n_worst, training, tuple(files))
    text = _fill(title or _title(scene), parts, len(scene.rows))
    if path is None:
        handle, path = tempfile.mkstemp(prefix="softwood-report-", suffix=".html")
        os.close(handle)
    replace_file(path, (text.encode(errors="xmlcharrefreplace"),))
    if printer is not None and to is not None:
        printer(text, Path(to))
    return Page(Path(path), text)


def _title(scene: Scene) -> str:
    origin, schema = scene.tree.provenance, scene.tree.schema
    name = origin.estimator if origin is not None and origin.estimator else type(scene.model).__name__
    of = schema.target or (", ".join(scene.labels[:3]) + (", …" if len(scene.labels) > 3 else ""))
    return f"{name}: {of}"


def _fill(title: str, parts: Report, n: int) -> str:
    sections = list(parts.sections())
    names = [f"section-{i}" for i in range(len(sections))]
    contents = "".join(
        f'<li><a href="#{name}">{html.escape(head)}</a></li>' for name, (head, _) in zip(names, sections, strict=True)
    )
    body = "\n".join(
        f'<section id="{name}"><h2>{html.escape(head)}</h2>{told}</section>'
        for name, (head, told) in zip(names, sections, strict=True)
    )
    style = files("softwood.view.reports").joinpath("report.css").read_text(encoding="utf-8")
    first = measure(parts.answers)[0]
    ends = f"95 % interval {spell_number(first.low)} … {spell_number(first.high)}"
    told = f"{capitalized(first.name)} {spell_number(first.value)} ({ends})"
    sub = f"{told} on {n:,} rows. Made with softwood {__version__}."
    return PAGE.format(
        title=html.escape(spell_name(title)[:200]), style=style, sub=html.escape(sub), contents=contents, body=body
    )
