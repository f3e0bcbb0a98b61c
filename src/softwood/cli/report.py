"""`softwood report model.softwood test.csv --target y`: what a model is worth on other rows, as one page."""

from __future__ import annotations

from typing import Annotated

import typer

from softwood.cli.arguments import AsJson, Data, MaybeTarget, ModelFile, Nulls, Output, Separator
from softwood.cli.output import check_output, default_path, print_json
from softwood.cli.view import rows_and_answers, write_page

Group = Annotated[str | None, typer.Option("--group", help="Input by which errors are broken down.")]
Title = Annotated[str | None, typer.Option("--title", help="Of the page.")]
Notes = Annotated[list[str] | None, typer.Option("--note", help="'Intended use=…', for the headings of the report.")]
Worst = Annotated[int, typer.Option("--n_worst", "--n-worst", help="Number of rows with the largest errors to show.")]


def main(
    model: ModelFile,
    data: Data,
    target: MaybeTarget = None,
    out: Output = None,
    group: Group = None,
    title: Title = None,
    note: Notes = None,
    n_worst: Worst = 10,
    null: Nulls = None,
    separator: Separator = None,
    json: AsJson = False,
) -> None:
    """Write one HTML file for sending and printing, on rows that the model was not learned from."""
    import softwood
    from softwood.cli.model_files import load_model

    path = out or default_path(model, "-report.html")
    check_output(path, model, data)
    fitted = load_model(model)
    schema = fitted.tree_.schema
    target = target or schema.target or (str(schema.answers[0]) if schema.task == "regression" else "")
    if not target:
        raise ValueError("--target is required: the column with the actual values.")
    X, y = rows_and_answers(fitted, data, target, tuple(null or ()), separator)
    wrong = [text for text in note or () if "=" not in text]
    if wrong:
        raise ValueError(f"--note must be 'HEADING=text', got {wrong[0]!r}.")
    notes = {heading.strip(): words.strip() for heading, _, words in (text.partition("=") for text in note or ())}
    write_page(
        lambda beside: softwood.report(
            fitted, X, y, group=group, title=title, notes=notes, n_worst=n_worst, path=beside
        ),
        path,
    )
    if json:
        print_json({"report": path})
    else:
        typer.echo(f"wrote  {path}")
