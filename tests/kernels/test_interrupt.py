"""Ctrl-C takes effect within a second while native code learns, and leaves the estimator unchanged.

A signal is sent to a separate process while it fits a table that takes much longer.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from softwood.kernels import kernels
from tests.warm_process import WarmProcess

pytestmark = [
    pytest.mark.skipif(kernels != "native", reason="the reference kernels are Python, which hears signals itself"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to tell a process's time"),
]
AFTER = 0.5  # seconds of work until the signal comes
SQUARES = 2_000_000  # integers that Python squares and adds: a unit of time that scales with the machine, .18 s here
WANTED = 6.0  # units of the process's own time until it has ended the fit, about a second

TABLES = {
    "numbers": "X = r.normal(size=(400_000, 20)); y = r.integers(0, 3, 400_000)",
    "waves": "X = r.normal(size=(200_000, 10)); y = np.sin(3 * X[:, 0]) * X[:, 1] + X[:, 2]",
    "categories": "X = r.integers(0, 400, (160_000, 4)); y = r.integers(0, 5, 160_000)",
    "wide": "X = r.normal(size=(4_000, 700)); y = r.integers(0, 2, 4_000)",
}
MODELS = {
    "cart": ("numbers", "CARTClassifier(prune=None)"),
    "cart, pruned": ("numbers", "CARTClassifier()"),
    "cart, by two": ("numbers", "CARTClassifier(n_jobs=2)"),
    "cart, absolute": ("waves", "CARTRegressor(criterion='absolute_error')"),
    "cart, huber": ("waves", "CARTRegressor(criterion='huber')"),
    "cart, categories": ("categories", "CARTClassifier(categorical_features=[0, 1, 2, 3])"),
    "c45": ("numbers", "C45Classifier()"),
    "c45, subsets": ("categories", "C45Classifier(categorical_features=[0, 1, 2, 3], subsets=True)"),
    "discriminant": ("numbers", "LinearDiscriminantTreeClassifier()"),
    "discriminant, wide": ("wide", "LinearDiscriminantTreeClassifier(shrinkage=0.0)"),
    "omnivariate": ("numbers", "OmnivariateTreeClassifier()"),
    "soft": ("waves", "SoftTreeRegressor()"),
    "soft, by two": ("waves", "SoftTreeRegressor(n_jobs=2)"),
    "incremental": ("waves", "SoftTreeRegressor(learner='incremental')"),
    "budding": ("waves", "BuddingTreeRegressor()"),
    "online": ("waves", "BuddingTreeRegressor(learner='online')"),
    "softened": ("waves", "SoftenedTreeClassifier()"),
    "mixture": ("numbers", "MixtureOfExpertsClassifier()"),
}
# Each native pass once; these go through the passes of another one.
LIKE_ANOTHER = ("cart, pruned", "cart, by two", "cart, huber", "c45, subsets", "discriminant, wide", "soft, by two")
PROGRAM = """
    import time
    import numpy as np
    import softwood
    r = np.random.default_rng(0)
    {table}
    model = softwood.{model}
    if {labels}:
        y = (y > 0.5).astype(int)
    begin = time.process_time()
    sum(i * i for i in range({squares}))
    print("begun", time.process_time() - begin, flush=True)
    try:
        model.fit(X, y)
        print("fitted", flush=True)
    except KeyboardInterrupt:
        learned = sorted(name for name in vars(model) if name.endswith("_"))
        print("interrupted", time.process_time(), learned, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LIKE_ANOTHER)) for name in MODELS]
)
def test_an_interrupt_is_heard_within_a_second(name: str) -> None:
    table, model = MODELS[name]
    labels = "Classifier" in model and table == "waves"
    code = textwrap.dedent(PROGRAM).format(table=TABLES[table], model=model, labels=labels, squares=SQUARES)
    process = WarmProcess([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        begun, unit = process.stdout.readline().split()
        assert begun == "begun"
        time.sleep(AFTER)
        before = _seconds(process.pid)
        process.send_signal(signal.SIGINT)
        told = process.stdout.readline().split(maxsplit=2)
        assert told[0] == "interrupted", told
        assert told[2].strip() == "[]"
        assert float(told[1]) - before < WANTED * float(unit)
    finally:
        process.kill()
        process.wait()


def _seconds(pid: int) -> float:
    """Processor seconds of a process, independent of other load."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
