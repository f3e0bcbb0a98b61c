"""Writing a file at one stroke: who reads it finds the old one whole or the new one whole, also after a crash."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write the parts beside the file, make sure they are on the disk, then give them the file's name.

    A file that was there keeps its permissions; a link still points to what it pointed to.
    """
    target = Path(os.path.realpath(path))
    given = Path(path)
    if (
        given.exists() and not given.is_file() and not given.is_dir()
    ):  # a pipe, a terminal, /dev/null: nothing to replace
        with given.open("wb") as file:
            file.writelines(parts)
        return
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with suppress(FileNotFoundError):
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """The new name is on the disk too; not every system lets a folder be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
