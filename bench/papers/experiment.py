"""One fit of one method on one fold, and its scores.

Regression: the target is z-scored by mean and sd (n − 1) of the training half, and errors are in that unit (`mse`). The
authors' files scale the test third by the whole set instead: `mse_as_filed` is the error against that.
Classes: accuracy, and of probabilities log loss and Brier score (sum over classes).
"""

from __future__ import annotations

import platform
import subprocess
import time
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

import softwood
from bench.papers import methods
from bench.papers.store import Result, Task, spell_options
from softwood.datasets import DataSet, Fold, folds, load
from softwood.kernels import kernels

Floats = npt.NDArray[np.float64]
LEAST = 1e-6  # of a probability in the log loss: a class that the training half lacks would make it infinite


@lru_cache(maxsize=2)
def rows_of(name: str, folder: Path | None) -> tuple[DataSet, list[Fold]]:
    """The set and its folds; a worker asks for the same one many times."""
    data = load(name, folder=folder)
    return data, folds(data)


def run(task: Task, folder: Path | None) -> Result | str:
    """Fit and measure. Errors are returned as text: one bad fit does not stop the others."""
    try:
        return measure(task, folder)
    except Exception as error:
        return f"{task.method} on {task.name}, fold {task.fold}: {type(error).__name__}: {error}"


def measure(task: Task, folder: Path | None) -> Result:
    """The result of one fit."""
    data, ten = rows_of(task.name, folder)
    fold, method = ten[task.fold], methods.BY_NAME[task.method]
    y = _target(data, fold)
    model = methods.make(method, data.task, seed=task.fold, category=data.category)
    train, held = _given(method, model, data, fold)
    with threadpool_limits(1):
        wall, process = time.perf_counter(), time.process_time()
        model.fit(data.X[train], y[train], **({"X_val": data.X[held], "y_val": y[held]} if len(held) else {}))
        fit, fit_wall = time.process_time() - process, time.perf_counter() - wall
        process = time.process_time()
        answer = model.predict(data.X[fold.test])
        predict = time.process_time() - process
    metrics = _errors(answer, data, fold, y) if data.task == "regression" else _hits(model, answer, data, fold)
    nodes, leaves = size(model)
    return Result(
        method=task.method,
        set=data.name,
        fold=task.fold,
        commit=commit(),
        version=softwood.__version__,
        processor=platform.machine(),
        kernels=kernels,
        numpy=version("numpy"),
        sklearn=version("scikit-learn"),
        options=spell_options(method.options),
        rows=method.rows,
        seed=task.fold,
        published_fold=fold.published,
        n_train=len(train),
        n_validation=len(held),
        n_test=len(fold.test),
        nodes=nodes,
        leaves=leaves,
        fit_s=round(fit, 4),
        fit_wall_s=round(fit_wall, 4),
        predict_s=round(predict, 4),
        **{key: round(value, 6) for key, value in metrics.items()},
    )


def size(model: Any) -> tuple[int, int]:
    """Nodes and leaves."""
    tree = getattr(model, "tree_", None)
    return (int(model.n_nodes), int(model.n_leaves)) if tree is None else (int(tree.n_nodes), int(tree.n_leaves))


def _target(data: DataSet, fold: Fold) -> npt.NDArray[Any]:
    if data.task != "regression":
        return data.y
    half = data.y[fold.train]
    return np.asarray((data.y - half.mean()) / half.std(ddof=1))


def _given(method: methods.Method, model: Any, data: DataSet, fold: Fold) -> tuple[Any, Any]:
    """Training rows, and validation rows (None if the method does not use them)."""
    if method.rows == "both":
        return np.sort(np.r_[fold.train, fold.validation]), fold.validation[:0]
    if not methods.takes_validation(model):
        return fold.train, fold.validation[:0]
    held = fold.validation
    if data.task != "regression":  # a rare class may be in one half only; rows of unknown classes cannot validate
        held = held[np.isin(data.y[held], data.y[fold.train])]
    return fold.train, held


def _errors(answer: Floats, data: DataSet, fold: Fold, y: Floats) -> dict[str, float]:
    filed = (data.y[fold.test] - data.y.mean()) / data.y.std(ddof=1)
    return {
        "mse": float(np.mean((answer - y[fold.test]) ** 2)),
        "mse_as_filed": float(np.mean((answer - filed) ** 2)),
    }


def _hits(model: Any, answer: npt.NDArray[Any], data: DataSet, fold: Fold) -> dict[str, float]:
    truth, labels = data.y[fold.test], np.asarray(model.classes_)
    probability = np.asarray(model.predict_proba(data.X[fold.test]))
    hit = truth[:, None] == labels[None, :]
    of_truth = np.where(hit, probability, 0.0).sum(axis=1)
    brier = np.sum((probability - hit) ** 2, axis=1) + ~hit.any(axis=1)
    return {
        "accuracy": float(np.mean(answer == truth)),
        "log_loss": float(-np.mean(np.log(np.clip(of_truth, LEAST, 1.0)))),
        "brier": float(np.mean(brier)),
    }


@lru_cache(maxsize=1)
def commit() -> str:
    """The commit that ran, with a mark if files were changed; "" outside a clone."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()
