"""Speed at every size: small and large fits and predictions against scikit-learn, LightGBM and River, with earlier
times.

`python -m bench.speed.sizes` adds a section to docs/results/speed.md. Both sides run in turn, timed by the processor;
of several runs of each the median counts. `--only CART` takes the cases with this text in their name.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bench.speed.check import DIRECTION, PAGE, WITHOUT, Pair, cart, lightgbm, small_classes, small_numbers
from bench.speed.clock import time_mean
from bench.speed.data import Rows, numbers, soft_model
from bench.speed.report import Report
from softwood import BuddingTreeClassifier, CARTClassifier, CARTRegressor, SoftTreeRegressor

TITLE = "Fast at every size"
LEAST = 0.05  # seconds of one timing
REPEATS = 5
ANSWERED = 1_000_000  # rows
Case = tuple[str, str, str, Callable[[], Pair]]  # name, what was before, the other system, both works


def product_and_category(n: int) -> Rows:
    """Six numbers and a category of five levels: a product, a wave, a line and a level that bends another input."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 7))
    X[:, 6] = rng.integers(0, 5, n)
    level = np.array([0.0, 1.0, -1.0, 0.5, 2.0])[X[:, 6].astype(int)]
    rule = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] + level * (1 + 0.5 * X[:, 4])
    return X, rule + rng.normal(0, 0.5, n)


def soft(n: int) -> Pair:
    """A default soft tree of numbers and a category beside LightGBM's defaults."""
    X, y = product_and_category(n)
    ours = partial(SoftTreeRegressor, categorical_features=[6], n_jobs=1)
    return lambda: ours().fit(X, y), lambda: lightgbm().fit(X, y)


def from_parquet(model: Callable[[], Any], rows: Rows) -> Pair:
    """A fit from a Parquet file beside the same fit from memory."""
    X, y = rows
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(y=y)
    path = Path(tempfile.mkdtemp()) / "rows.parquet"
    frame.to_parquet(path)
    return lambda: model().fit(path, "y"), lambda: model().fit(frame.drop(columns="y"), frame["y"])


def boosted() -> Pair:
    """200 small trees of weighted rows."""
    X, y = load_breast_cancer(return_X_y=True)

    def fit(tree: Any) -> Any:
        return AdaBoostClassifier(tree, n_estimators=200, random_state=0).fit(X, y)

    return lambda: fit(CARTClassifier(max_depth=2, prune=None)), lambda: fit(DecisionTreeClassifier(max_depth=2))


def curves() -> Pair:
    """15 gates of curves of 10 inputs beside LightGBM's answers by its default trees."""
    X, y = numbers(ANSWERED, 10)
    ours, booster = soft_model(X[:200], y[:200], 1, 19), lightgbm().fit(X[:20_000], y[:20_000]).booster_
    return lambda: ours.predict(X), lambda: booster.predict(X, num_threads=1)


def one_row() -> Pair:
    """A soft tree's prediction for one row against scikit-learn's tree."""
    X, y = small_numbers(300, 10)
    ours = SoftTreeRegressor(n_jobs=1, effort="quick").fit(X, y)
    theirs = DecisionTreeRegressor(max_leaf_nodes=8).fit(X, y)
    return lambda: ours.predict(X[:1]), lambda: theirs.predict(X[:1])


def learn_one_row() -> Pair:
    """A row of a stream: `partial_fit` beside River's Hoeffding tree."""
    from river import tree

    X, y = small_classes(2_000, 10, 2)
    ours, theirs = BuddingTreeClassifier(learner="online"), tree.HoeffdingTreeClassifier()
    ours.partial_fit(X[:300], y[:300], classes=[0, 1])
    as_dict, label = dict(enumerate(X[300].tolist())), int(y[300])
    return lambda: ours.partial_fit(X[300:301], y[300:301]), lambda: theirs.learn_one(as_dict, label)


