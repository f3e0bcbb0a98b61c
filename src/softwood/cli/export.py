"""`softwood export model.softwood --to sql`: the model in another language."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from softwood.cli.arguments import ModelFile, Output
from softwood.cli.models import parameters_of, read_options
from softwood.cli.output import check_output, write_text

LANGUAGES = ("c", "dot", "java", "javascript", "json", "mermaid", "onnx", "python", "sql")
ALIASES = {"js": "javascript", "py": "python"}
To = Annotated[str, typer.Option("--to", help=f"{', '.join(LANGUAGES)}; js and py for short.")]


def main(context: typer.Context, model: ModelFile, to: To = "", out: Output = None) -> None:
    """Write the model in another language, to --out or the standard output.

    Options of the language have their Python names: --dialect sqlite, --table people, --precision float, --name scorer.
    """
    from softwood import export, load, to_json

    to = ALIASES.get(to, to)
    if to not in LANGUAGES:
        given = f", got {to!r}" if to else ""
        raise ValueError(f"--to must be one of {', '.join(LANGUAGES)}{given}.")
    check_output(out or "-", model)
    options = read_options(context.args, {} if to == "json" else parameters_of(_writer(to)), f"--to {to}")
    if isinstance(options.get("keep"), str):
        options["keep"] = [name.strip() for name in options["keep"].split(",")]
    fitted = load(model)
    if to == "onnx":
        if out is None:
            raise ValueError("--to onnx writes a binary file: name it with --out.")
        from softwood.formats.replace import replace_file

        replace_file(out, (export(fitted, to="onnx", **options).SerializeToString(),))
        return
    write_text(out or "-", to_json(fitted) if to == "json" else export(fitted, to=to, **options))


def _writer(to: str) -> Any:
    from softwood.formats.languages import WRITERS

    module, function = WRITERS[to].split(":")
    return getattr(import_module(module), function)
