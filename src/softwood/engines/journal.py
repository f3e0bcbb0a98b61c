"""A journal of what passes over the rows have answered, so that a fit that was killed goes on where it was.

A learner is a function of its sums: the same questions, the same answers, and the same tree in the end. So a checkpoint
needs no state of the learner. Every pass over the rows writes its answer down; the next fit asks the same questions,
and those that the journal knows cost no pass.

    file = head, record, record, ...
    record = digest of the question (16 bytes), length (8), CRC-32 (4), the arrays of the answer (.npz)

A record that was not written to its end is cut off when the journal is opened. Only its owner may read a journal: the
digest of the parameters, the version and what the first pass found of the rows.
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
    """Answers of passes; without a path none is kept.

    Examples
    --------
    >>> journal = Journal(None, b"")
    >>> journal.answer(b"sum of one and two", lambda: [np.array(1 + 2)])
    [array(3)]
    """

    def __init__(self, path: str | os.PathLike[str] | None, owner: bytes) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[bytes, tuple[int, int]] = {}  # by question: place of the answer, its length
        self.lock = Lock()  # one pass at a time, whoever asks: memory has room for one batch
        self.file: BinaryIO | None = None
        if self.path is not None:
            self._open(self.path, HEAD + digest(owner))

    def answer(self, question: bytes, work: Callable[[], Sequence[npt.NDArray[Any]]]) -> Arrays:
        """The answer to a question: from the journal if it is there, else by the work, and written down."""
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
        """Passes that an earlier fit has done."""
        return len(self.known)

    def remove(self) -> None:
        """The fit has ended: nothing is left to go on with."""
        if self.file is not None and self.path is not None:
            self.file.close()
            self.path.unlink(missing_ok=True)
            self.file = None

    def close(self) -> None:
        """Leave the file for another fit."""
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
            kind = "of another fit" if found.startswith(HEAD) else "no journal of softwood"
            raise ValueError(f"checkpoint {str(path)!r} is {kind}; {ADVICE}")
        end = self._find_records(len(head))
        self.file.seek(end)
        self.file.truncate()

    def _find_records(self, begin: int) -> int:
        """Note the records that are whole; where they end."""
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


ADVICE = "delete it, or give another path. A checkpoint serves the same estimator, parameters, rows and version."


def digest(text: bytes) -> bytes:
    """Sixteen bytes that stand for a text."""
    return hashlib.sha256(text).digest()[:16]


def _pack(arrays: Sequence[npt.NDArray[Any]]) -> bytes:
    told = io.BytesIO()
    np.savez(told, *arrays)
    return told.getvalue()


def _unpack(body: bytes) -> Arrays:
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        return [stored[name] for name in stored.files]
