"""The command `softwood`. One module a command, each a thin shell around the library."""

from __future__ import annotations

import typer

from softwood.cli import demo, version

__all__ = ["app"]

app = typer.Typer(
    name="softwood",
    help="Decision trees with hard or soft gates.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.callback()(version.main)
app.command("demo")(demo.main)
