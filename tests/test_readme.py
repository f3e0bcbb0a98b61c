"""The README's examples print what the README says.

After a wanted change: `SOFTWOOD_REGENERATE=1 pytest tests/test_readme.py`, then read the diff.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import numpy as np

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n```text\n(?P<output>.*?)```)?", re.DOTALL)
NUMBER = re.compile(r"[−-]?\d+(?:\.\d+)?")


def numbers(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in NUMBER.findall(text)]


def words(text: str) -> list[str]:
    """All but numbers and the blanks that make room for them."""
    return NUMBER.sub("#", text).split()


def test_the_examples_print_what_the_readme_says() -> None:
    """Words as they stand; numbers of a soft tree may differ in the last digits on another processor."""
    text = README.read_text(encoding="utf-8")
    shown, names = list(EXAMPLE.finditer(text)), dict[str, object]()
    printed = []
    for example in shown:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(example["code"], "README.md", "exec"), names)
        printed.append(out.getvalue())
    if os.environ.get("SOFTWOOD_REGENERATE"):
        for example, told in reversed(list(zip(shown, printed, strict=True))):
            if example["output"] is not None:
                begin, end = example.span("output")
                text = text[:begin] + told + text[end:]
        README.write_text(text, encoding="utf-8")
        return
    compared = [(example["output"], told) for example, told in zip(shown, printed, strict=True) if example["output"]]
    assert len(compared) >= 2
    for wanted, told in compared:
        assert words(told) == words(wanted)
        np.testing.assert_allclose(numbers(told), numbers(wanted), rtol=0.01, atol=0.002)
