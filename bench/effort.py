"""The effect of `effort`: quick soft trees against normal ones and other libraries' soft trees.

    SOFTWOOD_DATA=<folder of the sets> python -m bench.effort --folds 2          (make effort)

First, on breast cancer, digits and Friedman 1, every system in its own process (bench.speed.rival): processor seconds
of a fit and the error on the held-out third. Then the papers' data sets of at most MOST_CELLS cells (rows times
inputs): fitted on the training half of a fold, evaluated on its test third. Every result is written at once; an
interrupted run can be resumed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.papers.markdown import table
from bench.speed.rival import ask
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.datasets import DataSet, Fold, folds, load, names

RESULTS = Path(__file__).parent / "results" / "effort.json"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "effort.md"
CASES = ("breast cancer", "digits", "Friedman 1")
OURS = "softwood, soft, quick"
SYSTEMS = (
    OURS,
    "softwood, soft, joint",
    "softdtree",
    "softdtree, its README's",
    "neural-trees, soft",
    "neural-trees, soft, incremental",
)
LIMIT = 60  # processor seconds that a system may take for a table
TARGET = 20  # times as fast as the others
EFFORTS = ("quick", "normal")
MOST_CELLS = 12_000
TITLE = "# What effort buys"
RUN = "`make effort` runs it; the runs are in `bench/results/effort.json`."
OTHERS = f"""## Quick, compared with other soft trees

Target: at least {TARGET} times as fast, with no larger error.
"""
FOOT = f"""## How it was measured

First table: the papers' sets of at most {MOST_CELLS:,} cells (rows times inputs), fitted on the training half of a
fold; error on the test third (proportion of the rows, or of the target's variance), means of the folds run; seconds of
CPU time.

Second table: `SoftTree(effort="quick")` against the soft trees of the packages softdtree and neural-trees with their
defaults (or the parameters of softdtree's README). They get standardized rows. One thread, CPU seconds, two thirds of
the rows for training (breast cancer: means of three splits).
"""


def measure(data: DataSet, fold: Fold, effort: str) -> dict[str, float]:
    """Error on the test third, nodes, CPU seconds."""
    numbers = data.task == "regression"
    kind: Any = SoftTreeRegressor if numbers else SoftTreeClassifier
    rows, categories = fold.train, np.flatnonzero(data.category).tolist() or None
    start = process_time()
    model = kind(effort=effort, categorical_features=categories).fit(data.X[rows], data.y[rows])
    seconds, answer, truth = process_time() - start, model.predict(data.X[fold.test]), data.y[fold.test]
    error = np.mean(np.square(answer - truth)) / data.y.var() if numbers else np.mean(answer != truth)
    return {"error": round(float(error), 5), "nodes": int(model.tree_.n_nodes), "seconds": round(seconds, 3)}


def run(n_folds: int) -> dict[str, Any]:
    """All results, those of an earlier run included."""
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}

    def keep(key: str, found: Any) -> None:
        results[key] = found
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        print(key, found, flush=True)

    for case in CASES:
        for system in SYSTEMS:
            if f"{case}/{system}" not in results:
                keep(f"{case}/{system}", ask(system, case, 5_000, LIMIT))
    for name in names():
        data = load(name)
        for at, fold in enumerate(folds(data)[:n_folds] if data.X.size <= MOST_CELLS else []):
            for effort in EFFORTS:
                if f"{data.code}/{at}/{effort}" not in results:
                    keep(f"{data.code}/{at}/{effort}", measure(data, fold, effort))
    return results


def to_markdown(results: dict[str, Any]) -> str:
    """Both tables, their summary, and how they were measured."""
    return f"{TITLE}\n\n{by_effort(results)}\n{OTHERS}\n{beside_others(results)}\n{FOOT}"


def beside_others(results: dict[str, Any]) -> str:
    """One line per system for every table."""
    lines = []
    for case in CASES:
        ours = results[f"{case}/{OURS}"]
        for system in SYSTEMS:
            told = results[f"{case}/{system}"]
            if isinstance(told, str):
                ratio = f"over {LIMIT / ours['fit']:.0f}" if told.startswith("no answer") else ""
                lines.append([case, system, told, "", ratio])
            else:
                lines.append(
                    [case, system, f"{told['fit']:.3g}", f"{told['error']:.3g}", f"{told['fit'] / ours['fit']:.1f}"]
                )
    return table(["table", "system", "fit s", "error (%, mean squared)", "fit / quick"], lines) + "\n"


def by_effort(results: dict[str, Any]) -> str:
    """One line per data set."""
    runs = {key: one for key, one in results.items() if key.split("/")[-1] in EFFORTS}
    lines, ratio, time = [], list[float](), list[float]()
    for code in dict.fromkeys(key.split("/")[0] for key in runs):
        mean = {}
        for effort in EFFORTS:
            each = [one for key, one in runs.items() if key.startswith(f"{code}/") and key.endswith(f"/{effort}")]
            mean[effort] = {what: float(np.mean([one[what] for one in each])) for what in each[0]}
        ratio.append(mean["quick"]["error"] / mean["normal"]["error"])
        time.append(mean["quick"]["seconds"] / mean["normal"]["seconds"])
        lines.append([code, *(f"{m['error']:.4f}, {m['nodes']:.1f}, {m['seconds']:.2f} s" for m in mean.values())])
    told = (
        f"Quick has {np.exp(np.mean(np.log(ratio))):.3f} times the error of normal (geometric mean; less on "
        f"{sum(r < 1 for r in ratio)} of {len(lines)} sets, more on {sum(r > 1 for r in ratio)}) and takes "
        f"{np.exp(np.mean(np.log(time))):.2g} times the time."
    )
    first = table(["set", *(f"{effort}: error, nodes, time" for effort in EFFORTS)], lines)
    return f"{first}\n\n{told} {RUN}\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folds", type=int, default=2)
    text = to_markdown(run(parser.parse_args().folds))
    PAGE.write_text(text, encoding="utf-8")
    print(text)
