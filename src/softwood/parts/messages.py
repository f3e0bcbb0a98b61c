"""What `verbose` shows: records of the logger "softwood", or lines on the standard output.

Records go to the log where somebody has set one up: the logger has handlers, and its level takes INFO or was set for it
alone. Otherwise each message is printed, one line that is never broken, as scikit-learn does.
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
    """Whether somebody may be looking at a stream, the standard output by default."""
    stream = sys.stdout if stream is None else stream
    return bool(getattr(stream, "isatty", lambda: False)())
