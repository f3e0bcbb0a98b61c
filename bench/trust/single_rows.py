"""One row at a time: processor microseconds of a call that learns and of one that predicts, against other libraries.

Beside softwood's budding tree: scikit-learn's decision tree (answers only) and its stochastic gradient (a linear model
that learns online), and river's Hoeffding tree where river is installed. All in one process, in turns, so that a busy
machine slows them alike; the least of several turns is printed.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import SGDClassifier
from sklearn.tree import DecisionTreeClassifier

from bench.trust.stream import CLASSES, fresh, make_chunk
from softwood import BuddingTreeClassifier

LEARNED, CALLS, TURNS = 2_000, 200, 7
Call = Callable[[int], Any]


def run(scale: float) -> None:
    """Print microseconds per call."""
    X, y = make_chunk(10_000, 10_000)
    known = np.nan_to_num(X)
    calls = _of_softwood(X, y) | _of_sklearn(known, y) | _of_river(known, y)
    best = dict.fromkeys(calls, np.inf)
    for _ in range(max(2, int(TURNS * scale))):
        for name, call in calls.items():
            begin = time.process_time()
            for i in range(CALLS):
                call(i)
            best[name] = min(best[name], (time.process_time() - begin) / CALLS)
    for name, spent in best.items():
        print(f"{name:70s} {spent * 1e6:8.1f} us")


def _of_softwood(X: Any, y: Any) -> dict[str, Call]:
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    rows, labels = [frame[i : i + 1] for i in range(CALLS)], [pd.Series(y[i : i + 1]) for i in range(CALLS)]
    model, default, other, still = fresh(), BuddingTreeClassifier(), fresh(), fresh()
    for each in (model, default, still):
        each.partial_fit(X[:LEARNED], y[:LEARNED], classes=CLASSES)
    other.partial_fit(frame[:LEARNED], y[:LEARNED], classes=CLASSES)
    calls: dict[str, Call] = {
        "softwood partial_fit, optimizer='adam'": lambda i: model.partial_fit(X[i : i + 1], y[i : i + 1]),
        "softwood partial_fit": lambda i: default.partial_fit(X[i : i + 1], y[i : i + 1]),
        "softwood partial_fit, a frame": lambda i: other.partial_fit(rows[i], labels[i]),
        "softwood predict": lambda i: still.predict(X[i : i + 1]),
        "softwood predict_proba": lambda i: still.predict_proba(X[i : i + 1]),
        "softwood predict, then partial_fit": lambda i: (
            model.predict(X[i : i + 1]),
            model.partial_fit(X[i : i + 1], y[i : i + 1]),
        ),
    }
    return calls


def _of_sklearn(X: Any, y: Any) -> dict[str, Call]:
    tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0).fit(X, y)
    linear = SGDClassifier(loss="log_loss", random_state=0).fit(X, y)
    return {
        "scikit-learn DecisionTreeClassifier predict": lambda i: tree.predict(X[i : i + 1]),
        "scikit-learn DecisionTreeClassifier predict_proba": lambda i: tree.predict_proba(X[i : i + 1]),
        "scikit-learn SGDClassifier partial_fit": lambda i: linear.partial_fit(X[i : i + 1], y[i : i + 1]),
        "scikit-learn SGDClassifier predict": lambda i: linear.predict(X[i : i + 1]),
    }


def _of_river(X: Any, y: Any) -> dict[str, Call]:
    try:
        river_tree: Any = importlib.import_module("river.tree")
    except ImportError:
        print("river is not installed: no figures of it")
        return {}
    model = river_tree.HoeffdingTreeClassifier()
    rows, labels = [dict(enumerate(row)) for row in X[: LEARNED + CALLS].tolist()], y.tolist()
    for row, label in zip(rows[:LEARNED], labels, strict=False):
        model.learn_one(row, label)
    return {
        "river HoeffdingTreeClassifier learn_one": lambda i: model.learn_one(rows[LEARNED + i], labels[LEARNED + i]),
        "river HoeffdingTreeClassifier predict_one": lambda i: model.predict_one(rows[i]),
    }
