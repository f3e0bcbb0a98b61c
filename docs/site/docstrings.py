"""Griffe extension of the site: docstring entries `name : what it is` become numpydoc's `name` and a paragraph below.

Types of parameters are in the signatures, so most entries say what a thing is on the first line. numpydoc would take
that for the type. An entry whose first line is a type (`{"gini", "error"}`, `int or None`) stays as it is.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ENTRY = re.compile(r"^(?P<names>\*{0,2}[A-Za-z_][\w, *]*?) : (?P<first>.+)$")
TYPE = re.compile(
    r"^(\{|\(|\"|int\b|float\b|bool\b|str\b|list\b|dict\b|array\b|None\b|callable\b|sequence\b|path\b|softwood\.\w+$)"
)


def reworded(text: str) -> str:
    """The docstring with every entry that describes on its first line moved to the line below."""
    lines, inside = [], False
    following = [*text.split("\n")[1:], ""]
    for line, after in zip(text.split("\n"), following, strict=True):
        if re.fullmatch(r"-{3,}", after):
            inside = line in ("Parameters", "Attributes")
        entry = ENTRY.match(line) if inside else None
        continued = after.startswith("    ")
        is_type = entry and TYPE.match(entry["first"]) and continued and after.strip()[:1].isupper()
        if entry and not is_type:
            lines += [entry["names"], f"    {entry['first']}"]
        else:
            lines.append(line)
    return "\n".join(lines)


class PlainEntries(griffe.Extension):
    """Rewords docstrings before they are parsed."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = reworded(obj.docstring.value)
