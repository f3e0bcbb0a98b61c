"""Streams: single rows, missing values, late classes, changing columns, a killed process, drift."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from softwood import BuddingTreeClassifier, load
from tests import warm_process
from tests.faults.learners import fingerprint

CHUNK = 200
PATIENCE = 120

KILLED = """
import os, signal, sys
from softwood import save
from tests.faults.test_streams import chunk, stream
model = stream()
for at in range(6):
    model.partial_fit(*chunk(at), classes=(0, 1, 2))
    if at < 4:
        save(model, sys.argv[1])
os.kill(os.getpid(), signal.SIGKILL)
"""


def stream() -> BuddingTreeClassifier:
    """A learner that forgets."""
    return BuddingTreeClassifier(learner="online", optimizer="adam", random_state=0)


def chunk(at: int, turned: bool = False) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Some rows: class 0 or 1, after the first chunks also 2; a fifth have a missing value, some only missing ones."""
    rng = np.random.default_rng(at)
    X = rng.normal(size=(CHUNK, 4))
    y = ((X[:, 0] + X[:, 1] > 0) ^ turned).astype(np.int64)
    if at > 2:
        y[X[:, 2] > 1] = 2
    X[rng.random(CHUNK) < 0.2, 3] = np.nan
    X[::50] = np.nan
    return X, y


def test_rows_one_at_a_time_give_the_same_bits() -> None:
    one, whole = stream(), stream()
    X, y = chunk(5)
    for row in range(CHUNK):
        one.partial_fit(X[row : row + 1], y[row : row + 1], classes=(0, 1, 2))
    whole.partial_fit(X, y, classes=(0, 1, 2))
    assert fingerprint(one) == fingerprint(whole)


def test_a_class_that_comes_late_is_learned() -> None:
    model = stream()
    for at in range(3):
        model.partial_fit(*chunk(at), classes=(0, 1, 2))
    X, y = chunk(100)
    assert not np.any(model.predict(X) == 2)
    for at in range(3, 30):
        model.partial_fit(*chunk(at))
    assert np.mean(model.predict(X)[y == 2] == 2) > 0.5
    with pytest.raises(ValueError, match="3"):
        model.partial_fit(X[:2], [0, 3])


def test_columns_that_change_are_refused_and_leave_no_trace() -> None:
    X, y = chunk(0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = stream().partial_fit(frame, y, classes=(0, 1, 2))
    before = fingerprint(model)
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame.rename(columns={"a": "z"}), y)
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[["b", "a", "c", "d"]], y)
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[["a", "b", "c"]], y)
    with pytest.raises(ValueError, match="3 features"):
        stream().partial_fit(X, y, classes=(0, 1, 2)).partial_fit(X[:, :3], y)
    with pytest.raises(ValueError, match="'a'"):
        model.partial_fit(frame.assign(a="text"), y)
    assert fingerprint(model) == before


def test_a_stream_that_is_killed_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "stream.softwood"
    line = [sys.executable, "-c", KILLED, str(file)]
    done = warm_process.run(line, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL
    whole, again = stream(), load(file)
    for at in range(8):
        whole.partial_fit(*chunk(at), classes=(0, 1, 2))
        if at >= 4:
            again.partial_fit(*chunk(at))
    assert fingerprint(again) == fingerprint(whole)


def test_a_rule_that_turns_round_is_learned_again() -> None:
    model, right = stream(), list[float]()
    for at in range(60):
        X, y = chunk(at % 2, turned=at >= 30)  # the first chunks alone: two classes
        if at:
            right.append(model.score(X, y))
        model.partial_fit(X, y, classes=(0, 1))
    assert right[28] > 0.85
    assert right[29] < 0.3
    assert right[58] > 0.85
