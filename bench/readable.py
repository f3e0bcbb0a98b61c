"""What a tree to be read costs: SoftTree(readable=True) beside SoftTree, on the papers' thirty sets.

    SOFTWOOD_DATA=<folder of the sets> python -m bench.readable --folds 3          (make readable)

The training half of a fold is fitted, the validation half chooses, the test third is predicted, as in the papers.
Every fit is written as soon as it is there; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.papers.markdown import table
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.datasets import DataSet, Fold, folds, load, names
from softwood.tree import Tree
from softwood.tree.views import LinearGate

RESULTS = Path(__file__).parent / "results" / "readable.json"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "readable.md"
HEAD = """# What a tree to be read costs

Made by `make readable`; the runs are in `bench/results/readable.json`. `SoftTree()` beside `SoftTree(readable=True)` on
the papers' thirty sets (fitted on one half, chosen on the other, means of the folds run): error on the test third
(part of the rows, or of the target's variance), nodes, and the inputs of the widest gate or leaf. Bold: at most three
inputs in all folds.
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
    """Inputs of the gate or leaf that looks at the most of them."""
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


def to_markdown(results: dict[str, dict[str, float]]) -> str:
    """A line a set, and what it comes to."""
    lines, ratio, plain = [], [], 0
    for code in dict.fromkeys(key.split("/")[0] for key in results):
        both = [
            [one for key, one in results.items() if key.startswith(f"{code}/") and key.endswith(f"/{readable}")]
            for readable in (False, True)
        ]
        mean = [{what: float(np.mean([one[what] for one in each])) for what in each[0]} for each in both]
        widest_one = max(one["inputs"] for one in both[1])
        plain += widest_one <= 3
        ratio.append(mean[1]["error"] / mean[0]["error"])
        mark = "**" if widest_one <= 3 else ""
        cells = [f"{m['error']:.4f}, {m['nodes']:.1f}, {m['inputs']:.1f}, {m['seconds']:.1f} s" for m in mean]
        lines.append([f"{mark}{code}{mark}", *cells, f"{ratio[-1]:.3f}"])
    first = table(["set", "SoftTree: error, nodes, inputs, time", "readable", "ratio of errors"], lines)
    geometric = float(np.exp(np.mean(np.log(ratio))))
    return (
        f"{first}\n\nReadable in all folds: {plain} of {len(lines)} sets. Error times {geometric:.3f} (geometric mean; "
        f"median {np.median(ratio):.3f}, worst {max(ratio):.3f}).\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folds", type=int, default=3)
    text = to_markdown(run(parser.parse_args().folds))
    PAGE.write_text(f"{HEAD}\n{text}", encoding="utf-8")
    print(text)
