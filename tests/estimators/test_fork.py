"""A process forked while another thread learns can learn itself: it inherits no locked lock of the package."""

from __future__ import annotations

import inspect
import os
import signal
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from softwood import SoftTreeRegressor
from softwood.tree import Schema, Tree

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
PATIENCE = 60.0  # seconds until a child counts as hung


def ends_well(work: Callable[[], object]) -> bool:
    """Whether a forked process does the work and ends."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    for _ in range(int(PATIENCE / 0.05)):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def test_a_fork_while_a_property_is_computed_computes_it() -> None:
    begun, go_on = threading.Event(), threading.Event()
    leaf = Tree(response=np.zeros((1, 1)), schema=Schema(("x",), (None,), ("y",)))

    class Slow:
        @property
        def n_children(self) -> int:
            begun.set()
            go_on.wait()
            return 0

    computes = threading.Thread(target=lambda: inspect.getattr_static(Tree, "n_leaves").__get__(Slow(), Tree))
    computes.start()
    begun.wait()
    try:
        assert ends_well(lambda: leaf.n_leaves)
    finally:
        go_on.set()
        computes.join()


def test_a_fork_while_another_thread_fits_fits() -> None:
    x = np.linspace(0, 6, 60)[:, None]
    ended = threading.Event()

    def fit() -> SoftTreeRegressor:
        return SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=3, weight_penalty=0.01).fit(
            x, np.sin(x[:, 0])
        )

    def fit_on() -> None:
        while not ended.is_set():
            fit()

    fits = threading.Thread(target=fit_on)
    fits.start()
    try:
        assert all(ends_well(fit) for _ in range(3))
    finally:
        ended.set()
        fits.join()
