"""Threads: a thousand concurrent predictions, concurrent fits, and none outlives the process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from softwood import CARTClassifier, SoftTreeClassifier
from tests.faults.learners import CHILD, LEARNERS, fingerprint, make, rows

THREADS = 1000
PATIENCE = 120


@pytest.mark.parametrize("name", ["CARTClassifier", "SoftTreeRegressor"])
def test_a_thousand_threads_get_the_same_bits(name: str) -> None:
    X, y = rows(name, 300)
    model = make(name, n_jobs=2).fit(X, y)
    expected, go, wrong = model.predict(X), threading.Event(), list[object]()

    def ask() -> None:
        go.wait()
        try:
            if not np.array_equal(model.predict(X), expected):
                wrong.append("other answers")
        except BaseException as problem:
            wrong.append(problem)

    before = threading.stack_size(2**18)
    try:
        asking = [threading.Thread(target=ask, daemon=True) for _ in range(THREADS)]
        for thread in asking:
            thread.start()
    finally:
        threading.stack_size(before)
        go.set()
    for thread in asking:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in asking)
    assert wrong == []


def test_fits_side_by_side_learn_what_each_learns_alone() -> None:
    alone = {name: fingerprint(make(name).fit(*rows(name))) for name in LEARNERS}
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda name: fingerprint(make(name, n_jobs=2).fit(*rows(name))), LEARNERS * 2)
        assert dict(zip(LEARNERS * 2, found, strict=True)) == alone


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_learns_the_same(backend: str) -> None:
    names = ("CARTClassifier", "SoftTreeClassifier", "C45Classifier", "SoftTreeRegressor")
    alone = [fingerprint(make(name).fit(*rows(name))) for name in names]
    with joblib.parallel_config(backend=backend, n_jobs=2):
        models = joblib.Parallel()(joblib.delayed(make(name).fit)(*rows(name)) for name in names)
        assert [fingerprint(model) for model in models] == alone
        X, y = rows("CARTClassifier")
        search = GridSearchCV(CARTClassifier(random_state=0), {"max_leaves": [2, 4]}, cv=2).fit(X, y)
        assert search.best_estimator_.score(X, y) > 0.5


USED = """
import sys, threading, time
import numpy as np
from softwood import SoftTreeRegressor
X = np.random.default_rng(0).normal(size=(4000, 8))
model = SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=3, weight_penalty=0.01, n_jobs=3).fit(X, X[:, 0])
begun = threading.Event()

def work():
    begun.set()
    while True:
        model.predict(X)

if sys.argv[1] == "busy":
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    begun.wait()
    time.sleep(0.2)
print("end", flush=True)
"""


@pytest.mark.parametrize("state", [pytest.param("idle", marks=pytest.mark.long), "busy"])
def test_threads_end_with_the_process(state: str) -> None:
    """No message about leaked objects; daemon threads within native work end with the process.

    Python before 3.14 unwinds the stack of such a thread when it requests the GIL, which makes C++ abort: native code
    waits instead (native/bind/interpreter_lock.hpp).
    """
    line = [sys.executable, "-c", USED, state]
    done = subprocess.run(line, env=CHILD, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


FITTING = """
import os, random, sys, threading, time
import numpy as np
from tests.faults.learners import make, rows
name, runs = sys.argv[1], int(sys.argv[2])
X, y = rows(name, 200)
make(name).fit(X, y)

def work():
    while True:
        make(name).fit(X, y)

def end_by(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

for run in range(runs):
    child = os.fork()
    if child == 0:
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(random.Random(run).uniform(0.01, 0.1))
        break
    if end_by(child) != 0:
        print("run", run, "ended badly", flush=True)
"""
FAMILIES = ("CARTClassifier", "SoftTreeRegressor", "BuddingTreeRegressor", "LinearDiscriminantTreeClassifier")
SOME, MANY = 2, 60  # runs; of four threads in a fit about one run in thirty aborted


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize(
    ("name", "runs"),
    [("CARTClassifier", SOME), *((name, MANY) for name in FAMILIES)],
)
def test_threads_in_a_fit_end_with_the_process(name: str, runs: int) -> None:
    """NumPy's C++ has no such protection: the interpreter waits for a fit until it reaches a place that holds it."""
    line = [sys.executable, "-c", FITTING, name, str(runs)]
    done = subprocess.run(line, env=CHILD, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


LATE = """
import atexit
import numpy as np
X = np.random.default_rng(0).normal(size=(2000, 4))
atexit.register(lambda: print(model.predict(X).shape, flush=True))  # called after softwood's own
from softwood import SoftTreeRegressor
model = SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=3, weight_penalty=0.01, n_jobs=2).fit(X, X[:, 0])
"""


@pytest.mark.long
def test_the_main_thread_asks_until_the_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATE], env=CHILD, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "(2000,)\n", "")


def test_two_models_of_one_estimator_do_not_meet() -> None:
    """A model that is refitted while another thread predicts gives the old or the new predictions, never a mixture."""
    X, y = rows("SoftTreeClassifier", 200)
    model = make("SoftTreeClassifier").fit(X, y)
    two = [model.predict_proba(X), SoftTreeClassifier(**model.get_params()).fit(X, 1 - y).predict_proba(X)]
    ended, seen = threading.Event(), list[bool]()

    def ask() -> None:
        while not ended.is_set():
            answer = model.predict_proba(X)
            seen.append(any(np.array_equal(answer, one) for one in two))

    asks = threading.Thread(target=ask)
    asks.start()
    for turn in range(6):
        model.fit(X, y if turn % 2 else 1 - y)
    ended.set()
    asks.join()
    assert seen
    assert all(seen)
