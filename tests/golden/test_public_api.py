"""The public API equals docs/public_api.txt, and the changelog mentions every name.

After a wanted change: `SOFTWOOD_REGENERATE=1 pytest tests/golden/test_public_api.py`, read the diff, and announce it in
CHANGELOG.md.
"""

from __future__ import annotations

import difflib
import os
import re
from importlib.util import find_spec
from pathlib import Path

import softwood
from tests.golden.public_api import parameters, public_api

ROOT = Path(__file__).parents[2]
LISTED = ROOT / "docs" / "public_api.txt"


def test_the_public_api_is_as_listed() -> None:
    now = public_api()
    if os.environ.get("SOFTWOOD_REGENERATE"):
        LISTED.write_text(now, encoding="utf-8")
    listed = LISTED.read_text(encoding="utf-8")
    if not find_spec("torch"):  # listed only if installed
        listed = re.sub(r"^softwood\.torch\..*\n(    .*\n)*", "", listed, flags=re.MULTILINE)
    changed = difflib.unified_diff(listed.splitlines(), now.splitlines(), "listed", "now", n=0, lineterm="")
    assert listed == now, "announce the change in CHANGELOG.md and regenerate the list:\n" + "\n".join(changed)


def test_the_changelog_names_every_public_name() -> None:
    told = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [name for name in softwood.__all__ if name not in told and not name.startswith("__")] == []


def test_a_changed_default_is_another_line() -> None:
    def before(x: int, *, width: int = 3) -> None: ...
    def after(x: int, *, width: int = 4) -> None: ...

    assert parameters(before) == ["x", "*", "width=3"]
    assert parameters(after) == ["x", "*", "width=4"]
