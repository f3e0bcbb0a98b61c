"""Arguments and options that several commands have, with their help."""

from __future__ import annotations

from typing import Annotated

import typer

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, Parquet, Arrow or JSON lines, also gzipped; - for a pipe.")
]
MaybeData = Annotated[
    str | None, typer.Argument(metavar="[DATA]", help="CSV, Parquet, Arrow or JSON lines; - for a pipe.")
]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A file that `softwood fit` wrote.")]
Target = Annotated[str, typer.Option("--target", help="Column to predict.")]
MaybeTarget = Annotated[str | None, typer.Option("--target", help="Column with the known answers.")]
Task = Annotated[str, typer.Option("--task", help="auto, classification or regression.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns to leave out: a,b or several times.")]
Weight = Annotated[str | None, typer.Option("--weight", help="Column with the weights of the rows.")]
Nulls = Annotated[
    list[str] | None, typer.Option("--null", help="Another spelling of missing in a CSV, beside NA and the like.")
]
Separator = Annotated[str | None, typer.Option("--separator", help="Of a CSV; found by itself.")]
Seed = Annotated[int, typer.Option("--seed", help="Of folds and of the model (random_state).")]
AsJson = Annotated[bool, typer.Option("--json", help="For machines: one JSON value, nothing else.")]
Folds = Annotated[int, typer.Option("--folds", help="Of the cross-validated error; 0: none.")]
Output = Annotated[str | None, typer.Option("--out", "-o", help="File to write.")]

# A command whose other options are the parameters of a function or a model.
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
