"""Atomic writing of files: readers find the old file or the new one, also after a crash."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MOST_BYTES = 200  # characters of the file's name in that of the temporary file


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write the parts to a file in the same folder, flush it to disk, then rename it.

    An existing file keeps its permissions; a link keeps its target.
    """
    given = Path(path)
    if given.exists() and not given.is_file() and not given.is_dir():  # a pipe, a terminal, /dev/null: not replaced
        with given.open("wb") as file:
            file.writelines(parts)
        return
    how = os.O_WRONLY | getattr(os, "O_BINARY", 0)
    with replacing(path) as beside, os.fdopen(os.open(beside, how), "wb") as file:
        file.writelines(parts)


def require_folder(path: str | os.PathLike[str] | None) -> None:
    """An error before work whose result could not be written: the folder of the file must exist."""
    if path is not None and not Path(path).parent.is_dir():
        raise FileNotFoundError(
            f"path={os.fspath(path)!r:.80} is in a folder that does not exist; name a file in one that does."
        )


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of an empty file in the same folder, to be filled inside; it is renamed at the end, or removed.

    An error of the system names `path`, not the temporary file.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    beside = target.with_name(f".{_shorten(target.name)}.{secrets.token_hex(8)}.tmp")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        if mode is not None:  # before the content is written, so that private files stay private
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
            # the exception class of the error number
            raise OSError(problem.errno, problem.strerror, str(path)) from None
        raise
    _sync_folder(target.parent)


def _shorten(name: str) -> str:
    """A name truncated to leave room for a suffix: systems allow 255 bytes."""
    return name.encode("utf-8", "surrogateescape")[:MOST_BYTES].decode("utf-8", "ignore")


def _sync_folder(folder: Path) -> None:
    """Flush the new name to disk, too, if the system can open folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
