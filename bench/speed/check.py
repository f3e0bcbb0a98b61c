"""A check against regressions in speed: `python -m bench.speed.check` compares twelve ratios with the committed ones.

A ratio is the speed of softwood relative to scikit-learn or LightGBM for the same work in the same run, so that the
machine matters little. If it fell by more than a quarter, it is measured again; if it stays low, the run exits with 1.
`--save LABEL` adds the ratios to the history: bench/results/speed_check.json, and a table in docs/results/speed.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bench.speed.clock import Work, best_in_turn, time_mean
from bench.speed.data import Rows, numbers, soft_model, two_classes
from bench.speed.report import Report
from softwood import CARTClassifier, CARTRegressor, SoftTreeRegressor

HISTORY, PAGE = Path("bench/results/speed_check.json"), Path("docs/results/speed.md")
TITLE = "Twelve ratios, by change"
MAY_FALL = 1.25  # times that a ratio may fall
LEAST = 0.1  # seconds of one timing
REPEATS = 3
ROWS = 200_000  # that are predicted
BOOSTED = 20  # trees
Pair = tuple[Work, Work]  # our work and theirs


def small_numbers(n: int, columns: int) -> Rows:
    """A product, a square and a line of four inputs, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, columns))
    return X, 10 * np.sin(X[:, 0] * X[:, 1]) + X[:, 2] ** 2 + X[:, 3] + rng.normal(0, 0.5, n)


def small_classes(n: int, columns: int, classes: int) -> Rows:
    """Which of some noisy inputs is the largest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, columns))
    return X, np.argmax(X[:, :classes] + rng.normal(size=(n, classes)), axis=1)


def cart(rows: Rows, **parameters: Any) -> Pair:
    """A fit of CART beside scikit-learn's tree."""
    X, y = rows
    is_classes = y.dtype.kind == "i"
    ours, theirs = (CARTClassifier, DecisionTreeClassifier) if is_classes else (CARTRegressor, DecisionTreeRegressor)
    return lambda: ours(n_jobs=1, **parameters).fit(X, y), lambda: theirs(random_state=0).fit(X, y)


def boosted() -> Pair:
    """Small trees of rows with weights, as AdaBoost asks for them."""
    X, y = load_breast_cancer(return_X_y=True)

    def fit(tree: Any) -> Any:
        return AdaBoostClassifier(tree, n_estimators=BOOSTED, random_state=0).fit(X, y)

    return lambda: fit(CARTClassifier(max_depth=2)), lambda: fit(DecisionTreeClassifier(max_depth=2))


def soft(n: int) -> Pair:
    """A default soft tree beside LightGBM's defaults."""
    X, y = small_numbers(n, 5)
    return lambda: SoftTreeRegressor(n_jobs=1).fit(X, y), lambda: lightgbm().fit(X, y)


def lightgbm() -> Any:
    """Their regressor, on one thread."""
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_jobs=1, verbose=-1)


def hard_answers() -> Pair:
    """Labels by trees of 1,000 leaves."""
    X, y = two_classes(ROWS)
    ours = CARTClassifier(max_leaves=1000, prune=None, missing="direction", n_jobs=1).fit(X[:20_000], y[:20_000])
    theirs = DecisionTreeClassifier(max_leaf_nodes=1000, random_state=0).fit(X[:20_000], y[:20_000])
    return lambda: ours.predict(X), lambda: theirs.predict(X)


def curve_answers() -> Pair:
    """Numbers by 15 gates of curves beside LightGBM's answers by its default trees."""
    X, y = numbers(ROWS, 10)
    ours, theirs = soft_model(X[:200], y[:200], 1, 19), lightgbm().fit(X[:20_000], y[:20_000])
    booster = theirs.booster_
    return lambda: ours.predict(X), lambda: booster.predict(X, num_threads=1)


