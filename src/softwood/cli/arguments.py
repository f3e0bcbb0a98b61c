"""Arguments and options shared by several commands, with their help."""

from __future__ import annotations

from typing import Annotated

import typer

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV, Parquet, Arrow or JSON lines, also gzipped; - for a pipe.")
]
MaybeData = Annotated[
    str | None, typer.Argument(metavar="[DATA]", help="CSV, Parquet, Arrow or JSON lines; - for a pipe.")
]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file written by `softwood fit`.")]
Target = Annotated[str, typer.Option("--target", help="Column to predict.")]
MaybeTarget = Annotated[str | None, typer.Option("--target", help="Column with the actual values.")]
Task = Annotated[str, typer.Option("--task", help="auto, classification or regression.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns to drop: a,b; may be repeated.")]
Weight = Annotated[str | None, typer.Option("--weight", help="Column with the weights of the rows.")]
Nulls = Annotated[list[str] | None, typer.Option("--null", help="Additional marker of missing values in a CSV.")]
Separator = Annotated[str | None, typer.Option("--separator", help="Separator of a CSV; default: detected.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the folds and of the model (random_state).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
Folds = Annotated[int, typer.Option("--folds", help="Folds of the cross-validated error; 0: skip it.")]
Output = Annotated[str | None, typer.Option("--out", "-o", help="File to write.")]

# A command whose other options are the parameters of a function or a model.
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
