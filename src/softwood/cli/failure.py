"""Errors of the command: one line on stderr that says what to do, and exit code 2.

`--debug`, anywhere on the line, shows Python's traceback instead. Ctrl-C and SIGTERM stop the work like an error:
incomplete files are removed.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

WRONG = 2  # exit code: the command line or the data must be corrected
STOPPED, ENDED = 130, 143  # exit codes after Ctrl-C and SIGTERM, as in shells
# Typer brings its own copy of click from 0.16 on, and needs click itself before: this is the base of either's errors.
LineError: Any = typer.BadParameter.__mro__[2]


class Commands(TyperGroup):
    """The commands; an exception in any of them is printed as one line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words of the command line without `--debug`."""
        ctx.meta["debug"] = "--debug" in args
        if not args:
            return super().parse_args(ctx, args)
        with one_line(ctx.meta["debug"]):
            return super().parse_args(ctx, [word for word in args if word != "--debug"])

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with one_line(ctx.meta["debug"]), hearing_signals():
            return super().invoke(ctx)


class Ended(BaseException):
    """SIGTERM was received."""


@contextmanager
def hearing_signals() -> Iterator[None]:
    """Inside, Ctrl-C raises KeyboardInterrupt and SIGTERM `Ended`, so that incomplete work is cleaned up; native loops
    react to them, too. A signal that the parent process ignores stays ignored.
    """

    def end(*_: Any) -> NoReturn:
        raise Ended

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    heard = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: end}
    changed = {number: before[number] for number in heard if before[number] not in (signal.SIG_IGN, None)}
    try:
        for number in changed:
            signal.signal(number, heard[number])
        yield
    finally:
        for number, handler in changed.items():
            signal.signal(number, handler)


@contextmanager
def one_line(debug: bool) -> Iterator[None]:
    """Errors inside become one line and an exit code; exceptions that indicate a bug are raised."""
    try:
        yield
    except (KeyboardInterrupt, Ended) as signalled:
        typer.echo("softwood: stopped; no incomplete file was written.", err=True)
        raise typer.Exit(ENDED if isinstance(signalled, Ended) else STOPPED) from None
    except LineError as problem:
        say(problem.format_message() + _where_to_look(problem))
        raise typer.Exit(WRONG) from None
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as problem:
        if debug:
            raise
        say(_words(problem))
        raise typer.Exit(WRONG) from None


def say(problem: str) -> None:
    """The problem as one line on stderr."""
    typer.echo(f"softwood: {' '.join(problem.split())}", err=True)


def _where_to_look(problem: Any) -> str:
    path = getattr(getattr(problem, "ctx", None), "command_path", "softwood")
    return f" (see `{path} --help`)"


def _words(problem: Exception) -> str:
    if isinstance(problem, FileNotFoundError):
        return f"there is no file {str(problem.filename)!r}; check its name and folder."
    if isinstance(problem, IsADirectoryError):
        return f"{str(problem.filename)!r} is a folder; name a file in it."
    if isinstance(problem, PermissionError):
        return f"{str(problem.filename)!r} may not be read or written; check its permissions."
    if isinstance(problem, MemoryError):
        return "there is not enough memory; use fewer rows or columns."
    return str(problem) or type(problem).__name__
