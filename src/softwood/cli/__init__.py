"""The command `softwood`. One module per command, each a thin layer over the library."""

from __future__ import annotations

import typer

from softwood.cli import (
    compare,
    demo,
    diff,
    explain,
    export,
    fit,
    inspect,
    predict,
    prune,
    report,
    scorecard,
    show,
    version,
    view,
)
from softwood.cli.arguments import PASS_ON
from softwood.cli.failure import Commands

__all__ = ["app"]

app = typer.Typer(
    name="softwood",
    help="Decision trees with hard or soft gates.",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.callback()(version.main)
app.command("fit", context_settings=PASS_ON)(fit.main)
app.command("compare")(compare.main)
app.command("diff")(diff.main)
app.command("predict")(predict.main)
app.command("show")(show.main)
app.command("inspect")(inspect.main)
app.command("explain")(explain.main)
app.command("prune")(prune.main)
app.command("view")(view.main)
app.command("report")(report.main)
app.command("export", context_settings=PASS_ON)(export.main)
app.command("scorecard")(scorecard.main)
app.command("demo")(demo.main)
