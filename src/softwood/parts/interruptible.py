"""Work that an interrupt may cut short, where something is at hand already that can be kept instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Interruptible:
    """keep : whether to keep what is at hand; otherwise, and from the second interrupt on, interrupts are raised."""

    keep: bool
    interrupted: bool = False

    def result(self, at_hand: T, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the work gives; what is at hand if an interrupt ends it."""
        try:
            return work(*args, **kwargs)
        except KeyboardInterrupt:
            if not self.keep or self.interrupted:
                raise
            self.interrupted = True
            return at_hand
