"""Writing a file at one stroke: who reads it finds the old one whole or the new one whole, also after a crash."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MOST_BYTES = 200  # of the name of a file in that of the one beside it


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write the parts beside the file, make sure they are on the disk, then give them the file's name.

    A file that was there keeps its permissions; a link still points to what it pointed to.
    """
    given = Path(path)
    if (
        given.exists() and not given.is_file() and not given.is_dir()
    ):  # a pipe, a terminal, /dev/null: nothing to replace
        with given.open("wb") as file:
            file.writelines(parts)
        return
    how = os.O_WRONLY | getattr(os, "O_BINARY", 0)
    with replacing(path) as beside, os.fdopen(os.open(beside, how), "wb") as file:
        file.writelines(parts)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of an empty file beside `path`, to be filled inside; it gets the name at the end, or is removed.

    An error of the system names `path`, not the file beside it.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    beside = target.with_name(f".{_shorten(target.name)}.{secrets.token_hex(8)}.tmp")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        if mode is not None:  # before the content is there: what was private stays so
            beside.chmod(mode | stat.S_IWUSR)
        yield beside
        with beside.open("r+b") as file:
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(mode)
        beside.replace(target)
    except BaseException as problem:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(problem, OSError) and str(beside) in (problem.filename, problem.filename2):
            raise OSError(problem.errno, problem.strerror, str(path)) from None  # of the class that its number has
        raise
    _sync_folder(target.parent)


def _shorten(name: str) -> str:
    """So much of a name that there is room for an ending: systems take 255 bytes."""
    return name.encode("utf-8", "surrogateescape")[:MOST_BYTES].decode("utf-8", "ignore")


def _sync_folder(folder: Path) -> None:
    """The new name is on the disk too; not every system lets a folder be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
