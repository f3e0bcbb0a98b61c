"""`softwood show model.softwood`: the tree as rules."""

from __future__ import annotations

from typing import Annotated

import typer

from softwood.cli.arguments import AsJson, ModelFile

Form = Annotated[str, typer.Option("--form", help="tree, or rules: one line per path.")]
Digits = Annotated[int, typer.Option("--digits", help="Decimals of numbers.")]
Exact = Annotated[bool, typer.Option("--exact", help="Print all digits of every number.")]
MaxDepth = Annotated[int | None, typer.Option("--max-depth", "--max_depth", help="Maximum depth to print.")]
Surrogates = Annotated[bool, typer.Option("--surrogates", help="Print surrogate splits.")]
Width = Annotated[
    int | None, typer.Option("--width", help="Width in columns; 0: neither wrap nor truncate; default: the terminal's.")
]


def main(
    model: ModelFile,
    form: Form = "tree",
    digits: Digits = 3,
    exact: Exact = False,
    max_depth: MaxDepth = None,
    surrogates: Surrogates = False,
    width: Width = None,
    json: AsJson = False,
) -> None:
    """Print the tree of a model; --json writes all of it, as softwood.to_json does."""
    from softwood import load, to_json
    from softwood.cli.output import print_tree

    fitted = load(model)
    if json:
        typer.echo(to_json(fitted))
        return
    wide = {} if width is None else {"width": width or None}
    print_tree(fitted, form=form, digits=None if exact else digits, max_depth=max_depth, surrogates=surrogates, **wide)
