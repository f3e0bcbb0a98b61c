"""Mutated files: loading any file gives a valid model or a FileError, quickly and in little memory.

    python -m tests.fuzz.files --cases 100000 --seed 0 --jobs 2
    python -m tests.fuzz.files --cases 100000 --seed 0 --start 37000     resumes at the last printed case
    python -m tests.fuzz.files --work 17 18                              case 17 alone

Half of the mutants are files with wrong bytes. The hash detects nearly all of those, so the other half have changed
values in their header or arrays and a new hash: these reach the further checks. A mutant that loads must predict and
continue. A case is determined by one integer; the worker is a child process, so that a crash is a finding too. Limits
are on processor time, not wall time, because the machine may be busy.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import softwood
from softwood import FileError
from softwood.formats.container import read_container, write_container
from tests.files.models import answers, numbers, rows
from tests.fuzz.worker import ONE_THREAD

FILES = sorted((Path(__file__).parents[1] / "files").glob("v*/*.softwood"))
MOST_SECONDS = 10.0  # of processor time, to load a file
CASE_SECONDS = 60.0  # of processor time, for a whole case
SILENT_SECONDS = 1800.0  # of wall time, without a completed case: a hang
CHUNK = 500  # cases of one child
MOST_MEMORY = 64  # times the size of the file, beside SPARE
SPARE = 2**21
STRANGE: list[Any] = [
    None, True, False, -1, 0, 1, 2, 7, 2**31 - 1, 2**31, 2**63, 10**30, -(10**30), 0.5, -0.5, 1e308, "", "x", "nan",
    "CARTClassifier", "Tree", "\ud800", [], {}, [[]], [0], {"float": "nan"}, {"float": "inf"}, {"array": "tree/gain"},
    {"is": "OnlineState"}, {"dict": [[[], 1]]}, {"tuple": [1]}, {"estimator": "SoftTreeRegressor", "parameters": {}},
    {"splitter": "KFold", "parameters": {"n_splits": -1}}, [{}] * 100, "9" * 500,
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 255, 2**31 - 1, -(2**31), 2**62, np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-300, 0.5]


def mutate_bytes(stored: bytes, rng: np.random.Generator) -> bytes:
    """Wrong bytes: flipped, overwritten, cut out, put in, cut off, doubled."""
    file = bytearray(stored)
    for _ in range(int(rng.integers(1, 4))):
        at, size = int(rng.integers(len(file) + 1)), int(rng.integers(1, 64))
        at = min(at, int(rng.integers(2, 4000))) if rng.random() < 0.5 else at  # the table is in front
        how = int(rng.integers(7))
        if how == 0 and at < len(file):
            file[at] ^= 1 << int(rng.integers(8))
        elif how == 1:
            file[at : at + size] = rng.bytes(size)
        elif how == 2:
            del file[at : at + size]
        elif how == 3:
            file[at:at] = rng.bytes(size)
        elif how == 4:
            del file[at:]
        elif how == 5:
            file[at:at] = file[at : at + size]
        else:
            file[:8] = int(rng.choice([0, 1, len(file), 2**31, 2**62])).to_bytes(8, "little")
    return bytes(file)


def mutate_header(header: Any, rng: np.random.Generator) -> None:
    """One value in the header is changed, removed, or duplicated."""
    place, key = header, rng.choice(list(header))
    while isinstance(place[key], dict | list) and place[key] and rng.random() < 0.85:
        place = place[key]
        key = list(place)[int(rng.integers(len(place)))] if isinstance(place, dict) else int(rng.integers(len(place)))
    how = rng.random()
    if how < 0.7:
        place[key] = copy.deepcopy(STRANGE[int(rng.integers(len(STRANGE)))])
    elif how < 0.85:
        del place[key]
    elif isinstance(place, list):
        place.append(copy.deepcopy(place[key]))
    else:
        place["more"] = copy.deepcopy(place[key])


def mutate_arrays(arrays: dict[str, Any], rng: np.random.Generator) -> None:
    """One array has other values, another shape, dtype or name, or is removed."""
    names = sorted(arrays)
    learned = [name for name in names if name.startswith("learned/") and "/tree/" not in name]
    names = learned if learned and rng.random() < 0.5 else names
    name = names[int(rng.integers(len(names)))]
    array = arrays[name] = np.array(arrays[name])
    how = int(rng.integers(10))
    if how < 5 and array.size:
        for _ in range(int(rng.integers(1, 3))):
            with np.errstate(all="ignore"):
                value = np.array(NUMBERS[int(rng.integers(len(NUMBERS)))]).astype(array.dtype)
            array.flat[int(rng.integers(array.size))] = value
    elif how == 5:
        arrays[name] = rng.permutation(array.ravel()).reshape(array.shape)
    elif how == 6:
        size = int(rng.choice([0, 1, max(array.size - 1, 0), array.size + 1, array.size + 40]))
        arrays[name] = np.resize(array.ravel(), size)
    elif how == 7:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(rng.choice(["f8", "f4", "i8", "i4", "u1", "?", "u4"]))
    elif how == 8:
        arrays[name] = array[None] if rng.random() < 0.5 else array.ravel()
    elif rng.random() < 0.5:
        del arrays[name]
    else:
        arrays[str(rng.choice(["tree/gain", "learned/x", "tree/basis/term", "", "tree/../x"]))] = arrays.pop(name)


def write_mutant(case: int, path: Path) -> Path:
    """The file of this case; the base it was made of."""
    rng = np.random.default_rng(case)
    base = FILES[int(rng.integers(len(FILES)))]
    if rng.random() < 0.5:
        path.write_bytes(mutate_bytes(base.read_bytes(), rng))
        return base
    header, arrays = read_container(base)
    for _ in range(int(rng.integers(1, 3))):
        if rng.random() < 0.5:
            mutate_header(header, rng)
        else:
            mutate_arrays(arrays, rng)
        if not header or not arrays:
            break
    write_container(path, header, arrays)
    return base


def ask(model: Any) -> None:
    """A loaded model predicts, and continues."""
    tree, X = model if isinstance(model, softwood.Tree) else model.tree_, rows(20, seed=8)
    tree.predict(np.zeros((3, tree.n_features)))
    str(tree)
    if tree is model:
        return
    assert len(model.feature_importances_) == tree.n_features
    if hasattr(model, "pruning_table_") and not getattr(model, "_is_soft", False):
        str(model.pruning_table_)
        model.prune_to(n_leaves=1)
    if hasattr(model, "harden"):
        model.harden()
    with suppress(ValueError, TypeError, OverflowError):  # in words: the columns are others now,
        answers(model, X)  # or numbers go beyond all bounds
        y = [model.classes_[i % len(model.classes_)] for i in range(20)] if hasattr(model, "classes_") else numbers(X)
        if hasattr(model, "partial_fit"):
            model.partial_fit(X, y)
        if hasattr(model, "warm_start"):
            y = y if hasattr(model, "classes_") else np.repeat(numbers(X)[:, None], tree.n_outputs, axis=1)
            model.set_params(warm_start=True, max_iter=2, max_leaves=2).fit(X, y)


def run_case(case: int, path: Path) -> str:
    """The outcome of the case: "refused" or "loaded"; anything else is raised."""
    write_mutant(case, path)
    size, begin = path.stat().st_size, time.process_time()
    tracemalloc.start()
    try:
        model = softwood.load(path)
    except FileError:
        model = None
    peak, taken = tracemalloc.get_traced_memory()[1], time.process_time() - begin
    tracemalloc.stop()
    assert peak <= MOST_MEMORY * size + SPARE, f"{peak} bytes for a file of {size}"
    assert taken <= MOST_SECONDS, f"{taken:.1f} s of processor time"
    if model is None:
        return "refused"
    ask(model)
    return "loaded"


def work(begin: int, end: int, note: Path) -> None:
    """Cases one after the other; a note records the next one, and previous outcomes."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    faulthandler.register(signal.SIGPROF, all_threads=True, chain=True)
    found: Counter[str] = Counter()
    softwood.load(FILES[0])  # so that no case pays for imports
    with tempfile.TemporaryDirectory() as folder:
        for case in range(begin, end):
            note.write_text(json.dumps({"case": case, "found": found}))
            signal.setitimer(signal.ITIMER_PROF, CASE_SECONDS)
            found[run_case(case, Path(folder) / "mutant.softwood")] += 1
            signal.setitimer(signal.ITIMER_PROF, 0)
    found["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    note.write_text(json.dumps({"case": end, "found": found}))


def run_child(begin: int, end: int) -> tuple[int, Counter[str], str]:
    """The cases of one child: the next case, previous outcomes, and the cause of a crash, if any."""
    root = Path(__file__).parents[2]
    path = os.pathsep.join(each for each in (str(root), os.environ.get("PYTHONPATH", "")) if each)
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "stderr").open("w+") as stderr:
        note = Path(folder) / "note"
        note.write_text(json.dumps({"case": begin, "found": {}}))
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.files", "--work", str(begin), str(end)]
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
        with subprocess.Popen([*command, "--note", str(note)], env=environment, stderr=stderr) as child:
            while child.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(5)
                if time.time() - note.stat().st_mtime > SILENT_SECONDS:
                    child.kill()
        told = json.loads(note.read_text())
        stderr.seek(0)
        died = (
            f"case {told['case']} ended with {child.returncode}:\n{stderr.read()[-3000:]}" if child.returncode else ""
        )
    return told["case"], Counter(told["found"]), died


