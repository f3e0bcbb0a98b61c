"""Properties that are computed once, without a lock."""

from __future__ import annotations

from pathlib import Path

import softwood


def test_no_property_of_the_package_holds_a_lock() -> None:
    sources = Path(softwood.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "import cached_property" in path.read_text(encoding="utf-8")] == []
