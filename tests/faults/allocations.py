"""Every allocation of native code fails once: the fit raises MemoryError, and the next one succeeds.

    python -m tests.faults.allocations --most 2000          up to so many places of each learner (make faults)

The child runs with failing_new.cpp in place of C++'s `operator new`. If a fit allocates more often than tested, half of
the tested allocations are the first ones, the others are spread evenly.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from tests.faults.learners import CHILD, LEARNERS, fingerprint, make, rows

SOURCE = Path(__file__).with_name("failing_new.cpp")


def compiler() -> str | None:
    """A C++ compiler, as the build finds it."""
    return next(filter(None, map(shutil.which, (os.environ.get("CXX", "c++"), "c++", "g++", "clang++"))), None)


def fail_everywhere(name: str, most: int, library: Any) -> dict[str, Any]:
    """The outcome of a fit and its predictions, for each failed allocation."""
    X, y = rows(name)

    def work() -> str:
        model = make(name, n_jobs=2).fit(X, y)
        return fingerprint(model) + model.predict(X).tobytes().hex()

    expected = work()
    library.count_news()
    work()
    total = int(library.count_news())
    places = np.unique(
        np.append(np.arange(min(total, most // 2)), np.linspace(0, total - 1, most - most // 2).astype(int))
    )
    came = Counter[str]()
    for place in places:
        library.fail_new_after(int(place))
        try:
            work()
            came["learned"] += 1  # threads share the work anew each time: the place was not reached
        except MemoryError:
            came["MemoryError"] += 1
        except BaseException as problem:
            came[f"{place}: {problem!r:.200}"] += 1
        finally:
            library.fail_new_after(-1)
    return {"allocations": total, "tried": len(places), "came": came, "same": work() == expected}


def run(most: int, names: tuple[str, ...] = LEARNERS) -> dict[str, Any]:
    """All learners, in a child process; a crash is an error with its last output."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "failing_new.so"
        build = [compiler() or "c++", "-std=c++17", "-O1", "-shared", "-fPIC", str(SOURCE), "-o", str(library)]
        subprocess.run(build, check=True, capture_output=True)
        line = [sys.executable, "-m", "tests.faults.allocations", "--child", str(library), "--most", str(most), *names]
        child = CHILD | {"LD_PRELOAD": str(library)}
        done = subprocess.run(line, env=child, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the child ended with {done.returncode}: {done.stdout[-300:]} {done.stderr[-2000:]}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def main() -> None:
    """Print the outcomes, learner by learner."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=LEARNERS)
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--child", help="the library whose operator new fails")
    given = parser.parse_args()
    if given.child is None:
        for name in given.names:
            print(json.dumps(run(given.most, (name,))), flush=True)
        return
    warnings.simplefilter("ignore")
    library = ctypes.CDLL(given.child)
    library.fail_new_after.argtypes, library.count_news.restype = [ctypes.c_long], ctypes.c_long
    print(json.dumps({name: fail_everywhere(name, given.most, library) for name in given.names}))


if __name__ == "__main__":
    main()
