"""An interrupt at the n-th call of the package's functions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Interruption:
    """Counts the calls of the package's functions, and interrupts at one of them."""

    def __init__(self, at: int | None = None) -> None:
        self.at, self.calls = at, 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        generator = frame.f_code.co_flags & inspect.CO_GENERATOR  # Python ignores what is raised while one is closed
        if event == "call" and not generator and frame.f_globals.get("__name__", "").startswith("softwood"):
            self.calls += 1
            if self.calls == self.at:
                sys.setprofile(None)
                raise KeyboardInterrupt

    def during(self, work: Callable[[], object]) -> int:
        sys.setprofile(self)
        try:
            work()
        finally:
            sys.setprofile(None)
        return self.calls