WITHOUT: dict[str, Any] = {"prune": None}
DIRECTION = WITHOUT | {"missing": "direction"}
CASES: dict[str, Callable[[], Pair]] = {
    "CART, 1,002 x 5, numbers": lambda: cart(small_numbers(1_002, 5), **WITHOUT),
    "CART, 139 x 60, 2 classes": lambda: cart(small_classes(139, 60, 2), **WITHOUT),
    "CART, 234 x 34, 2 classes": lambda: cart(small_classes(234, 34, 2), **WITHOUT),
    "CART, 564 x 18, 4 classes": lambda: cart(small_classes(564, 18, 4), **WITHOUT),
    "CART, 6,379 x 4, numbers": lambda: cart(small_numbers(6_379, 4), **WITHOUT),
    "CART, 3,667 x 40, 11 classes": lambda: cart(small_classes(3_667, 40, 11), **WITHOUT),
    "CART, 1,002 x 5, without surrogates": lambda: cart(small_numbers(1_002, 5), **DIRECTION),
    "CART, 1,002 x 5, pruned by ten folds": lambda: cart(small_numbers(1_002, 5)),
    "AdaBoost, CART of depth 2, pruned": boosted,
    "soft tree, 150 x 5": lambda: soft(150),
    "predict, 1,000 leaves": hard_answers,
    "predict, 15 gates of curves": curve_answers,
}


def measure(name: str) -> float:
    """How many times as fast ours is: both sides in turn, the best of each (the first call makes what is kept)."""
    mine, other = best_in_turn([partial(time_mean, work, LEAST) for work in CASES[name]()], REPEATS)
    return other / mine


def has_fallen(ratio: float, before: float | None) -> bool:
    """Whether a ratio is too far below the committed one.

    >>> has_fallen(0.7, 1.0), has_fallen(0.9, 1.0), has_fallen(0.1, None)
    (True, False, False)
    """
    return before is not None and ratio * MAY_FALL < before


def check(names: Sequence[str], committed: dict[str, float], measured: Callable[[str], float]) -> dict[str, float]:
    """The ratios; one that fell is measured again, and the better of both counts."""
    found = {}
    for name in names:
        ratio, before = measured(name), committed.get(name)
        if has_fallen(ratio, before):
            ratio = max(ratio, measured(name))
        found[name] = ratio
        note = "" if before is None else f"  committed {before:.2f}{'  FELL' if has_fallen(ratio, before) else ''}"
        print(f"{name:40s} {ratio:8.2f}{note}", flush=True)
    return found


def add_table(history: list[dict[str, Any]], page: Path | None) -> None:
    """The history as a section of the page."""
    columns = ["times as fast as scikit-learn or LightGBM", *(one["label"] for one in history)]
    rows = [[name, *(_spell(one["ratios"].get(name)) for one in history)] for name in CASES]
    note = (
        "`make speed-check`: soft trees and curves against LightGBM's defaults, all else against scikit-learn; one "
        "thread, CPU time, generated tables. The check fails if a ratio falls a quarter below the last column."
    )
    Report(page).add(TITLE, columns, rows, note)


def _spell(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3g}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, compare, and save the result if requested."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed.check", description=__doc__)
    parser.add_argument("--save", metavar="LABEL", help="add the ratios to the history, in a column of this name")
    parser.add_argument("--only", default="", help="cases whose name has this text")
    asked = parser.parse_args(arguments)
    history = json.loads(HISTORY.read_text(encoding="utf-8")) if HISTORY.is_file() else []
    committed = history[-1]["ratios"] if history else {}
    found = check([name for name in CASES if asked.only in name], committed, measure)
    fallen = [name for name, ratio in found.items() if has_fallen(ratio, committed.get(name))]
    if asked.save:
        history.append({"label": asked.save, "ratios": {name: round(ratio, 3) for name, ratio in found.items()}})
        HISTORY.write_text(json.dumps(history, indent=1) + "\n", encoding="utf-8")
        add_table(history, PAGE)
    if fallen and not asked.save:
        print(f"{len(fallen)} ratios fell by more than a quarter: {', '.join(fallen)}.")
    return 1 if fallen and not asked.save else 0


if __name__ == "__main__":
    sys.exit(main())
