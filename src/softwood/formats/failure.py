"""What is raised where a file or a text is not what it says it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class FileError(ValueError):
    """A file (or JSON text) that is damaged, of a newer softwood, or no model at all."""


# What a wrong value can raise on its way through the checks of Schema, Provenance and Tree.
WRONG_VALUE = (ValueError, TypeError, ArithmeticError, RecursionError)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Whatever is wrong with what is read inside is one FileError that says what was read."""
    try:
        yield
    except FileError:
        raise
    except RecursionError:
        raise FileError(f"{what} is nested too deeply to be a model.") from None
    except WRONG_VALUE as problem:
        raise FileError(f"{what} does not contain a valid model: {problem}") from problem
