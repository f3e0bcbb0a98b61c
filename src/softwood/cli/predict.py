"""`softwood predict model.softwood data.csv`: the answers of a model, a row each."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, Data, ModelFile, Nulls, Output, Separator
from softwood.cli.table_files import split_names

Proba = Annotated[bool, typer.Option("--proba", help="Also the probability of every class.")]
Keep = Annotated[list[str] | None, typer.Option("--keep", help="Columns of the data to write beside: a,b.")]


def main(
    model: ModelFile,
    data: Data,
    out: Output = None,
    proba: Proba = False,
    keep: Keep = None,
    null: Nulls = None,
    separator: Separator = None,
    json: AsJson = False,
) -> None:
    """Answer the rows of a table: CSV (or with --json a JSON object a row) on the standard output, or to --out."""
    from softwood.cli.model_files import load_model, read_rows
    from softwood.cli.output import as_json, refuse_unknown_folder, write_text

    refuse_unknown_folder(out or "-")
    fitted = load_model(model)
    table = read_rows(fitted, data, tuple(null or ()), separator)
    kept = split_names(keep)
    table.require(kept, "--keep")
    columns = {name: table.values(name) for name in kept}
    columns |= answers(fitted, table.pick(fitted.tree_.schema.features), proba)
    columns = {name: as_json(cells) for name, cells in columns.items()}  # NaN is a missing cell, in a CSV too
    write_text(out or "-", "".join(_json_lines(columns) if json else _csv_lines(columns)))


def answers(model: Any, X: Any, proba: bool) -> dict[str, list[Any]]:
    """Columns by name: `prediction` (of several targets `prediction_NAME`), and `p_CLASS` where wanted."""
    schema = model.tree_.schema
    if schema.task == "regression":
        if proba:
            raise ValueError("--proba is for classes; this model answers numbers.")
        given = model.predict(X)
        many = given.ndim == 2
        return {f"prediction_{name}": given[:, k].tolist() for k, name in enumerate(schema.answers)} if many else {
            "prediction": given.tolist()
        }  # fmt: skip
    told = {"prediction": model.predict(X).tolist()}
    chances = model.predict_proba(X).T.tolist() if proba else []
    return told | {f"p_{label}": column for label, column in zip(schema.answers, chances, strict=bool(chances))}


def _csv_lines(columns: dict[str, list[Any]]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    yield text.getvalue()


def _json_lines(columns: dict[str, list[Any]]) -> Iterator[str]:
    from softwood.cli.output import write_json

    for row in zip(*columns.values(), strict=True):
        yield write_json(dict(zip(columns, row, strict=True))) + "\n"
