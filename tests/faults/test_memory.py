"""Out of memory is a MemoryError, and the process continues; memory is released after use."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tracemalloc
from importlib import import_module

import numpy as np
import pytest

from softwood import CARTClassifier, CARTRegressor
from softwood.kernels.contracts.growth import Growth, Target
from softwood.kernels.kinds import Criterion
from tests.faults.allocations import run
from tests.faults.learners import CHILD, LEARNERS

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to a limit of addresses")
PATIENCE = 300
# Freed memory is returned to the system at once, so that a limit is exact.
STRICT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}

LIMITED = """
import json, resource, sys
import numpy as np
from tests.faults.learners import LEARNERS, fingerprint, make, rows

def attempt(work):
    try:
        work()
        return "done"
    except MemoryError:
        return "MemoryError"
    except BaseException as problem:
        return repr(problem)

large = {kind: rows(kind, 30_000, 120) for kind in ("Classifier", "Regressor")}

def limited(name):
    small, many = rows(name), np.zeros((4_000_000, 3))
    X, y = large["Classifier" if name.endswith("Classifier") else "Regressor"]
    model = make(name, n_jobs=2).fit(*small)
    before, answers = fingerprint(model), model.predict(small[0]).tobytes()
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**23, resource.RLIM_INFINITY))
    came = [attempt(lambda: make(name, n_jobs=2).fit(X, y)), attempt(lambda: model.predict(many))]
    again = make(name, n_jobs=2).fit(*small)
    came.append(fingerprint(again) == before and model.predict(small[0]).tobytes() == answers)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return came

print(json.dumps({name: limited(name) for name in LEARNERS}))
"""

# Repeated fits and predictions: pages of the process after a warm-up and at the end.
REPEATED = """
import sys
import numpy as np
from tests.faults.learners import LEARNERS, make, rows
fits, answers = map(int, sys.argv[1:])

def held():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

names = ("CARTClassifier", "C45Classifier", "LinearDiscriminantTreeClassifier", "BuddingTreeRegressor")
table, model = {name: rows(name, 40) for name in names}, None
begin = 0
for turn in range(fits):
    name = names[turn % len(names)]
    model = make(name).fit(*table[name])
    row = table[name][0][:1]
    for _ in range(answers):
        model.predict(row)
    if turn == fits // 3:
        begin = held()
print(held() - begin)
"""


@LINUX
def test_a_fit_or_an_answer_beyond_memory_is_a_memory_error_and_the_next_one_works() -> None:
    line = [sys.executable, "-W", "ignore", "-c", LIMITED]
    done = subprocess.run(line, env=CHILD | STRICT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == {name: ["MemoryError", "MemoryError", True] for name in LEARNERS}


@pytest.mark.long
@LINUX
def test_any_allocation_of_native_code_may_fail() -> None:
    """Some places of each learner; `make faults` tries thousands."""
    for name, told in run(most=10).items():
        assert set(told["came"]) <= {"MemoryError", "learned"}, (name, told)
        assert told["came"]["MemoryError"] >= 5, (name, told)
        assert told["same"], name


@pytest.mark.parametrize("kind", ["native", "reference"])
def test_a_category_of_many_levels_at_many_gates_is_refused_in_words(kind: str) -> None:
    """A gate stores every level of its rows, which may be most levels at many gates."""
    grower = import_module(f"softwood.kernels.{kind}").Grower
    code = np.arange(60.0)
    y = (2.0**code)[:, None]  # every split takes the largest off
    made = grower(code[:, None], np.array([1000], np.int32), np.ones(60))
    target = Target(y, np.ones(60))
    growth = Growth(Criterion.SQUARED_ERROR, max_leaves=3)
    assert len(made.grow(target, growth).first_child) == 5
    with pytest.raises(ValueError, match=r"of 1000 levels .* of their rows, and after \d gates .* merge levels"):
        made.grow(target, Growth(Criterion.SQUARED_ERROR, max_places=150))


def test_a_category_of_many_levels_takes_memory_by_rows_not_by_gates() -> None:
    """20,000 levels at 10,000 gates: 800 MB with a slot for every level at each gate."""
    rng = np.random.default_rng(0)
    level = rng.integers(20_000, size=20_000)
    X, y = np.column_stack([level, rng.normal(size=20_000)]), rng.normal(size=20_000)[level] + rng.normal(size=20_000)
    tracemalloc.start()
    try:
        model = CARTRegressor(categorical_features=[0], prune=None).fit(X, y)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert model.tree_.n_leaves > 10_000
    assert most < 100 * 2**20
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_many_classes_are_kept_where_they_are() -> None:
    """Predictions for held-out rows are stored once per node, without unseen classes: 35 MiB, not 130."""
    rng = np.random.default_rng(0)
    y = rng.integers(300, size=3000)
    X = rng.normal(size=(300, 4))[y] + 0.3 * rng.normal(size=(3000, 4))
    tracemalloc.start()
    try:
        CARTClassifier().fit(X, y)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 70 * 2**20


@pytest.mark.long
@LINUX
def test_memory_is_given_back() -> None:
    """A fit that kept 10 KiB would show as 1.3 MiB; `make trust` runs 100,000 fits."""
    line = [sys.executable, "-W", "ignore", "-c", REPEATED, "200", "10"]
    done = subprocess.run(line, env=CHILD, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr == ""
    assert int(done.stdout) < 2**20
