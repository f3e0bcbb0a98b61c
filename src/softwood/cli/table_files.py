"""A table in a file or from a pipe as a data frame: by the first of Arrow, polars and pandas that is installed.

    CSV          the separator is the most frequent of , ; tab | in the first line, which has the names
    JSON lines   one object per line
    Parquet, Arrow (file or stream)
    any of these compressed by gzip

The format is detected from the first bytes, not from the name. The three libraries give the same kinds of columns for
the same CSV: numbers, booleans, text, dates; a cell that is one of NULLS is missing.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LIBRARIES = ("pyarrow", "polars", "pandas")
SEPARATORS = ",;\t|"
NULLS = ("", "#N/A", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null")
BLOCK = 1 << 20  # bytes from which Arrow first infers the types of columns
MOST_BLOCK = 2**31 - 1
DATE = re.compile(r"\['\d{4}-\d\d-\d\d")  # the first cell of a column that may hold dates
FORMATS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".feather": "ipc", ".csv": "csv"}  # of Arrow
FIRST_ROWS = 10_000  # rows from which polars first infers them


@dataclass(frozen=True)
class Reading:
    """How a CSV is read: columns that are always text, further markers of missing values, the separator."""

    text: tuple[str, ...] = ()
    nulls: tuple[str, ...] = ()
    separator: str | None = None


def read_table(source: str, reading: Reading | None = None, library: str | None = None) -> Any:
    """The data frame in a file; `-` is the standard input.

    Parameters
    ----------
    source : path of the file.
    reading : how a CSV is read.
    library : name of the library that reads it; None: the first of LIBRARIES that is installed.
    """
    library = library or _installed()
    what = "the standard input" if source == "-" else repr(source)
    data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = _unpack(what, data)
    if not data.strip():
        raise ValueError(f"{what} is empty; it should have a line of column names and rows below.")
    kind = _kind(what, data)
    if kind in ("CSV", "JSON lines"):
        _require_text(what, data)
    try:
        return READERS[library, kind](data, _settled(reading or Reading(), data))
    except Exception as problem:  # each library has its own errors
        reason = str(problem).strip().split("\n")[0]
        raise ValueError(f"{what} could not be read as {kind}: {reason}") from problem


def open_dataset(source: str, reading: Reading) -> Any:
    """A Parquet, Arrow or CSV file, or a folder of them, for pyarrow."""
    if find_spec("pyarrow") is None:
        raise ImportError("reading a table in batches needs pyarrow: pip install 'softwood[batches]'")
    import pyarrow
    from pyarrow import csv, dataset

    from softwood.intake.parts import sources

    path = Path(source)
    first = first_table(path) if path.is_dir() else path
    kind: Any = FORMATS.get(first.suffix.lower(), first.suffix[1:].lower())
    if kind == "csv":
        with first.open("rb") as file:
            settled = _settled(reading, file.readline())
        kind = dataset.CsvFileFormat(
            parse_options=csv.ParseOptions(delimiter=settled.separator),
            convert_options=csv.ConvertOptions(
                null_values=list(settled.nulls),
                strings_can_be_null=True,
                column_types={name: pyarrow.string() for name in reading.text},
            ),
        )
    return sources.open_dataset([path], kind)


def first_table(folder: Path) -> Path:
    """The first table in a folder; an error at the first other file, so that a whole disk is not searched.

    Names that begin with . or _ are ignored, as in Arrow.
    """
    first, waiting = None, [folder]
    while waiting:
        here = sorted(each for each in waiting.pop().iterdir() if each.name[0] not in "._")
        waiting += [each for each in reversed(here) if each.is_dir() and not each.is_symlink()]
        for each in here:
            if each.is_dir():
                continue
            first = first or each
            form = FORMATS.get(each.suffix.lower())
            if form is None or not each.is_file() or form != FORMATS.get(first.suffix.lower()):
                other = f" and {str(first)!r}" if first != each else ""
                raise ValueError(
                    f"the folder {str(folder)!r} must hold tables of one format and nothing else (names that end in "
                    f"{', '.join(FORMATS)}); it has {str(each)!r}{other}. Name a file, or a folder of tables."
                )
    if first is None:
        raise ValueError(
            f"the folder {str(folder)!r} has no table; its files should end in one of {', '.join(FORMATS)}."
        )
    return first


def _installed() -> str:
    for library in LIBRARIES:
        if find_spec(library) is not None:
            return library
    raise ImportError("reading a table needs pyarrow (or polars, or pandas): pip install 'softwood[tables]'")


def _kind(what: str, data: bytes) -> str:
    if data[:4] == b"PAR1":
        return "Parquet"
    if data[:6] == b"ARROW1" or data[:4] == b"\xff\xff\xff\xff":
        return "Arrow"
    first = data[:100].lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if first == b"[":
        raise ValueError(f"{what} is a JSON list; JSON input must have one object per line.")
    return "JSON lines" if first == b"{" else "CSV"


def _unpack(what: str, data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as problem:
        raise ValueError(f"{what} is a gzip file, and it is damaged or truncated: {problem}") from None


def _require_text(what: str, data: bytes) -> None:
    """An error for bytes that are not text, before the library raises its own error."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise ValueError(f"{what} is UTF-16 text; save it as UTF-8.")
    if b"\0" in data[:BLOCK]:
        found = "a model that softwood wrote" if b'"__metadata__"' in data[:200] else "no text"
        raise ValueError(f"{what} is {found}; a table is CSV, JSON lines, Parquet or Arrow.")
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), BLOCK):
            decoder.decode(data[at : at + BLOCK], final=at + BLOCK >= len(data))
    except UnicodeDecodeError as problem:
        byte = problem.object[problem.start]
        raise ValueError(
            f"{what} is not UTF-8 text, it has the byte 0x{byte:02x}; save it as UTF-8, for example by "
            "iconv -f latin1 -t utf-8."
        ) from None


