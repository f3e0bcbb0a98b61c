"""Output of the commands: text, or one JSON object; progress on stderr if that is a terminal."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import typer

from softwood.formats.replace import replace_file


def print_json(told: Any) -> None:
    """One JSON value on a line."""
    typer.echo(write_json(as_json(told)))


# One JSON value. Types without a JSON form (a date) are written as text.
write_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=str).encode


def as_json(value: Any) -> Any:
    """The value as dicts, lists and scalars of JSON; numbers that are not finite become null.

    >>> as_json({1: (float("nan"), 0.5, True)})
    {'1': [None, 0.5, True]}
    """
    if isinstance(value, dict):
        return {str(key): as_json(each) for key, each in value.items()}
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Headings and texts in two columns; on a terminal long texts are wrapped."""
    wide = max((len(heading) for heading, _ in facts), default=0)
    room = max(text_width() - wide - 2, 30) if sys.stdout.isatty() else sys.maxsize
    for heading, text in facts:
        lines = wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
        typer.echo(f"{heading:<{wide}}  " + f"\n{' ' * (wide + 2)}".join(lines))


def text_width() -> int:
    """Columns of the terminal; 100 where there is none."""
    return get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100


def print_tree(model: Any, **options: Any) -> None:
    """The rules of a model, as wide as the terminal; Python options in the text are replaced by those of the
    command.
    """
    from softwood import to_text

    text = to_text(model, **{"width": text_width(), **options})
    for python, line in (
        ("surrogates=True lists", "`softwood show --surrogates` lists"),
        ("form='tree'", "--form tree"),
    ):
        text = text.replace(python, line)
    typer.echo(text)


def prefixed(tell: Callable[[str], None], words: str) -> Callable[[str], None]:
    """The same function with a prefix."""
    return lambda text: tell(f"{words}: {text}")


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A function that shows the current step on a transient line of stderr; does nothing if stderr is not a
    terminal.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield status.update


def write_text(path: str, text: str) -> None:
    """Write to a file, atomically; `-` is the standard output."""
    if path == "-":
        typer.echo(text, nl=not text.endswith("\n"))
    else:
        replace_file(path, (text.encode(),))


def default_path(source: str, suffix: str) -> str:
    """A path in the working directory, named after the data: `people.csv` gives `people.softwood`.

    >>> default_path("data/people.csv.gz", ".softwood"), default_path("-", ".softwood")
    ('people.softwood', 'model.softwood')
    """
    stem = Path(source).name.split(".")[0] if source != "-" else ""
    return f"{stem or 'model'}{suffix}"


def check_output(path: str, *inputs: str | None) -> None:
    """An error, before the work, if a file cannot be written or is one of the inputs.

    Two names of one file (a symbolic or hard link, the file behind a pipe) are the same file.
    """
    if path == "-":
        return
    folder = Path(path).parent
    if Path(path).is_dir():
        raise ValueError(f"{path!r} is a folder; name a file in it to write to.")
    if not folder.is_dir():
        raise ValueError(
            f"the folder {str(folder)!r} does not exist: cannot write {Path(path).name!r}; create it first."
        )
    if not os.access(folder, os.W_OK) or (Path(path).exists() and not os.access(path, os.W_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    for source in filter(None, inputs):
        if _is_same_file(path, source):
            raise ValueError(
                f"writing to {path!r} would replace {_spell_input(source)}, which this command reads; name another "
                "file with --out."
            )


def _is_same_file(path: str, source: str) -> bool:
    """Whether writing to `path` would replace the source, or a file in the source folder."""
    target = Path(path)
    if not target.is_file():  # nothing there, or no file to lose: a pipe, /dev/null
        return False
    if source == "-":
        with suppress(OSError, ValueError):  # a standard input that is closed, or not a file
            return os.path.samestat(os.fstat(sys.stdin.fileno()), target.stat())
        return False
    given = Path(source)
    if given.is_dir():
        return given.resolve() in target.resolve().parents
    return given.exists() and given.samefile(target)


def _spell_input(source: str) -> str:
    return "the standard input" if source == "-" else f"{'a file of ' if Path(source).is_dir() else ''}{source!r}"
