"""Writes missing files: `python -m tests.files.make`.

An existing file is never overwritten: files of every version are kept, and must always load. After a change of the
format (a new NEWEST_VERSION in formats/arrays.py) run it once and commit the new folder. A file is in the folder of its
version: the lowest that supports its content.
"""

from __future__ import annotations

import json
from pathlib import Path

import softwood
from softwood.formats.arrays import NEWEST_VERSION, PLAIN_VERSION
from tests.files.models import MAKERS, answers, rows

HERE = Path(__file__).parent


def main() -> None:
    """One file per model, and its predictions for ten rows."""
    for name, make in MAKERS.items():
        if any((HERE / f"v{version}" / f"{name}.softwood").exists() for version in (NEWEST_VERSION, PLAIN_VERSION)):
            continue
        model = make()
        softwood.save(model, new := HERE / f"{name}.softwood")
        folder = HERE / f"v{version_written(new)}"
        folder.mkdir(exist_ok=True)
        new.rename(folder / new.name)
        kept = folder / "answers.json"
        expected = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        expected[name] = answers(model, rows(10, seed=1)).tolist()
        kept.write_text(json.dumps(expected, indent=0) + "\n", encoding="utf-8")
        print(f"{folder.name}/{new.name}")


def version_written(file: Path) -> int:
    """The version in a file."""
    whole = file.read_bytes()
    table = json.loads(whole[8 : 8 + int.from_bytes(whole[:8], "little")])
    return int(table["__metadata__"]["version"])


if __name__ == "__main__":
    main()
