"""Processes: spawned, or forked from one with native threads; each learns and predicts the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.learners import CHILD

PATIENCE = 180

SPAWN = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from tests.faults.learners import fingerprint, make, rows

NAMES = ("CARTClassifier", "SoftTreeRegressor", "BuddingTreeClassifier")

def learn(name):
    return fingerprint(make(name, n_jobs=2).fit(*rows(name)))

if __name__ == "__main__":
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(learn, NAMES)) == [learn(name) for name in NAMES]
"""

# A server that loads its model, predicts once and then forks its workers; each predicts, learns, and forks again.
PRELOAD = """
import os, signal, sys, time, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks where there are threads
from tests.faults.learners import fingerprint, make, rows

X, y = rows("SoftTreeRegressor", 3000, 8)

def learn():
    return fingerprint(make("SoftTreeRegressor", n_jobs=4).fit(X, y))

model = make("SoftTreeRegressor", n_jobs=4).fit(X, y)
answers, learned = model.predict(X).tobytes(), fingerprint(model)

def work(depth):
    assert model.predict(X).tobytes() == answers
    assert learn() == learned
    if depth:
        forked(depth - 1, 1)
    assert model.predict(X).tobytes() == answers

def forked(depth, n):
    children = []
    for _ in range(n):
        child = os.fork()
        if child == 0:
            signal.alarm(120)  # hung
            try:
                work(depth)
            except BaseException as problem:
                print(repr(problem), flush=True)
                os._exit(1)
            os._exit(0)
        children.append(child)
    for child in children:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code == 0, code

forked(1, 3)
work(0)
"""


@pytest.mark.long
def test_spawned_processes_learn_the_same(tmp_path: Path) -> None:
    script = tmp_path / "spawned.py"  # which each of them imports
    script.write_text(SPAWN)
    line = [sys.executable, str(script)]
    done = subprocess.run(line, env=CHILD, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="this system cannot fork")
def test_workers_forked_after_the_model_was_used_answer_and_learn() -> None:
    line = [sys.executable, "-c", PRELOAD]
    done = subprocess.run(line, env=CHILD, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
