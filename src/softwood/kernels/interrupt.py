"""When native code should stop: it calls `check` about every 50 ms, on the thread that called it.

On the main thread Python itself raises KeyboardInterrupt here. Other threads receive no signals: the thread that gives
them work and is interrupted stops them with a `Stop`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_here = threading.local()


class Stopped(BaseException):
    """The caller cancelled the work."""


class Stop:
    """A flag for the threads that should stop."""

    def __init__(self) -> None:
        self.given = False

    def give(self) -> None:
        """Stop all native work under this flag."""
        self.given = True

    def heard(self, work: Callable[P, T]) -> Callable[P, T]:
        """Run the work with checks for the interrupt, on any thread."""

        def listening(*args: P.args, **kwargs: P.kwargs) -> T:
            before, _here.stop = getattr(_here, "stop", None), self
            try:
                check()
                return work(*args, **kwargs)
            finally:
                _here.stop = before

        return listening


def check() -> None:
    """Raise the exception that ends the work on this thread, if any."""
    stop = getattr(_here, "stop", None)
    if stop is not None and stop.given:
        raise Stopped
