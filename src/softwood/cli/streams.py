"""Tables that are read and predicted in batches: out-of-core files in, predictions out, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from softwood.cli.table_files import FORMATS, Reading, open_dataset
from softwood.formats.replace import replace_file, replacing

BATCHED_MIN_BYTES = 256 * 2**20  # bytes; larger files are read in batches
SUFFIXES = tuple(FORMATS)

Columns = dict[str, list[Any]]
Answer = Callable[[Any], Columns]


def is_stream(source: str, out: str | None) -> bool:
    """Whether to read rows in batches: a folder, a large file, or output in Parquet."""
    path = Path(source)
    if source == "-" or not (path.is_dir() or path.suffix.lower() in SUFFIXES):
        return False
    return path.is_dir() or is_parquet(out) or (path.is_file() and path.stat().st_size > BATCHED_MIN_BYTES)


def is_parquet(out: str | None) -> bool:
    return out is not None and Path(out).suffix.lower() in (".parquet", ".pq")


def read_batches(source: str, reading: Reading) -> Iterator[Any]:
    """The tables of a file or folder, one after the other."""
    from softwood import Batches

    yield from Batches(open_dataset(source, reading)).frames()


def write_parquet(path: str, parts: Iterator[Columns]) -> None:
    """Write columns, part by part, to a file that appears when it is complete."""
    import pyarrow
    from pyarrow import parquet

    writer = None
    with replacing(path) as beside:
        try:
            for part in parts:
                table = pyarrow.table(part, schema=None if writer is None else writer.schema)
                writer = writer or parquet.ParquetWriter(beside, table.schema)
                writer.write_table(table)
            if writer is None:
                raise ValueError("there are no rows to predict.")
        finally:
            if writer is not None:
                writer.close()


def write_lines(path: str | None, lines: Iterator[str]) -> None:
    """Write text, part by part, to a file that appears when it is complete, or to the standard output."""
    import typer

    if path is None or path == "-":
        for part in lines:
            typer.echo(part, nl=False)
    else:
        replace_file(path, (part.encode() for part in lines))
