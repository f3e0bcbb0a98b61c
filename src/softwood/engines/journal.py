"""A journal of the results of passes over the rows, so that a killed fit can continue.

A learner is a deterministic function of its sums, so a checkpoint needs no state of the learner. Every pass over the
rows records its result; the next fit makes the same requests, and those in the journal need no pass.

    file = head, record, record, ...
    record = digest of the request (16 bytes), length (8), CRC-32 (4), the arrays of the result (.npz)

An incomplete record is truncated when the journal is opened. A journal belongs to one fit: to the digest of the
parameters, the version and the statistics of the first pass.
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

Arrays = list[npt.NDArray[Any]]

HEAD = b"softwood journal 1\n"
RECORD = struct.Struct("<16sQI")  # question, length, checksum


class Journal:
    """Results of passes; without a path none is kept.

    Examples
    --------
    >>> journal = Journal(None, b"")
    >>> journal.answer(b"sum of one and two", lambda: [np.array(1 + 2)])
    [array(3)]
    """

    def __init__(self, path: str | os.PathLike[str] | None, owner: bytes) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[bytes, tuple[int, int]] = {}  # by request: position and length of the result
        self.lock = Lock()  # one pass at a time, because memory has room for one batch
        self.file: BinaryIO | None = None
        if self.path is not None:
            self._open(self.path, HEAD + digest(owner))

    def answer(self, question: bytes, work: Callable[[], Sequence[npt.NDArray[Any]]]) -> Arrays:
        """The result of a request: from the journal if recorded, else computed and recorded."""
        with self.lock:
            if self.file is None:
                return list(work())
            name = digest(question)
            if name in self.known:
                place, length = self.known[name]
                self.file.seek(place)
                return _unpack(self.file.read(length))
            found = list(work())
            self._write(name, _pack(found))
            return found

    @property
    def replayed(self) -> int:
        """Number of passes of an earlier fit."""
        return len(self.known)

    def remove(self) -> None:
        """Remove the journal at the end of the fit."""
        if self.file is not None and self.path is not None:
            self.file.close()
            self.path.unlink(missing_ok=True)
            self.file = None

    def close(self) -> None:
        """Keep the file for another fit."""
        if self.file is not None:
            self.file.close()
            self.file = None

    def _open(self, path: Path, head: bytes) -> None:
        if not path.exists() or path.stat().st_size < len(head):
            path.write_bytes(head)
        self.file = path.open("r+b")
        found = self.file.read(len(head))
        if found != head:
            self.file.close()
            self.file = None
            kind = "of another fit" if found.startswith(HEAD) else "not a journal of softwood"
            raise ValueError(f"checkpoint {str(path)!r} is {kind}; {ADVICE}")
        end = self._find_records(len(head))
        self.file.seek(end)
        self.file.truncate()

    def _find_records(self, begin: int) -> int:
        """Index the complete records; returns their end."""
        assert self.file is not None
        size = self.file.seek(0, os.SEEK_END)
        while True:
            self.file.seek(begin)
            head = self.file.read(RECORD.size)
            if len(head) < RECORD.size:
                return begin
            name, length, checksum = RECORD.unpack(head)
            if begin + RECORD.size + length > size:
                return begin
            if zlib.crc32(self.file.read(length)) != checksum:
                return begin
            self.known[name] = (begin + RECORD.size, length)
            begin += RECORD.size + length

    def _write(self, name: bytes, body: bytes) -> None:
        assert self.file is not None
        self.file.seek(0, os.SEEK_END)
        self.file.write(RECORD.pack(name, len(body), zlib.crc32(body)) + body)
        self.file.flush()
        os.fsync(self.file.fileno())


ADVICE = "delete it, or use another path. A checkpoint is valid for the same estimator, parameters, rows and version."


def digest(text: bytes) -> bytes:
    """A digest of 16 bytes."""
    return hashlib.sha256(text).digest()[:16]


def _pack(arrays: Sequence[npt.NDArray[Any]]) -> bytes:
    told = io.BytesIO()
    np.savez(told, *arrays)
    return told.getvalue()


def _unpack(body: bytes) -> Arrays:
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        return [stored[name] for name in stored.files]
