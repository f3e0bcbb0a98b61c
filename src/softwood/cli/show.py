"""`softwood show model.softwood`: the tree as rules."""

from __future__ import annotations

from typing import Annotated

import typer

from softwood.cli.arguments import AsJson, ModelFile

Form = Annotated[str, typer.Option("--form", help="tree, or rules: its paths one by one.")]
Digits = Annotated[int, typer.Option("--digits", help="Decimals of numbers.")]
Exact = Annotated[bool, typer.Option("--exact", help="Every number with all its digits.")]
MaxDepth = Annotated[int | None, typer.Option("--max-depth", "--max_depth", help="How deep to print.")]
Surrogates = Annotated[bool, typer.Option("--surrogates", help="What is asked where an input is missing.")]
Width = Annotated[
    int | None, typer.Option("--width", help="Columns to aim for; 0: neither wrap nor cut; else those of the terminal.")
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
