"""The README's example prints what the README says.

After a wanted change: `SOFTWOOD_REGENERATE=1 pytest tests/test_readme.py`, then read the diff.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<output>.*?)```", re.DOTALL)


def test_the_example_prints_what_the_readme_says() -> None:
    text = README.read_text(encoding="utf-8")
    example = EXAMPLE.search(text)
    assert example
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example["code"], "README.md", "exec"), {})
    if os.environ.get("SOFTWOOD_REGENERATE"):
        begin, end = example.span("output")
        README.write_text(text[:begin] + printed.getvalue() + text[end:], encoding="utf-8")
        return
    assert printed.getvalue() == example["output"]


def test_all_examples_run_one_after_the_other() -> None:
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for code in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
            exec(compile(code, "README.md", "exec"), names)
    assert "SoftTreeClassifier: 150 rows" in printed.getvalue()
