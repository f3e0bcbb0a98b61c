"""The error for invalid model files and texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class FileError(ValueError):
    """A file (or JSON text) that is damaged, of a newer softwood, or not a model."""


# Exceptions that an invalid value can raise in the checks of Schema, Provenance and Tree.
WRONG_VALUE = (ValueError, TypeError, ArithmeticError, RecursionError)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn errors of the code inside into a FileError that names the source."""
    try:
        yield
    except FileError:
        raise
    except RecursionError:
        raise FileError(f"{what} is nested too deeply to be a model.") from None
    except WRONG_VALUE as problem:
        raise FileError(f"{what} does not contain a valid model: {problem}") from problem
