"""The memory of a fit against its estimate: one fit each, in its own process."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.trust.process import MIB

LIMIT = 300  # CPU seconds
SIZES = ((20_000, 20), (60_000, 20))
FAMILIES = (
    "CART", "C45", "LinearDiscriminantTree", "OmnivariateTree", "SoftTree", "SoftForest", "BuddingTree", "SoftenedTree",
    "MixtureOfExperts",
)  # fmt: skip


def measure(name: str, rows: int, columns: int, **options: Any) -> dict[str, Any]:
    """Bytes at the peak of a fit, beyond the memory before it, and the estimate."""
    import softwood
    from softwood.intake.table.memory_limit import footprint

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y: Any = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=rows)
    y = y > 0 if name.endswith("Classifier") else y
    learner = getattr(softwood, name)
    small = learner(**options).fit(X[:300], y[:300])  # imports and threads
    small.predict(X[:300])
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _status("VmRSS")
    model = learner(**options)
    model.fit(X, y)
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "taken": _status("VmHWM") - before,
        "stated": footprint(model, rows, columns),
        "seconds": spent.ru_utime + spent.ru_stime,
    }


def _status(field: str) -> int:
    """Bytes of this process, as Linux tells them."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def measured(name: str, rows: int, columns: int, **options: Any) -> dict[str, Any] | None:
    """The same in a process of its own; None where it did not end in time."""
    code = "import json, resource; from bench.trust.footprints import measure; "
    code += f"resource.setrlimit(resource.RLIMIT_CPU, ({LIMIT}, {LIMIT})); "
    code += f"print(json.dumps(measure({name!r}, {rows}, {columns}, **{options!r})))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def run(scale: float, families: tuple[str, ...] = FAMILIES, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
    """Print one line per fit."""
    for family in families:
        for kind in ("Classifier", "Regressor"):
            for rows, columns in sizes:
                n = int(rows * scale)
                found = measured(family + kind, n, columns)
                if found is None:
                    print(family + kind, f"{n} x {columns}", "did not end", sep=" | ", flush=True)
                    continue
                taken, stated = found["taken"], found["stated"]
                told = f"{taken / MIB:.0f} MiB, {taken / (n * columns):.0f} bytes a cell, states {stated / MIB:.0f} MiB"
                print(family + kind, f"{n} x {columns}", told, f"{found['seconds']:.0f} s", sep=" | ", flush=True)
