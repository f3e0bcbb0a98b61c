"""When native code should stop: it calls `check` about every 50 ms, on the thread that called it.

On the main thread Python itself raises KeyboardInterrupt here, as it does wherever its code runs. Other threads hear no
signals: who gives them work and is interrupted tells them by a `Stop`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_here = threading.local()


class Stopped(BaseException):
    """The work was given up by who asked for it."""


class Stop:
    """A sign that the threads which work under it should stop."""

    def __init__(self) -> None:
        self.given = False

    def give(self) -> None:
        """Let all native work under this sign end."""
        self.given = True

    def heard(self, work: Callable[P, T]) -> Callable[P, T]:
        """The work, which checks for the interrupt while it runs, on any thread."""

        def listening(*args: P.args, **kwargs: P.kwargs) -> T:
            before, _here.stop = getattr(_here, "stop", None), self
            try:
                check()
                return work(*args, **kwargs)
            finally:
                _here.stop = before

        return listening


def check() -> None:
    """Raise what should end the work on this thread, if anything should."""
    stop = getattr(_here, "stop", None)
    if stop is not None and stop.given:
        raise Stopped
