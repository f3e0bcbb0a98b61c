"""The research prototype and our default fit on the same folds, one after the other in a process of their own.

The prototype (`../shared/research/prototype.py` beside the checkout, or the file that SOFTWOOD_PROTOTYPE names: its
kernel is for x86-64 and needs another first line elsewhere) tries five bases and six penalties, judged on the other
half, as `X_val` is for us. It is given so many seconds of the processor; where they do not suffice, it is told how many
of its thirty fits were done.

    python -m bench.speed.prototype SET SECONDS      prints JSON
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softwood import SoftTreeClassifier, SoftTreeRegressor

BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "research" / "prototype.py"
FILE = Path(os.environ.get("SOFTWOOD_PROTOTYPE", BESIDE))
SETS = {"boston": "BOS", "segment": "SEG", "magic": "MAG"}
PENALTIES = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0001)  # as in the prototype's main part
BASES = 5
FITS = BASES * len(PENALTIES)
FOLDS = {"boston": 10}  # its test third has 169 rows, and one fold is chance; elsewhere one,
SEEDS = {"boston": 5}  # and so is one draw of the folds that we choose by; the prototype draws nothing


@dataclass(frozen=True)
class Duel:
    """Seconds of the processor, nodes and error of both, means of the folds; `done` of the prototype's fits on one."""

    ours: tuple[float, float, float]
    theirs: tuple[float, float, float]
    done: int


def absence() -> str:
    """Why it cannot be run; nothing if it can."""
    return "" if FILE.is_file() else f"{FILE.name} is not in {FILE.parent.parent.name}/{FILE.parent.name}"


def duel(name: str, limit: int) -> Duel | str:
    """Both on the first fold or folds of a set, or in words why not."""
    command = [sys.executable, "-m", "bench.speed.prototype", name, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return f"failed: {done.stderr.strip().splitlines()[-1]}"
    told = json.loads(done.stdout.splitlines()[-1])
    return Duel(tuple(told["ours"]), tuple(told["theirs"]), told["done"])


def _measure(name: str, limit: int) -> Duel:
    research = _load()
    each = [_on_fold(research, name, fold, limit) for fold in range(FOLDS.get(name, 1))]
    ours, theirs = (np.mean(one, axis=0).tolist() for one in ([d.ours for d in each], [d.theirs for d in each]))
    return Duel(tuple(ours), tuple(theirs), min(duel.done for duel in each))


def _on_fold(research: Any, name: str, fold: int, limit: int) -> Duel:
    X, Y, task = research.load(name)
    train, other, test = research.halves(name, Y, task, fold)
    target = (Y - Y[train].mean()) / Y[train].std() if task == "r" else Y
    theirs, done = _theirs(research, X, target, task, (train, other, test), limit)
    ours = [_ours(X, target, task, (train, other, test), seed) for seed in range(SEEDS.get(name, 1))]
    return Duel(tuple(np.mean(ours, axis=0).tolist()), theirs, done)


def _theirs(research: Any, X: Any, target: Any, task: str, parts: Any, limit: int) -> tuple[Any, int]:
    """The best of its trees by the loss on the other half."""
    train, other, test = parts
    start, found = time.process_time(), list[Any]()
    for columns in research.bases(X, train):
        learn, judge, fresh = (research.Rows(columns[i], target[i]) for i in (train, other, test))
        for penalty in PENALTIES:
            tree, loss = research.fit(learn, judge, task, X.shape[1], penalty)
            found.append((loss, len(found), tree.n, research.error(task, tree.forward(fresh), fresh.Y)))
            if time.process_time() - start > limit:
                return _best(found, start), len(found)
    return _best(found, start), len(found)


def _best(found: list[Any], start: float) -> tuple[float, int, float]:
    _, _, nodes, error = min(found)
    return time.process_time() - start, int(nodes), float(error)


def _ours(X: Any, target: Any, task: str, parts: Any, seed: int) -> tuple[float, int, float]:
    train, other, test = parts
    y = target.argmax(axis=1) if task == "m" else target[:, 0]
    kind = SoftTreeRegressor if task == "r" else SoftTreeClassifier
    model = kind(n_jobs=1, random_state=seed)
    model.fit(X[train[:50]], y[train[:50]])  # all that is imported late is there now
    start = time.process_time()
    model.fit(X[train], y[train], X_val=X[other], y_val=y[other])
    seconds = time.process_time() - start
    answer = model.predict(X[test])
    error = np.square(answer - y[test]).mean() if task == "r" else np.mean(answer != y[test])
    return seconds, model.tree_.n_nodes, float(error)


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("prototype", FILE)
    if spec is None or spec.loader is None:
        raise ImportError(f"{FILE} cannot be loaded as a module.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    print(json.dumps(asdict(_measure(sys.argv[1], int(sys.argv[2])))))
