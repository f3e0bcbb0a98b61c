"""The cost of readable trees: SoftTree(readable=True) against SoftTree, on the papers' thirty data sets.

    SOFTWOOD_DATA=<folder of the sets> python -m bench.readable --folds 3          (make readable)

The training half of a fold is fitted, the validation half chooses, the test third is predicted, as in the papers.
Every fit is written at once; an interrupted run can be resumed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from bench.pages import lay_out
from bench.papers.markdown import bold, table
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.datasets import DataSet, Fold, folds, load, names
from softwood.tree import Tree
from softwood.tree.views import LinearGate

RESULTS = Path(__file__).parent / "results" / "readable.json"
MOST_INPUTS = 3  # of a gate or leaf that people can read
PAGE = Path(__file__).parents[1] / "docs" / "results" / "readable.md"
HEAD = """# The cost of a readable tree

`SoftTree()` is compared with `SoftTree(readable=True)` on the papers' thirty sets (fitted on one half, chosen on the
other, means of the folds run): error on the test third (proportion of the rows, or of the target's variance), nodes,
and the number of inputs of the widest gate or leaf. Bold: at most three inputs in all folds.
"""


def measure(data: DataSet, fold: Fold, readable: bool) -> dict[str, float]:
    """Error on the test third, nodes, inputs in the widest gate or leaf, CPU seconds."""
    numbers = data.task == "regression"
    kind: Any = SoftTreeRegressor if numbers else SoftTreeClassifier
    categories = np.flatnonzero(data.category).tolist() or None
    start = process_time()
    model = kind(readable=readable, categorical_features=categories).fit(
        data.X[fold.train], data.y[fold.train], X_val=data.X[fold.validation], y_val=data.y[fold.validation]
    )
    seconds, answer, truth = process_time() - start, model.predict(data.X[fold.test]), data.y[fold.test]
    error = np.mean(np.square(answer - truth)) / data.y.var() if numbers else np.mean(answer != truth)
    return {
        "error": round(float(error), 5),
        "nodes": int(model.tree_.n_nodes),
        "inputs": widest(model.tree_),
        "seconds": round(seconds, 2),
    }


def widest(tree: Tree) -> int:
    """The largest number of inputs in a gate or leaf."""
    gates = [tree.gate(int(m)) for m in np.flatnonzero(tree.n_children)]
    counts = [len({term.feature for term in g.terms}) if isinstance(g, LinearGate) else 1 for g in gates]
    linear = tree.slope[np.unique(tree.slope_row[tree.slope_row >= 0])]
    counts += [len(set(tree.basis.feature[np.any(slope != 0, axis=1)].tolist())) for slope in linear]
    return max(counts, default=0)


def run(n_folds: int) -> dict[str, dict[str, float]]:
    """All results by "set/fold/readable", those of an earlier run included."""
    results: dict[str, dict[str, float]] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    for name in names():
        data = load(name)
        for at, fold in enumerate(folds(data)[:n_folds]):
            for readable in (False, True):
                key = f"{data.code}/{at}/{readable}"
                if key not in results:
                    results[key] = measure(data, fold, readable)
                    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
                    print(key, results[key], flush=True)
    return results


class Cost(NamedTuple):
    """Means of a set's folds without and with `readable`, and inputs of the widest gate or leaf with it."""

    plain: dict[str, float]
    readable: dict[str, float]
    widest: float

    @property
    def ratio(self) -> float:
        """Of the errors."""
        return self.readable["error"] / self.plain["error"]

    @property
    def is_readable(self) -> bool:
        return self.widest <= MOST_INPUTS


def costs_of(results: dict[str, dict[str, float]]) -> dict[str, Cost]:
    """The cost of `readable`, by data set."""
    costs = {}
    for code in dict.fromkeys(key.split("/")[0] for key in results):
        plain, readable = (
            [one for key, one in results.items() if key.startswith(f"{code}/") and key.endswith(f"/{flag}")]
            for flag in (False, True)
        )
        costs[code] = Cost(_means(plain), _means(readable), max(one["inputs"] for one in readable))
    return costs


def _means(runs: list[dict[str, float]]) -> dict[str, float]:
    return {what: float(np.mean([one[what] for one in runs])) for what in runs[0]}


def to_markdown(results: dict[str, dict[str, float]]) -> str:
    """One line per data set, and a summary."""
    costs, lines = costs_of(results), []
    for code, cost in costs.items():
        cells = [
            f"{m['error']:.4f}, {m['nodes']:.1f}, {m['inputs']:.1f}, {m['seconds']:.1f} s"
            for m in (cost.plain, cost.readable)
        ]
        lines.append([bold(code, cost.is_readable), *cells, f"{cost.ratio:.3f}"])
    first = table(["set", "SoftTree: error, nodes, inputs, time", "readable", "ratio of errors"], lines)
    ratio, good = [cost.ratio for cost in costs.values()], sum(cost.is_readable for cost in costs.values())
    return (
        f"{first}\n\nReadable in all folds: {good} of {len(lines)} sets. `readable=True` has "
        f"{geometric_mean(ratio):.3f} times the error (geometric mean; median {np.median(ratio):.3f}, worst "
        f"{max(ratio):.3f}). `make readable` runs it; the runs are in `bench/results/readable.json`.\n"
    )


def geometric_mean(ratio: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratio))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folds", type=int, default=3)
    text = to_markdown(run(parser.parse_args().folds))
    PAGE.write_text(lay_out(HEAD, text), encoding="utf-8")
    print(text)
