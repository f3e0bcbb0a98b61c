"""`softwood scorecard model.softwood`: the points of an additive model or a hard tree, or those of rows."""

from __future__ import annotations

import csv
import io
from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, MaybeData, ModelFile, Nulls, Output, Separator

Good = Annotated[
    str | None, typer.Option("--good", help="Class whose odds increase with the points; default: the last one.")
]
Pdo = Annotated[float, typer.Option("--pdo", help="Points that double the odds.")]
BasePoints = Annotated[float, typer.Option("--base_points", "--base-points", help="Points at --base_odds.")]
BaseOdds = Annotated[float, typer.Option("--base_odds", "--base-odds", help="Odds at --base_points.")]
Whole = Annotated[bool, typer.Option("--whole", help="Whole points.")]
Bins = Annotated[list[str] | None, typer.Option("--bins", help="Bins of an input: age=25,40; may be repeated.")]
Apply = Annotated[bool, typer.Option("--apply", help="Write the points of the rows of DATA instead of the card.")]
Sql = Annotated[str | None, typer.Option("--sql", help="Write a SELECT that computes the points of this table.")]
Dialect = Annotated[str, typer.Option("--dialect", help="Dialect of the SQL: postgresql, sqlite, duckdb, mysql, …")]


def main(
    model: ModelFile,
    data: MaybeData = None,
    good: Good = None,
    pdo: Pdo = 20.0,
    base_points: BasePoints = 600.0,
    base_odds: BaseOdds = 50.0,
    whole: Whole = False,
    bins: Bins = None,
    apply: Apply = False,
    sql: Sql = None,
    dialect: Dialect = "postgresql",
    out: Output = None,
    null: Nulls = None,
    separator: Separator = None,
    json: AsJson = False,
) -> None:
    """Write a scorecard as CSV, its SQL, or the points of rows; DATA counts its bins."""
    from softwood import scorecard
    from softwood.cli.model_files import load_model, read_rows
    from softwood.cli.output import check_output, print_json, write_text

    check_output(out or "-", model, data)
    if apply and (data is None or sql is not None):
        raise ValueError("--apply needs DATA (the rows to score) and no --sql.")
    fitted = load_model(model)
    rows = None
    if data is not None:
        rows = read_rows(fitted, data, tuple(null or ()), separator).pick(fitted.tree_.schema.features)
    scale = {"pdo": pdo, "base_points": base_points, "base_odds": base_odds}
    card = scorecard(fitted, rows, bins=_cuts(bins), whole=whole, good=_label(fitted, good), **scale)
    if sql is not None:
        write_text(out or "-", card.to_sql(sql, dialect))
        return
    lines = [{"points": each} for each in card.apply(rows).tolist()] if apply else list(card)
    if json and out is None:
        print_json(lines)
        return
    text = io.StringIO()
    writer = csv.DictWriter(text, lines[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    write_text(out or "-", text.getvalue())


def _label(model: Any, good: str | None) -> Any:
    """The class with this spelling."""
    if good is None:
        return None
    known = {str(answer): answer for answer in model.tree_.schema.answers}
    if good not in known:
        raise ValueError(f"--good must be one of {', '.join(known)}, got {good!r}.")
    return known[good]


def _cuts(bins: list[str] | None) -> dict[str, list[float]] | None:
    """`age=25,40` as cuts of age."""
    if bins is None:
        return None
    found = {}
    for text in bins:
        name, _, cuts = text.rpartition("=")
        try:
            found[name] = [float(cut) for cut in cuts.split(",")]
        except ValueError:
            raise ValueError(f"--bins must be like age=25,40, got {text!r}.") from None
    return found
