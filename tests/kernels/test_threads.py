"""Native threads: started once, shared by all callers, and restarted after a fork."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels.kinds import Loss

PASSES = 60


def gradients(n_threads: int, passes: int = 1) -> list[np.ndarray]:
    """Gradients of a tree of seven gates: long enough for threads, short enough for some to start late."""
    rng = np.random.default_rng(0)
    phi, target = rng.normal(size=(5_000, 20)), rng.normal(size=(5_000, 1))
    rows = kernels.make_rows(phi, target, np.ones(5_000), Loss.SQUARED)
    first_child = np.array([1, 3, 5, 7, 9, 11, 13, *[-1] * 8], np.int32)
    shape = kernels.make_shape(first_child, np.full(8, -1, np.int32), 0, 20, 1)
    parameters = rng.normal(size=7 * 21 + 8)
    return [rows.gradient(shape, parameters, n_threads)[1] for _ in range(passes)]


def test_all_who_have_work_at_once_get_what_one_alone_gets() -> None:
    alone = gradients(1)[0]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda n_threads: gradients(n_threads, PASSES), [2, 3, 5, 8]):
            for gradient in found:
                np.testing.assert_array_equal(gradient, alone)


def same_in_a_fork() -> int:
    """The exit code of a fork of this process, which has no threads of its parent."""
    alone, tasks = gradients(4)[0], Path("/proc/self/task")

    def compare() -> None:
        same = np.array_equal(gradients(4)[0], alone)
        helped = not tasks.exists() or len(list(tasks.iterdir())) >= 4
        sys.exit(0 if same and helped else 3)

    child = multiprocessing.get_context("fork").Process(target=compare)
    child.start()
    child.join(60)
    child.kill()
    return int(child.exitcode if child.exitcode is not None else -1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_a_fork_hires_its_own_threads() -> None:
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks where there are threads
    sys.exit(same_in_a_fork())
