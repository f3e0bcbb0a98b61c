"""Data sets in a folder: <name>.csv.gz or <name>.csv, and splits/<name>.csv.gz for the authors' folds.

A file has a header; inputs come first, the target last; an empty cell is a missing value. If the folder has a
MANIFEST.csv with a column sha256, every file is checked against it before it is read.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from pathlib import Path

VARIABLE = "SOFTWOOD_DATA"


class ChecksumError(ValueError):
    """A file does not match its manifest."""


def find_folder(folder: str | os.PathLike[str] | None) -> Path | None:
    """The folder of the data: the argument, or the variable SOFTWOOD_DATA, or None if neither is given."""
    given = folder or os.environ.get(VARIABLE)
    if not given:
        return None
    place = Path(given)
    if not place.is_dir():
        origin = "folder" if folder else VARIABLE
        raise FileNotFoundError(
            f"{origin} must name a folder with data sets, got {str(given)!r}, which does not exist."
        )
    return place


def find_file(folder: Path, name: str) -> Path | None:
    """The set's file in the folder, compressed or not; None if it does not exist."""
    files = [folder / f"{name}{end}" for end in (".csv.gz", ".csv")]
    return next((file for file in files if file.is_file()), None)


def check(file: Path) -> None:
    """Refuse a compressed file whose content does not match the manifest."""
    manifest = file.parent / "MANIFEST.csv"
    if not manifest.is_file() or file.suffix != ".gz":
        return
    name = file.name.removesuffix(".csv.gz")
    with manifest.open(encoding="utf-8", newline="") as rows:
        wanted = {row["name"]: row.get("sha256") or "" for row in csv.DictReader(rows)}.get(name)
    if not wanted:
        return
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != wanted:
        raise ChecksumError(
            f"{file} does not match MANIFEST.csv: sha256 {found[:12]}…, expected {wanted[:12]}…. Download it "
            f"again, or remove the checksum from the manifest if you changed the file."
        )


def read_cells(file: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows."""
    check(file)
    text = file.read_bytes()
    if file.suffix == ".gz":
        text = gzip.decompress(text)
    header, *rows = csv.reader(text.decode("utf-8").splitlines())
    return header, rows
