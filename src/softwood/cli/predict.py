"""`softwood predict model.softwood data.csv`: the predictions of a model, one per row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, Data, ModelFile, Nulls, Output, Separator
from softwood.cli.streams import is_parquet, is_stream, read_batches, write_lines, write_parquet
from softwood.cli.table_files import Reading, split_names

Proba = Annotated[bool, typer.Option("--proba", help="Also write the probability of every class.")]
Keep = Annotated[list[str] | None, typer.Option("--keep", help="Columns of the data to copy to the output: a,b.")]


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
    """Predict the rows of a table: CSV (or with --json one JSON object per row) on the standard output, or to --out.

    A folder, a file of more than 256 MiB, or output to a .parquet file is processed in batches.
    """
    from softwood.cli.model_files import load_model, read_rows
    from softwood.cli.output import as_json, check_output, write_text

    check_output(out or "-", model, data)
    fitted = load_model(model)
    if is_stream(data, out):
        predict_in_batches(fitted, data, out, Wanted(proba, split_names(keep), json), tuple(null or ()), separator)
        return
    table = read_rows(fitted, data, tuple(null or ()), separator)
    kept = split_names(keep)
    table.require(kept, "--keep")
    columns = {name: table.values(name) for name in kept}
    columns |= answers(fitted, table.pick(fitted.tree_.schema.features), proba)
    columns = {name: as_json(cells) for name, cells in columns.items()}  # NaN is a missing cell, in a CSV too
    write_text(out or "-", "".join(_json_lines(columns) if json else _csv_lines(columns)))


@dataclass(frozen=True)
class Wanted:
    """The output per row: probabilities, columns of the data, and whether as JSON."""

    proba: bool
    keep: tuple[str, ...]
    json: bool


def predict_in_batches(
    model: Any, data: str, out: str | None, wanted: Wanted, nulls: tuple[str, ...], separator: str | None
) -> None:
    """Predict a file or folder batch by batch: neither its rows nor its predictions are in memory at once."""
    from softwood.cli.model_files import text_columns
    from softwood.cli.table import Table

    def parts() -> Iterator[dict[str, list[Any]]]:
        for batch in read_batches(data, Reading(text_columns(model), nulls, separator)):
            table = Table(batch, data)
            table.require([*model.tree_.schema.features, *wanted.keep], "the model")
            kept = {name: table.values(name) for name in wanted.keep}
            yield kept | answers(model, table.pick(model.tree_.schema.features), wanted.proba)

    if is_parquet(out):
        write_parquet(str(out), parts())
        return
    first = True

    def lines() -> Iterator[str]:
        nonlocal first
        for columns in parts():
            yield from _json_lines(columns) if wanted.json else _csv_lines(columns, heading=first)
            first = False

    write_lines(out, lines())


def answers(model: Any, X: Any, proba: bool) -> dict[str, list[Any]]:
    """Columns by name: `prediction` (for several targets `prediction_NAME`), and `p_CLASS` if requested."""
    schema = model.tree_.schema
    if schema.task == "regression":
        if proba:
            raise ValueError("--proba is for classifiers; this model is a regressor.")
        given = model.predict(X)
        many = given.ndim == 2
        return {f"prediction_{name}": given[:, k].tolist() for k, name in enumerate(schema.answers)} if many else {
            "prediction": given.tolist()
        }  # fmt: skip
    told = {"prediction": model.predict(X).tolist()}
    chances = model.predict_proba(X).T.tolist() if proba else []
    return told | {f"p_{label}": column for label, column in zip(schema.answers, chances, strict=bool(chances))}


def _csv_lines(columns: dict[str, list[Any]], heading: bool = True) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if heading:
        writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    yield text.getvalue()


def _json_lines(columns: dict[str, list[Any]]) -> Iterator[str]:
    from softwood.cli.output import write_json

    for row in zip(*columns.values(), strict=True):
        yield write_json(dict(zip(columns, row, strict=True))) + "\n"
