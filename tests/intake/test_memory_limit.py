"""A fit that would exceed the limit is refused before it begins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import softwood
from softwood import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeRegressor,
    SoftTreeRegressor,
)
from softwood.intake.options import size_in_bytes
from softwood.intake.table import memory_limit
from softwood.intake.table.memory_limit import SETTING, TAKES, footprint

X = np.random.default_rng(0).normal(size=(50, 3))
Y = X[:, 0] + X[:, 1]
LARGE = np.broadcast_to(np.zeros((1, 1)), (10_000_000, 500))  # takes no memory itself


def test_what_is_set_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "8 GiB")
    SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=2, weight_penalty=0.01).fit(X, Y)
    with pytest.raises(
        MemoryError, match=r"needs at least 37.8 GiB for 10,000,000 rows of 500 columns.* 8 GiB, the limit that"
    ):
        SoftTreeRegressor().fit(LARGE, Y)
    with pytest.raises(MemoryError, match="learn in batches"):
        CARTClassifier().fit(LARGE, Y)
    with pytest.raises(MemoryError, match="sample of the rows, use fewer columns"):
        C45Classifier().fit(LARGE, Y)
    with pytest.raises(MemoryError, match="sample of the rows, use fewer columns"):
        LinearDiscriminantTreeRegressor().fit(LARGE, Y)


def test_without_a_setting_the_machine_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr(memory_limit, "_machine_has", lambda: 2**33)
    with pytest.raises(MemoryError, match="more than 8 GiB, all that this machine or container has"):
        CARTClassifier().fit(LARGE, Y)
    monkeypatch.setattr(memory_limit, "_machine_has", lambda: None)
    with pytest.raises(ValueError, match="inconsistent"):
        CARTClassifier().fit(LARGE[:100], Y > 0)


def test_none_is_no_limit_and_nonsense_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limit, "_machine_has", lambda: 4096)
    monkeypatch.setenv(SETTING, "none")
    CARTClassifier().fit(X, Y > 0)
    monkeypatch.setenv(SETTING, "a lot")
    with pytest.raises(
        ValueError, match=r"SOFTWOOD_MEMORY_LIMIT must be bytes, .* or text such as '4 GiB', got 'a lot'"
    ):
        CARTClassifier().fit(X, Y > 0)


def test_a_limit_below_what_the_process_holds_refuses_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "1 MiB")
    before = CARTClassifier()
    for given in (X, pd.DataFrame(X)):
        with pytest.raises(MemoryError, match="in use by the process"):
            before.fit(given, Y > 0)
    assert not hasattr(before, "tree_")


def test_a_table_that_is_copied_takes_more() -> None:
    assert footprint(CARTRegressor(), 100, 10, copied=True) == footprint(CARTRegressor(), 100, 10) + 8000


def test_what_makes_a_fit_smaller_is_stated() -> None:
    large = footprint(CARTRegressor(), 1000, 10)
    assert (
        large
        > footprint(CARTRegressor(prune=None), 1000, 10)
        > footprint(CARTRegressor(prune=None, max_depth=3), 1000, 10)
    )
    assert footprint(SoftTreeRegressor(), 1000, 10) > footprint(SoftTreeRegressor(effort="quick"), 1000, 10)


# Freed memory is returned to the system at once.
STRICT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}

# Peaks of fits beyond the process's memory, and their estimates, for [learner, options, rows]: each in a fork, since
# starting a process takes as long as most fits.
MEASURE = """
import json, os, sys
import numpy as np
import softwood
from softwood.intake.table.memory_limit import footprint

def status(field):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(field))

def measure(name, options, rows, columns=20):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
    y = y > 0 if name.endswith("Classifier") else y
    model = getattr(softwood, name)(**options)
    model.fit(X[:300], y[:300]).predict(X[:300])
    open("/proc/self/clear_refs", "w").write("5")
    before = status("VmRSS")
    model.fit(X, y)
    print(json.dumps([status("VmHWM") - before, footprint(model, rows, columns)]), flush=True)

softwood.CARTRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
for given in json.loads(sys.argv[1]):
    if not (child := os.fork()):
        measure(*given)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
FITS: list[tuple[str, dict[str, Any], int]] = [
    ("CARTClassifier", {}, 10_000),
    ("CARTRegressor", {}, 10_000),
    ("CARTClassifier", {"prune": None}, 10_000),
    ("C45Classifier", {}, 10_000),
    ("LinearDiscriminantTreeClassifier", {}, 10_000),
    ("LinearDiscriminantTreeClassifier", {"prune": None}, 10_000),
    ("OmnivariateTreeRegressor", {}, 10_000),
    ("SoftTreeClassifier", {"effort": "quick"}, 10_000),
    ("BuddingTreeClassifier", {}, 3_500),
    ("MixtureOfExpertsRegressor", {}, 3_500),
]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process anew")
@pytest.mark.long
@pytest.mark.parametrize("times", [1, 2.5])
def test_a_fit_takes_what_it_states_or_up_to_twice_that(times: float) -> None:
    """Within two MiB, for the heap."""
    given = [(name, options, int(times * rows)) for name, options, rows in FITS]
    line = [sys.executable, "-W", "ignore", "-c", MEASURE, json.dumps(given)]
    done = subprocess.run(line, capture_output=True, check=True, env=os.environ | STRICT)
    found = {str(fit): json.loads(told) for fit, told in zip(given, done.stdout.splitlines(), strict=True)}
    assert {fit: both for fit, both in found.items() if not both[1] - 2**21 < both[0] < 2 * (both[1] + 2**21)} == {}


def test_every_learner_says_what_it_takes() -> None:
    learners = {name for name in softwood.__all__ if name.endswith(("Classifier", "Regressor"))}
    families = {name.removesuffix("Classifier").removesuffix("Regressor") for name in learners} - {"Softened"}
    assert families == set(TAKES)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("100 MB", 100_000_000),
        ("100MiB", 100 * 2**20),
        ("1.5 GiB", 3 * 2**29),
        (".5 gb", 500_000_000),
        ("2 T", 2_000_000_000_000),
        ("2 Ti", 2 * 2**40),
        ("8192", 8192),
        ("8192 B", 8192),
    ],
)
def test_mb_is_a_million_bytes_and_mib_is_not(text: str, size: int) -> None:
    assert size_in_bytes("memory", text) == size


@pytest.mark.parametrize(
    "text", ["", "MB", "4 GiX", "4 BG", "1e9", "-4 GB", "4 G i B", "inf", "nan GB", "4,5 GB", "٤ GB"]
)
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be bytes"):
        size_in_bytes("memory", text)
