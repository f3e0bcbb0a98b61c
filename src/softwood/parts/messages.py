"""What `verbose` shows: records of the logger "softwood", or lines on the standard output.

Records go to the log if one is configured: the logger has handlers, and its level includes INFO or was set for it.
Otherwise each message is printed as one line, as in scikit-learn.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

LOGGER = logging.getLogger("softwood")


def say(verbose: int, text: str, level: int = 1) -> None:
    """One message, where `verbose` is at least its level.

    >>> say(1, "engine: memory"), say(1, "candidate", level=2), say(0, "engine: memory")
    engine: memory
    (None, None, None)
    """
    if verbose < level:
        return
    if is_logged():
        LOGGER.info(text)
    else:
        print(text)


def is_logged() -> bool:
    """Whether messages go to a log instead of the standard output."""
    return LOGGER.hasHandlers() and (LOGGER.level != logging.NOTSET or LOGGER.isEnabledFor(logging.INFO))


def is_terminal(stream: Any = None) -> bool:
    """Whether a stream is interactive; the standard output by default."""
    stream = sys.stdout if stream is None else stream
    return bool(getattr(stream, "isatty", lambda: False)())
