"""Seconds of `import softwood` if scikit-learn's trees are already imported."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import time
import sklearn.tree
start = time.process_time()
import softwood
print(time.process_time() - start)
"""


def import_seconds(repeats: int) -> float:
    """Best of several fresh interpreters."""
    return min(
        float(subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout)
        for _ in range(repeats)
    )