TABLES: list[tuple[str, Callable[[], Rows], str, str]] = [
    ("1,002 x 5, numbers", partial(small_numbers, 1_002, 5), ".23", ".66"),
    ("139 x 60, 2 classes", partial(small_classes, 139, 60, 2), ".51", "1.00"),
    ("234 x 34, 2 classes", partial(small_classes, 234, 34, 2), ".53", "1.07"),
    ("564 x 18, 4 classes", partial(small_classes, 564, 18, 4), ".64", "1.36"),
    ("13,333 x 16, 16 classes", partial(small_classes, 13_333, 16, 16), "1.02 (letter)", ""),
    ("6,379 x 4, numbers", partial(small_numbers, 6_379, 4), "1.07", ""),
    ("30,487 x 9, numbers", partial(small_numbers, 30_487, 9), "2.64 (protein_casp)", ""),
    ("3,667 x 40, 11 classes", partial(small_classes, 3_667, 40, 11), "2.49", ""),
]


def cases() -> list[Case]:
    """All of them, from the smallest."""
    found: list[Case] = []
    for name, make, before, direction in TABLES:
        found.append((f"CART, {name}", before, "scikit-learn", partial(lambda m: cart(m(), **WITHOUT), make)))
        works = partial(lambda m: cart(m(), **DIRECTION), make)
        found.append((f'CART, {name}, missing="direction"', direction, "scikit-learn", works))
    stream = product_and_category(60_000)
    small = small_numbers(20_000, 5)
    soft_numbers = partial(SoftTreeRegressor, n_jobs=1)
    return [
        *found,
        ("AdaBoost, 200 trees of depth 2", ".83", "scikit-learn", boosted),
        ("CART from Parquet, 20,000 x 5", ".02 (58 s)", "memory", lambda: from_parquet(CARTRegressor, small)),
        ("predict one row, soft tree", "", "scikit-learn", one_row),
        ("partial_fit of one row", ".26 (.27 ms)", "River", learn_one_row),
        (f"predict {ANSWERED:,} rows, 15 gates of curves", "", "LightGBM", curves),
        *((f"soft tree, {n:,} x 7", "", "LightGBM", partial(soft, n)) for n in (200, 1_000, 3_000, 6_000, 20_000)),
        ("soft tree, 60,000 x 7", "36 s", "LightGBM", partial(soft, 60_000)),
        ("soft tree from Parquet, 60,000 x 7", ".37", "memory", lambda: from_parquet(soft_numbers, stream)),
    ]


def measure(pair: Pair) -> tuple[float, float]:
    """Median seconds of both sides; what takes a second or more runs twice at most."""
    runs: list[list[float]] = [[], []]
    for turn in range(REPEATS):
        for work, found in zip(pair, runs, strict=True):
            found.append(time_mean(work, LEAST))
        if turn >= 1 and max(found[0] for found in runs) > 1:
            break
    return median(runs[0]), median(runs[1])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed.sizes", description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name has this text; the page stays")
    asked = parser.parse_args(arguments)
    rows = []
    for name, before, other, works in cases():
        if asked.only in name:
            ours, theirs = measure(works())
            rows.append([name, other, before, f"{theirs / ours:.2f}", f"{1e3 * ours:.3g}", f"{1e3 * theirs:.3g}"])
            print(*rows[-1], sep=" | ", flush=True)
    note = (
        "`python -m bench.speed.sizes`: CART without pruning, with surrogates or not, and other work that was slow. "
        "How many times as fast as the other system (Parquet: as the same fit from memory), before and now; one "
        "thread, CPU time, both sides in turn, medians. Tables are generated; *before* are earlier versions on another "
        "machine, on tables of these sizes."
    )
    columns = ["work", "beside", "times as fast, before", "times as fast", "ours, ms", "theirs, ms"]
    Report(None if asked.only else PAGE).add(TITLE, columns, rows, note)


if __name__ == "__main__":
    main()
