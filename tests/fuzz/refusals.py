"""The form of a refusal: a ValueError or TypeError, raised by a check, that names the input."""

from __future__ import annotations

import linecache
import re
import traceback
from pathlib import Path
from types import TracebackType

NAMES = (
    "X|y|X_val|y_val|sample_weight|weights?|columns?|features?|rows?|samples?|class|classes|labels?|targets?|input|categor\\w+|"
    "classifier|regress\\w+"
)


def told_badly(error: BaseException, parameters: list[str]) -> str | None:
    """The fault of a refusal; None if it is clear."""
    if type(error) not in (ValueError, TypeError):
        return "not a ValueError or TypeError"
    if not _was_raised_in_words(error):
        return "raised by an accident, not by a check"
    if not re.search(rf"\b({NAMES}|{'|'.join(map(re.escape, parameters))})\b", str(error)):
        return "does not name the input"
    return None


def _was_raised_in_words(error: BaseException) -> bool:
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = "softwood" in last.filename or "sklearn" in last.filename
    return ours and (linecache.getline(last.filename, last.lineno or 0).strip().startswith("raise"))


def place_of(trace: TracebackType | None) -> str:
    """The innermost frame of softwood in a trace, as file:function."""
    return _innermost(traceback.extract_tb(trace))


def place_of_stack() -> str:
    """The same of the frames that are running."""
    return _innermost(traceback.extract_stack())


def _innermost(frames: traceback.StackSummary) -> str:
    ours = [frame for frame in frames if is_softwood(frame.filename)]
    return place(ours[-1].filename, ours[-1].name) if ours else "outside"


def is_softwood(filename: str) -> bool:
    return "/site-packages/softwood/" in filename or "/src/softwood/" in filename


def place(filename: str, function: str) -> str:
    """file:function, the file from the package on."""
    parts = Path(filename).parts
    start = len(parts) - 1 - parts[::-1].index("softwood")
    return f"{'/'.join(parts[start + 1 :])}:{function}"
