"""`softwood report model.softwood test.csv --target y`: the quality of a model on other rows, as one page."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, Data, MaybeTarget, ModelFile, Nulls, Output, Separator
from softwood.cli.output import check_output, default_path, print_json
from softwood.cli.view import rows_and_answers, write_page
from softwood.view.reports.pdf import find_printer

Group = Annotated[str | None, typer.Option("--group", help="Column by which errors are broken down.")]
Train = Annotated[str | None, typer.Option("--train", help="The training rows, to compare scores and inputs with.")]
Title = Annotated[str | None, typer.Option("--title", help="Title of the page.")]
Notes = Annotated[list[str] | None, typer.Option("--note", help="'Intended use=…', for the headings of the report.")]
Worst = Annotated[int, typer.Option("--n_worst", "--n-worst", help="Number of rows with the largest errors to show.")]


def main(
    model: ModelFile,
    data: Data,
    target: MaybeTarget = None,
    out: Output = None,
    group: Group = None,
    train: Train = None,
    title: Title = None,
    note: Notes = None,
    n_worst: Worst = 10,
    null: Nulls = None,
    separator: Separator = None,
    json: AsJson = False,
) -> None:
    """Write one HTML file (or with --out report.pdf a PDF) for sending and printing, on rows that the model was not
    learned from.
    """
    import softwood
    from softwood.cli.model_files import load_model

    path = out or default_path(model, "-report.html")
    check_output(path, model, data, train)
    is_pdf = path.lower().endswith(".pdf")
    if is_pdf:
        find_printer(path)
    fitted = load_model(model)
    reading = tuple(null or ()), separator
    X, y, groups = read_report_rows(fitted, data, target, group, *reading)
    X_train = None if train is None else rows_and_answers(fitted, train, None, *reading)[0]
    files = [name for name in (model, data, train) if name and Path(name).is_file()]
    make = partial(
        softwood.report, fitted, X, y, group=groups, title=title, notes=split_notes(note), n_worst=n_worst,
        X_train=X_train, files=files,
    )  # fmt: skip
    if is_pdf:
        with TemporaryDirectory() as folder:
            make(path=Path(folder) / "page.html", to=path)
    else:
        write_page(lambda beside: make(path=beside), path)
    if json:
        print_json({"report": path})
    else:
        typer.echo(f"wrote  {path}")


def read_report_rows(
    model: Any, data: str, target: str | None, group: str | None, nulls: tuple[str, ...], separator: str | None
) -> tuple[Any, Any, Any]:
    """The inputs, the actual answers and the groups (any column of the file) of the rows."""
    from softwood.cli.model_files import read_rows

    schema = model.tree_.schema
    target = target or schema.target or (str(schema.answers[0]) if schema.task == "regression" else "")
    if not target:
        raise ValueError("--target is required: the column with the actual values.")
    table = read_rows(model, data, nulls, separator)
    table.require([target], "--target")
    table.require([group] if group else [], "--group")
    return table.pick(schema.features), table.values(target), table.series(group) if group else None


def split_notes(note: list[str] | None) -> dict[str, str]:
    """`HEADING=text` as a note by heading."""
    wrong = [text for text in note or () if "=" not in text]
    if wrong:
        raise ValueError(f"--note must be 'HEADING=text', got {wrong[0]!r}.")
    return {heading.strip(): words.strip() for heading, _, words in (text.partition("=") for text in note or ())}
