"""Peak memory of a fit, measured in its own process: `python -m bench.speed.memory NAME ROWS`.

The peak includes the float64 input and everything that the fit allocates, minus the memory of interpreter and imports.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from softwood import CARTClassifier, CARTRegressor

COLUMNS = 10
SAME: dict[str, Any] = {"missing": "direction", "prune": None}
FITS: dict[str, Any] = {
    "two classes, exact": CARTClassifier(max_leaves=4000, **SAME),
    "two classes, 256 bins": CARTClassifier(max_leaves=4000, max_bins=256, **SAME),
    "two classes, scikit-learn": DecisionTreeClassifier(max_leaf_nodes=4000, random_state=0),
    "full-depth regression, exact": CARTRegressor(**SAME),
    "full-depth regression, 256 bins": CARTRegressor(max_bins=256, **SAME),
    "full-depth regression, scikit-learn": DecisionTreeRegressor(random_state=0),
}


def peak_of(name: str, n: int) -> float:
    """Peak of the fit called `name` on n rows, in multiples of the input's size."""
    command = [sys.executable, "-m", "bench.speed.memory", name, str(n)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def peak_bytes() -> int:
    """Peak of this process; where Linux says it of this program alone, without what ran before it was loaded."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _measure(name: str, n: int) -> float:
    rng = np.random.default_rng(0)
    model = FITS[name]
    small = rng.normal(size=(100, COLUMNS))
    model.fit(small, small[:, 0] > 0)  # all late imports are done
    before = peak_bytes()
    X = rng.normal(size=(n, COLUMNS))
    y = X[:, 0] * X[:, 1]
    y += rng.normal(size=n)
    model.fit(X, y > 0 if "classes" in name else y)
    return (peak_bytes() - before) / X.nbytes


if __name__ == "__main__":
    print(_measure(sys.argv[1], int(sys.argv[2])))
