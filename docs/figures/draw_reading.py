"""Draws the pictures of docs/reading.md by running the code of the page: python docs/figures/draw_reading.py.

What the page shows is what its code draws. Needs matplotlib.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FIGURES = Path(__file__).parent
PAGE = FIGURES.parent / "reading.md"
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def main() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    os.chdir(FIGURES)
    names: dict[str, object] = {}
    for block in CODE.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(block, PAGE.name, "exec"), names)
    for page in FIGURES.glob("*.html"):  # the report is shown by the page's words alone
        page.unlink()


if __name__ == "__main__":
    main()
