"""Writes the files of the format version of today, once: `python -m tests.files.make`.

A folder that is there is never written again: files of every version are kept, and load for ever. After a change of the
format (a new VERSION in formats/container.py) run it once and commit the new folder.
"""

from __future__ import annotations

import json
from pathlib import Path

import softwood
from softwood.formats.container import VERSION
from tests.files.models import MAKERS, answers, rows

HERE = Path(__file__).parent


def main() -> None:
    """One file a model, and what each answers to ten rows."""
    folder = HERE / f"v{VERSION}"
    folder.mkdir()
    expected = {}
    for name, make in MAKERS.items():
        model = make()
        softwood.save(model, folder / f"{name}.softwood")
        expected[name] = answers(model, rows(10, seed=1)).tolist()
    (folder / "answers.json").write_text(json.dumps(expected, indent=0) + "\n", encoding="utf-8")
    print(f"{len(expected)} files in {folder.name}")


if __name__ == "__main__":
    main()