def _settled(reading: Reading, data: bytes) -> Reading:
    """With the separator found and all spellings of missing."""
    line = data.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace")
    separator = reading.separator or max(SEPARATORS, key=line.count)
    return Reading(reading.text, (*NULLS, *reading.nulls), separator)


# -- one function per library and kind ------------------------------------------------------------------------------


def _arrow_csv(data: bytes, reading: Reading) -> Any:
    import pyarrow
    from pyarrow import csv

    def read(block: int, newlines: bool) -> Any:
        return csv.read_csv(
            pyarrow.BufferReader(data),
            read_options=csv.ReadOptions(block_size=block),
            parse_options=csv.ParseOptions(delimiter=reading.separator, newlines_in_values=newlines),
            convert_options=csv.ConvertOptions(
                null_values=list(reading.nulls),
                strings_can_be_null=True,
                column_types={name: pyarrow.string() for name in reading.text},
            ),
        )

    try:
        return read(BLOCK, False)
    # a type that the first block did not show, or a line break in a cell: read all at once
    except pyarrow.ArrowInvalid:
        return read(min(len(data) + 1, MOST_BLOCK), True)


def _arrow_json(data: bytes, reading: Reading) -> Any:
    import pyarrow
    from pyarrow import json

    try:
        return json.read_json(pyarrow.BufferReader(data))
    except pyarrow.ArrowInvalid:
        whole = json.ReadOptions(block_size=min(len(data) + 1, MOST_BLOCK))
        return json.read_json(pyarrow.BufferReader(data), read_options=whole)


def _arrow_parquet(data: bytes, reading: Reading) -> Any:
    import pyarrow
    from pyarrow import parquet

    return parquet.read_table(pyarrow.BufferReader(data))


def _arrow_arrow(data: bytes, reading: Reading) -> Any:
    import pyarrow

    source = pyarrow.BufferReader(data)
    opened = pyarrow.ipc.open_file(source) if data[:6] == b"ARROW1" else pyarrow.ipc.open_stream(source)
    return opened.read_all()


def _polars_csv(data: bytes, reading: Reading) -> Any:
    import polars

    def read(rows: int | None) -> Any:
        return polars.read_csv(
            io.BytesIO(data),
            separator=reading.separator or ",",
            null_values=list(reading.nulls),
            schema_overrides=dict.fromkeys(reading.text, polars.String),
            infer_schema_length=rows,
            try_parse_dates=True,
        )

    try:
        return read(FIRST_ROWS)
    # a type that the first rows did not show: infer it from all rows, which is slow
    except polars.exceptions.ComputeError:
        return read(None)


def _polars(function: str) -> Callable[[bytes, Reading], Any]:
    def read(data: bytes, reading: Reading) -> Any:
        import polars

        stream = function == "read_ipc" and data[:6] != b"ARROW1"
        return getattr(polars, "read_ipc_stream" if stream else function)(io.BytesIO(data))

    return read


def _pandas_csv(data: bytes, reading: Reading) -> Any:
    import pandas

    table = pandas.read_csv(
        io.BytesIO(data),
        sep=reading.separator or ",",
        na_values=list(reading.nulls),
        keep_default_na=False,
        dtype=dict.fromkeys(reading.text, str),
        low_memory=False,  # types by all rows
    )
    for name in table.columns.difference(list(reading.text)):
        if table[name].dtype.kind not in "biufM" and DATE.match(str(table[name].dropna().iloc[:1].to_list()[:1])):
            with suppress(ValueError):
                table[name] = pandas.to_datetime(table[name], format="ISO8601")
    return table


def _pandas(function: str, **options: Any) -> Callable[[bytes, Reading], Any]:
    def read(data: bytes, reading: Reading) -> Any:
        import pandas

        return getattr(pandas, function)(io.BytesIO(data), **options)

    return read


READERS: dict[tuple[str, str], Callable[[bytes, Reading], Any]] = {
    ("pyarrow", "CSV"): _arrow_csv,
    ("pyarrow", "JSON lines"): _arrow_json,
    ("pyarrow", "Parquet"): _arrow_parquet,
    ("pyarrow", "Arrow"): _arrow_arrow,
    ("polars", "CSV"): _polars_csv,
    ("polars", "JSON lines"): _polars("read_ndjson"),
    ("polars", "Parquet"): _polars("read_parquet"),
    ("polars", "Arrow"): _polars("read_ipc"),
    ("pandas", "CSV"): _pandas_csv,
    ("pandas", "JSON lines"): _pandas("read_json", lines=True),
    ("pandas", "Parquet"): _pandas("read_parquet"),
    ("pandas", "Arrow"): _pandas("read_feather"),
}


def split_names(given: Sequence[str] | None) -> tuple[str, ...]:
    """Column names from the command line: repeated options, or separated by commas.

    >>> split_names(["a,b", "c"])
    ('a', 'b', 'c')
    """
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())
