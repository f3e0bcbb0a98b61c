"""`softwood view model.softwood data.csv`: an interactive page of the tree for a browser."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, MaybeData, MaybeTarget, ModelFile, Nulls, Output, Separator
from softwood.cli.output import check_output, default_path, print_json, write_text

Open = Annotated[bool, typer.Option("--open", help="Also open it in the browser.")]


def main(
    model: ModelFile,
    data: MaybeData = None,
    target: MaybeTarget = None,
    out: Output = None,
    open: Open = False,
    null: Nulls = None,
    separator: Separator = None,
    json: AsJson = False,
) -> None:
    """Write one HTML file that shows the tree and computes its predictions; with DATA it holds rows to choose from."""
    import softwood
    from softwood.cli.model_files import load_model

    path = out or default_path(model, ".html")
    check_output(path, model, data)
    if target and data is None:
        raise ValueError("--target needs DATA: the actual values belong to its rows.")
    fitted = load_model(model)
    X, y = (None, None) if data is None else rows_and_answers(fitted, data, target, tuple(null or ()), separator)
    write_page(lambda beside: softwood.view(fitted, X, y, path=beside), path)
    if json:
        print_json({"page": path})
    else:
        typer.echo(f"wrote  {path}")
    if open:
        typer.launch(path)


def rows_and_answers(
    model: Any, data: str, target: str | None, nulls: tuple[str, ...], separator: str | None
) -> tuple[Any, Any]:
    """Rows of a file in the model's format, and the column of actual values, None without `target`."""
    from softwood.cli.model_files import read_rows

    table = read_rows(model, data, nulls, separator)
    table.require([target] if target else [], "--target")
    return table.pick(model.tree_.schema.features), table.values(target) if target else None


def write_page(make: Any, path: str) -> None:
    """A page to a file, or for `-` to the standard output."""
    if path != "-":
        make(path)
        return
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        write_text(path, make(Path(folder) / "page.html").html)
