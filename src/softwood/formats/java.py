"""A tree as one Java class that needs only the standard library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from softwood.formats.java_class import CLASS
from softwood.formats.program import (
    EXACT_IN_INT64,
    Cell,
    Label,
    make_program,
    refuse_wide_answers,
    refuse_wide_levels,
)
from softwood.formats.tables import Numbers, fill, make_tables, needs

CHUNK = 1000  # characters of one text of numbers: a constant of Java holds 65,535 bytes
ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r"}
RESERVED = re.compile(
    "abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default|do|double|else|enum|extends|false|"
    "final|finally|float|for|goto|if|implements|import|instanceof|int|interface|long|native|new|null|package|private|"
    "protected|public|return|short|static|strictfp|super|switch|synchronized|this|throws?|transient|true|try|void|"
    "volatile|while|_"
)


def to_java(model: Any, *, name: str = "Model", package: str | None = None) -> str:
    """The text of a class with `predict(row)` and, for classes, `predictProba(row)`.

    A row is an Object[] in the order of `INPUTS` or a Map by name; null and NaN are missing, a label not seen at fit
    counts as missing.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a search over one.
    name : of the class, and so of its file.
    package : of the class; None: no package.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> text = to_java(CARTRegressor().fit(X, X[:, 0] > 7), name="Steps", package="org.example")
    >>> [line for line in text.splitlines() if line.startswith(("package", "public"))]
    ['package org.example;', 'public final class Steps {']
    """
    for what, words in (("name", [name]), ("package", package.split(".") if package is not None else [])):
        if any(not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", word) or RESERVED.fullmatch(word) for word in words):
            raise ValueError(f"{what} must be a name of Java, got {'.'.join(words)!r}.")
    program = make_program(model, "to_java")
    refuse_wide_levels(program, "the Java class, which compares doubles,")
    refuse_wide_answers(program, "the Java class, which has Long,", EXACT_IN_INT64)
    levels = [(at, cell) for at, cell in enumerate(program.cells) if cell.kind.has_levels]
    spots = {
        "TITLE": program.title.replace("\\", "/"),
        "PACKAGE": f"package {package};\n" if package is not None else "",
        "N": name,
        "TABLES": "\n".join(_table(key, numbers) for key, numbers in make_tables(program).items()),
        "INPUTS": ", ".join(_text(cell.name) for cell in program.cells),
        "ANSWERS": ", ".join(map(_label, program.answers)),
        "LEVELS": "\n".join(_levels(at, cell) for at, cell in levels),
        "CODES": "\n".join(f"        if (input == {at}) return LEVELS_{at};" for at, _ in levels),
        "N_OUTPUTS": str(program.n_outputs),
    }
    return fill(CLASS, needs(program), spots)


def _text(text: str) -> str:
    """Text in ASCII; other characters are escaped as Java's 16-bit units."""
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2))
    return '"' + "".join(ESCAPES.get(chr(c)) or (chr(c) if 32 <= c < 127 else f"\\u{c:04x}") for c in codes) + '"'


def _label(label: Label) -> str:
    if isinstance(label, str):
        return _text(label)
    if isinstance(label, bool):
        return "true" if label else "false"
    return f"{label}L" if isinstance(label, int) else repr(label)


def _table(name: str, numbers: Numbers) -> str:
    """Numbers as text, parsed when the class is loaded, because the code that fills a table is limited to 64
    kilobytes.
    """
    whole = all(isinstance(number, int) for number in numbers)
    words = ["Infinity" if number == float("inf") else repr(number) for number in numbers]
    kind, read = ("int", "wholes") if whole else ("double", "reals")
    return f"    private static final {kind}[] {name.upper()} = {read}({', '.join(_chunks(words))});"


def _chunks(words: Sequence[str]) -> list[str]:
    chunks, line = [], ""
    for word in words:
        if len(line) + len(word) > CHUNK:
            chunks.append(line)
            line = ""
        line += f"{word} "
    return [f'"{chunk.rstrip()}"' for chunk in [*chunks, line] if chunk.strip()]


def _levels(at: int, cell: Cell) -> str:
    """Levels of one input, filled in their own method, because code is limited to 64 kilobytes per method."""
    keys = (_text(level) if isinstance(level, str) else repr(float(level)) for level in cell.levels)
    puts = "\n".join(f"        codes.put({key}, {code}.0);" for code, key in enumerate(keys))
    head = "        Map<Object, Double> codes = new LinkedHashMap<>();"
    body = "\n".join(filter(None, [head, puts, "        return codes;"]))
    return (
        f"    private static final Map<Object, Double> LEVELS_{at} = levels{at}();\n\n"
        f"    private static Map<Object, Double> levels{at}() {{\n{body}\n    }}\n"
    )