def run_chunk(begin: int, end: int) -> tuple[int, Counter[str], list[str]]:
    """All cases from `begin` to `end`: the next one, outcomes, and findings; a finding does not end the run."""
    total: Counter[str] = Counter()
    findings: list[str] = []
    while begin < end:
        case, found, died = run_child(begin, end)
        total = merge(total, found)
        findings += [died] if died else []
        begin = case + 1 if died else end
    return end, total, findings


def merge(one: Counter[str], other: Counter[str]) -> Counter[str]:
    """Sums of outcomes; the largest peak."""
    peak = max(one["peak MB"], other["peak MB"])
    both = one + other
    both["peak MB"] = peak
    return both


def run_all(begin: int, end: int, jobs: int) -> Iterator[tuple[int, Counter[str], list[str]]]:
    """After every chunk, in order: the case before which all are done, outcomes, findings."""
    total: Counter[str] = Counter()
    begins = range(begin, end, CHUNK)
    with ThreadPoolExecutor(jobs) as pool:
        for done, found, findings in pool.map(lambda first: run_chunk(first, min(first + CHUNK, end)), begins):
            total = merge(total, found)
            yield done, total, findings


def run(cases: int, seed: int, jobs: int = 1) -> Counter[str]:
    """The outcomes of all cases; failures are raised with their numbers."""
    total: Counter[str] = Counter()
    failed: list[str] = []
    for _, total, findings in run_all(seed, seed + cases, jobs):  # noqa: B007
        failed += findings
    assert not failed, "\n".join(failed)
    return total


def main() -> int:
    """Run many cases and report every finding; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2_000, help="how many, from --seed on")
    parser.add_argument("--seed", type=int, default=0, help="the first case")
    parser.add_argument("--start", type=int, help="the case to go on from")
    parser.add_argument("--jobs", type=int, default=1, help="children at a time")
    parser.add_argument("--work", type=int, nargs=2, help="these cases, in this process")
    parser.add_argument("--note", type=Path, default=Path(os.devnull))
    given = parser.parse_args()
    if given.work:
        work(*given.work, given.note)
        return 0
    begin = given.seed if given.start is None else max(given.start, given.seed)
    count = 0
    for done, total, findings in run_all(begin, given.seed + given.cases, given.jobs):
        count += len(findings)
        print(*findings, f"cases {begin} to {done - 1}: {dict(total)}, {count} findings", sep="\n", flush=True)
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
