"""Work that an interrupt may end early; the earlier result is then returned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Interruptible:
    """keep : whether to keep the earlier result; otherwise, and from the second interrupt on, interrupts are raised."""

    keep: bool
    interrupted: bool = False

    def result(self, at_hand: T, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of the work, or the earlier result if an interrupt ends it."""
        try:
            return work(*args, **kwargs)
        except KeyboardInterrupt:
            if not self.keep or self.interrupted:
                raise
            self.interrupted = True
            return at_hand
