"""`softwood diff old.softwood new.softwood data.csv --target y`: what changed between two models, and for whom."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, MaybeData, MaybeTarget, Nulls, Output, Separator
from softwood.cli.output import check_output, print_json

Old = Annotated[str, typer.Argument(metavar="OLD", help="A model file written by `softwood fit`.")]
New = Annotated[str, typer.Argument(metavar="NEW", help="Another one.")]
Group = Annotated[
    str | None, typer.Option("--group", help="Column of groups for which scores and errors are also compared.")
]
NumberOfRows = Annotated[
    int, typer.Option("--n_rows", "--n-rows", help="Number of rows with the largest changes to show.")
]


def main(
    old: Old,
    new: New,
    data: MaybeData = None,
    target: MaybeTarget = None,
    out: Output = None,
    group: Group = None,
    n_rows: NumberOfRows = 10,
    null: Nulls = None,
    separator: Separator = None,
    json: AsJson = False,
) -> None:
    """Compare two models: their trees and, with DATA, scores, classes and errors; --out writes an HTML page."""
    import softwood
    from softwood.cli.model_files import load_model
    from softwood.cli.view import write_page
    from softwood.view.comparisons.sides import require_same_task

    check_options(data, target, group)
    if out is not None:
        check_output(out, old, new, data)
    models = load_model(old), load_model(new)
    X, y, groups = (None, None, None)
    if data is not None:
        require_same_task(models[0].tree_, models[1].tree_, name_models(old, new))
        X, y, groups = read_data(models, data, target, group, tuple(null or ()), separator)
    found = softwood.compare_models(*models, X, y, group=groups, n_rows=n_rows, names=name_models(old, new))
    if out is not None:
        write_page(found.to_html, out)
    if json:
        print_json({**found.to_dict(), **({"page": out} if out is not None else {})})
    elif out != "-":
        typer.echo(found.to_text())
        if out is not None:
            typer.echo(f"\nwrote  {out}")


def check_options(data: str | None, target: str | None, group: str | None) -> None:
    """Raise an error for an option that needs DATA."""
    for name, value in (("--target", target), ("--group", group)):
        if value and data is None:
            raise ValueError(f"{name} needs DATA: rows that neither model was trained on.")


def name_models(old: str, new: str) -> tuple[str, str]:
    """Names of the models: their files, if these have different names.

    >>> name_models("a/credit-1.softwood", "credit-2.softwood"), name_models("a/m.softwood", "b/m.softwood")
    (('credit-1', 'credit-2'), ('old', 'new'))
    """
    first, second = (Path(path).name.removesuffix(".softwood") for path in (old, new))
    return (first, second) if first != second and first and second else ("old", "new")


def read_data(
    models: tuple[Any, Any], data: str, target: str | None, group: str | None, nulls: tuple[str, ...],
    separator: str | None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The columns of both models, actual values (None if no column holds them), and groups."""
    from softwood.cli.model_files import text_columns
    from softwood.cli.table import Table
    from softwood.cli.table_files import Reading

    text = tuple(dict.fromkeys(name for model in models for name in text_columns(model)))
    table = Table.read(data, Reading(text, nulls, separator))
    for model, which in zip(models, ("old", "new"), strict=True):
        table.require(model.tree_.schema.features, f"the {which} model")
    given = target or next((model.tree_.schema.target for model in models if model.tree_.schema.target), "")
    table.require([each for each in (target, group) if each], "this command")
    y = table.values(given) if given and given in table.names else None
    names = list(dict.fromkeys(name for model in models for name in model.tree_.schema.features))
    return table.pick(names), y, table.series(group).to_native() if group else None
