"""The container of `.softwood` files: safetensors (an open format) with softwood's own header inside.

    8 bytes        length of the table, little-endian
    table          JSON: {"__metadata__": {...}, name: {"dtype": "F64", "shape": [3, 2], "data_offsets": [0, 48]}, ...}
    values         the arrays, little-endian, one after the other without gaps

    __metadata__   {"format": "softwood", "version": "2", "header": JSON text, "sha256": of header and arrays}

Any safetensors reader can read the arrays. Nothing here runs code or trusts a number: every size is compared with the
length of the file before memory is allocated, arrays may not overlap, and the hash must agree.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softwood.arrays import Array
from softwood.formats.arrays import NEWEST_VERSION, version_of
from softwood.formats.failure import FileError, reading
from softwood.formats.json import check_version, parse
from softwood.formats.replace import replace_file

DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
NAMES = {np.dtype(code): name for name, code in DTYPES.items()}
MOST_AXES, MOST_ENTRIES = 8, 2**62
ALIGNED = 8


def write_container(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write the header and the arrays; atomic: the new file or the old one."""
    text = json.dumps(header, allow_nan=False)
    # Widest numbers first: every array then begins at a multiple of its item's size.
    little = {name: _little(name, array) for name, array in arrays.items()}
    order = sorted(little, key=lambda name: -little[name].itemsize)
    told = {
        "format": "softwood",
        "version": str(version_of(arrays)),
        "header": text,
        "sha256": content_hash(text, little),
    }
    table: dict[str, Any] = {"__metadata__": told}
    at = 0
    for name in order:
        array = little[name]
        offsets = [at, at + array.nbytes]
        table[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        at += array.nbytes
    head = json.dumps(table, allow_nan=False).encode()
    head += b" " * (-len(head) % ALIGNED)
    parts = (little[name].tobytes() for name in order)
    replace_file(path, (len(head).to_bytes(8, "little"), head, *parts))


def read_container(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a file; the arrays are read-only views of the file, which is mapped, not read.

    A FileError if the file is not a valid `.softwood` file.
    """
    what = f"{Path(path).name!r:.80}"
    # Non-blocking, because opening a pipe could block.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        told = os.fstat(descriptor)
        if not stat.S_ISREG(told.st_mode):
            raise FileError(f"{what} is not a file but a folder, a pipe or a device.")
        if told.st_size < 8:
            raise FileError(f"{what} is not a softwood file: it has only {told.st_size} bytes.")
        whole = memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(descriptor)
    with reading(what):
        return _read(what, whole)


def _read(what: str, whole: memoryview) -> tuple[dict[str, Any], dict[str, Array]]:
    length = int.from_bytes(whole[:8], "little")
    if bytes(whole[8:9]) != b"{":
        raise FileError(
            f"{what} is not a softwood file: it does not start with the file signature. "
            "`softwood fit` fits a model to a table."
        )
    if length > len(whole) - 8:
        raise FileError(
            f"{what} is damaged or cut off: its table should have {length:,} bytes, it has {len(whole) - 8:,}."
        )
    try:
        table = parse(str(whole[8 : 8 + length], "utf-8"))
    except ValueError as problem:
        raise FileError(f"{what} is not a softwood file, or it is damaged: {problem!s:.200}") from None
    told = table.pop("__metadata__", None) if isinstance(table, dict) else None
    if not isinstance(told, dict) or told.get("format") != "softwood":
        raise FileError(f'{what} is not a softwood file: its metadata must have "format": "softwood".')
    version = told.get("version")
    number = int(version) if isinstance(version, str) and version.isdecimal() and len(version) < 9 else version
    check_version(what, number, NEWEST_VERSION)
    if told.keys() != {"format", "version", "header", "sha256"} or not all(type(each) is str for each in told.values()):
        raise FileError(f"{what} is damaged: its metadata must have format, version, header and sha256.")
    arrays = _views(what, table, whole[8 + length :])
    if content_hash(told["header"], arrays) != told["sha256"]:
        raise FileError(f"{what} is damaged: its content does not match its hash. Use another copy.")
    header = parse(told["header"])
    if not isinstance(header, dict):
        raise FileError(f"{what} is damaged: its header must be an object.")
    return header, arrays


def _views(what: str, table: dict[str, Any], values: memoryview) -> dict[str, Array]:
    """The arrays, which must fill the rest of the file, one after the other."""
    found = sorted((_entry(what, name, entry) for name, entry in table.items()), key=lambda entry: entry[2:4])
    arrays, at = {}, 0
    for name, dtype, begin, end, shape in found:
        if begin != at or end > len(values):
            raise FileError(f"{what} is cut off or damaged: array {name!r:.80} does not begin where the last one ends.")
        arrays[name] = np.frombuffer(values[begin:end], dtype).reshape(shape)
        if dtype.kind == "b" and max(values[begin:end], default=0) > 1:
            raise FileError(f"{what} is damaged: array {name!r:.80} must hold bytes 0 and 1.")
        at = end
    if at != len(values):
        raise FileError(f"{what} is damaged: {len(values) - at} bytes follow the last array.")
    return arrays


def _entry(what: str, name: str, entry: Any) -> tuple[str, np.dtype[Any], int, int, tuple[int, ...]]:
    wrong = FileError(f"{what} is damaged: array {name!r:.80} has the entry {entry!r:.200}.")
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise wrong
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in DTYPES or not _counts(shape) or not _counts(offsets):
        raise wrong
    dtype = np.dtype(DTYPES[kind])
    if len(shape) > MOST_AXES or len(offsets) != 2 or math.prod(shape) * dtype.itemsize != offsets[1] - offsets[0]:
        raise wrong
    # NumPy refuses an empty array whose other axes exceed the address space.
    if math.prod(max(n, 1) for n in shape) > MOST_ENTRIES // 8:
        raise wrong
    return name, dtype, offsets[0], offsets[1], tuple(shape)


def _counts(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(n) is int and 0 <= n <= MOST_ENTRIES for n in numbers)


def content_hash(header: str, arrays: Mapping[str, Array]) -> str:
    """SHA-256 of the header's text, then of name, dtype, shape and values of every array in the order of names."""
    found = hashlib.sha256(header.encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        array = arrays[name]
        found.update(f"\0{name}\0{NAMES[array.dtype]}\0{list(array.shape)}\0".encode("utf-8", "surrogatepass"))
        if array.size:
            found.update(np.ascontiguousarray(array).data.cast("B"))
    return found.hexdigest()


def _little(name: str, array: Array) -> Array:
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
    if little.dtype not in NAMES:
        raise TypeError(f"{name} is an array of {array.dtype}, which a file cannot hold.")
    return little
