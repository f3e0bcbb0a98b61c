"""The MAGIC tables of Dvořák & Savický: 7 random 2:1 splits, test errors of hard and soft trees.

    python -m bench.papers.magic --data FOLDER

FOLDER (or the environment's SOFTWOOD_DATA) holds magic.csv.gz or magic.csv: a header, ten numbers, last the class.

CART is shown twice: chosen by the validation third of the training rows, and, as the paper shows it, the tree of its
pruning sequence that is best on the test rows, which no method could know. Ratios are to the latter.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest
from sklearn.model_selection import train_test_split

from softwood import C45Classifier, CARTClassifier, SoftenedTreeClassifier, soften

SPLITS = 7
LARGEST = 300  # leaves of the largest CART tree that is looked at on the test rows
TARGETS = "softened / CART at most 0.90 in every split, softened at most 0.137 in the mean"


class Rows(NamedTuple):
    """Inputs and classes."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]


class Result(NamedTuple):
    """Test error, leaves and seconds to fit."""

    error: float
    leaves: int
    seconds: float


def find_data(folder: str | None) -> Path | None:
    """The data file, or None if there is no such folder or file."""
    place = Path(folder or os.environ.get("SOFTWOOD_DATA", ""))
    files = [place / name for name in ("magic.csv.gz", "magic.csv")]
    return next((file for file in files if file.is_file()), None)


def load(file: Path) -> Rows:
    """Inputs and classes of the file."""
    cells = np.loadtxt(file, str, delimiter=",", skiprows=1)
    return Rows(cells[:, :-1].astype(np.float64), cells[:, -1])


def measure(fit: Callable[[], Any], test: Rows) -> tuple[Any, Result]:
    """The fitted model and what it is worth."""
    start = perf_counter()
    model = fit()
    seconds = perf_counter() - start
    return model, Result(1.0 - model.score(test.X, test.y), model.get_n_leaves(), seconds)


def run_split(task: tuple[Rows, int]) -> dict[str, Result]:
    """All classifiers on one split."""
    rows, split = task
    parts = train_test_split(rows.X, rows.y, test_size=1 / 3, random_state=split)
    train, test = Rows(parts[0], parts[2]), Rows(parts[1], parts[3])
    grow_x, choose_x, grow_y, choose_y = train_test_split(train.X, train.y, test_size=1 / 3, random_state=split)
    found = {}
    cart, found["CART"] = measure(
        lambda: CARTClassifier(prune="validation", one_se=False).fit(grow_x, grow_y, X_val=choose_x, y_val=choose_y),
        test,
    )
    sizes = [int(n) for n in cart.pruning_table_.n_leaves if n <= LARGEST]
    errors = [1.0 - cart.prune_to(n_leaves=n).score(test.X, test.y) for n in sizes]
    found["CART best on test"] = Result(min(errors), sizes[int(np.argmin(errors))], found["CART"].seconds)
    _, found["CART softened"] = measure(lambda: SoftenedTreeClassifier(random_state=split).fit(*train), test)
    _, found["CART by statistics"] = measure(lambda: soften(cart, *train), test)
    _, found["CART by gradient"] = measure(lambda: soften(cart, *train, method="gradient"), test)
    _, found["C4.5"] = measure(lambda: C45Classifier(confidence=0.1).fit(*train), test)
    _, found["C4.5 soft"] = measure(lambda: C45Classifier(confidence=0.1, soft_thresholds=True).fit(*train), test)
    return found


def table(results: list[dict[str, Result]]) -> list[str]:
    """Test errors as Markdown, a line a split."""
    names = list(results[0])
    lines = ["| split | " + " | ".join(names) + " | softened / CART best |", "|---" * (len(names) + 2) + "|"]
    for split, found in enumerate(results, 1):
        cells = " | ".join(f"{found[name].error:.4f}" for name in names)
        lines.append(f"| {split} | {cells} | {ratio(found):.4f} |")
    for what, spell in (("error", "{:.4f}"), ("leaves", "{:.0f}"), ("seconds", "{:.1f}")):
        means = [np.mean([getattr(found[name], what) for found in results]) for name in names]
        last = f"{np.mean([ratio(found) for found in results]):.4f}" if what == "error" else ""
        lines.append(f"| mean {what} | " + " | ".join(spell.format(mean) for mean in means) + f" | {last} |")
    return lines


def ratio(found: dict[str, Result]) -> float:
    return found["CART softened"].error / found["CART best on test"].error


def limits(results: list[dict[str, Result]]) -> list[str]:
    """The paper's two statements, with exact binomial limits."""
    n = len(results)
    wins = sum(found["CART softened"].error < found["C4.5 soft"].error for found in results)
    tenth = sum(ratio(found) <= 0.9 for found in results)
    both = binomtest(wins, n).proportion_ci(0.95, method="exact")
    lower = binomtest(tenth, n, alternative="greater").proportion_ci(0.95, method="exact")
    mean = np.mean([found["CART softened"].error for found in results])
    return [
        f"Softened better than C4.5 soft in {wins} of {n}: probability in [{both.low:.2f}, {both.high:.2f}] (95 %).",
        f"Softened at most 0.90 of CART in {tenth} of {n}: probability at least {lower.low:.2f} (95 %).",
        f"Wanted: {TARGETS}. Reached: {'yes' if tenth == n and mean <= 0.137 else 'no'} (mean {mean:.4f}).",
    ]


def main() -> None:
    """Run the splits and print the tables."""
    parser = argparse.ArgumentParser(description="The MAGIC tables.")
    parser.add_argument("--data", help="folder with magic.csv.gz (default: SOFTWOOD_DATA)")
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--jobs", type=int, default=1, help="splits at a time")
    asked = parser.parse_args()
    file = find_data(asked.data)
    if file is None:
        print("skipped: no magic.csv.gz; name its folder by --data or SOFTWOOD_DATA.")
        return
    rows = load(file)
    with ProcessPoolExecutor(asked.jobs) as pool:
        results = []
        for split, found in enumerate(pool.map(run_split, [(rows, split) for split in range(asked.splits)]), 1):
            results.append(found)
            print(f"split {split}: " + ", ".join(f"{name} {r.error:.4f}" for name, r in found.items()), flush=True)
    print("\n".join(["", *table(results), "", *limits(results)]))


if __name__ == "__main__":
    main()
