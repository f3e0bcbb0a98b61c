"""The cost of mixing probabilities: SoftTreeClassifier(leaf="constant") with mix="output" and mix="probability".

    SOFTWOOD_DATA=<folder of the sets> python -m bench.mix --draws 3          (make mix)

A random third of each of the papers' twenty classification data sets is held out, and at most MAX_ROWS of the other
rows are used for training, with linear gates and constant leaves. Every fit is written at once; an interrupted run can
be resumed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time

import numpy as np

from bench.pages import lay_out
from bench.papers.markdown import table
from softwood import SoftTreeClassifier
from softwood.arrays import Floats
from softwood.datasets import DataSet, load, names

RESULTS = Path(__file__).parent / "results" / "mix.json"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "mix.md"
MIXES = ("output", "probability")
MAX_ROWS = 1_000  # to learn from
N_BINS = 10  # of the calibration error, with as many rows each
LEAST = 1e-12  # in place of a smaller probability in the log loss
HEAD = f"""# Mixing probabilities

`SoftTreeClassifier(gate="linear", leaf="constant")` with `mix="output"` and `mix="probability"` on the papers' twenty
classification sets: at most {MAX_ROWS:,} rows for training, a random third of all rows for testing, means of the draws
run. Calibration error: the mean difference between the probability of the predicted class and the proportion of correct
predictions, in {N_BINS} bins with the same number of rows. CPU time. *Log loss*: the ratio; below 1 probabilities are
better.
"""


def measure(data: DataSet, draw: int, mix: str) -> dict[str, float]:
    """Error, log loss and calibration error on the third held out, nodes, CPU seconds."""
    order = np.random.default_rng(draw).permutation(len(data.y))
    test, rows = np.split(order, [len(order) // 3])
    rows = rows[:MAX_ROWS]
    categories = np.flatnonzero(data.category).tolist() or None
    start = process_time()
    model = SoftTreeClassifier(gate="linear", leaf="constant", mix=mix, categorical_features=categories)
    model.fit(data.X[rows], data.y[rows])
    seconds = process_time() - start
    probability = model.predict_proba(data.X[test])
    code = np.searchsorted(model.classes_, data.y[test])
    known = model.classes_[np.minimum(code, len(model.classes_) - 1)] == data.y[test]
    code, probability = code[known], probability[known]
    right = probability.argmax(axis=1) == code
    return {
        "error": round(float(1.0 - right.mean()), 5),
        "log_loss": round(float(-np.log(np.maximum(probability[np.arange(len(code)), code], LEAST)).mean()), 5),
        "calibration": round(calibration_error(probability.max(axis=1), right.astype(np.float64)), 5),
        "nodes": int(model.tree_.n_nodes),
        "seconds": round(seconds, 2),
    }


def calibration_error(sure: Floats, right: Floats) -> float:
    """Mean distance of predicted and observed, over bins of equal size.

    Examples
    --------
    >>> calibration_error(np.full(20, 0.75), np.repeat([1.0, 0.0], 10)) == (0.25 + 0.75) / 2
    True
    """
    bins = np.array_split(np.argsort(sure, kind="stable"), N_BINS)
    gap = [abs(float((sure[at] - right[at]).mean())) * len(at) for at in bins if len(at)]
    return sum(gap) / len(sure)


def run(n_draws: int) -> dict[str, dict[str, float]]:
    """All results by "set/draw/mix", those of an earlier run included; sets of few rows and classes first."""
    results: dict[str, dict[str, float]] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    sets = [data for data in map(load, names()) if data.task != "regression"]
    sets.sort(key=lambda data: min(len(data.y), MAX_ROWS) * data.X.shape[1] * len(np.unique(data.y)))
    for draw in range(n_draws):
        for data in sets:
            for mix in MIXES:
                key = f"{data.code}/{draw}/{mix}"
                if key not in results:
                    results[key] = measure(data, draw, mix)
                    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
                    print(key, results[key], flush=True)
    return results


def to_markdown(results: dict[str, dict[str, float]]) -> str:
    """One line per data set, and a summary."""
    lines, means = [], []
    for code in sorted({key.split("/")[0] for key in results}):
        both = [_mean_of(results, code, mix) for mix in MIXES]
        cells = [
            f"{one['error']:.4f}, {one['log_loss']:.4f}, {one['calibration']:.4f}, {one['nodes']:.1f}" for one in both
        ]
        lines.append([code, *cells, f"{both[1]['log_loss'] / both[0]['log_loss']:.3f}"])
        means.append(both)
    first = table(
        ["set", 'mix="output": error, log loss, calibration error, nodes', 'mix="probability"', "log loss"], lines
    )
    return f"{first}\n\n{_in_all(means)}\n"


def _mean_of(results: dict[str, dict[str, float]], code: str, mix: str) -> dict[str, float]:
    runs = [one for key, one in results.items() if key.startswith(f"{code}/") and key.endswith(f"/{mix}")]
    return {what: float(np.mean([one[what] for one in runs])) for what in runs[0]}


def _in_all(means: list[list[dict[str, float]]]) -> str:
    """Means over the sets, how often either is better, and the time."""
    told = []
    for what, name in (("error", "error"), ("log_loss", "log loss"), ("calibration", "calibration error")):
        before, after = (np.array([both[i][what] for both in means]) for i in (0, 1))
        lower, higher = int(np.sum(after < before)), int(np.sum(after > before))
        told.append(f"{name} {before.mean():.4f} and {after.mean():.4f} (lower on {lower}, higher on {higher})")
    ratio = np.exp(np.mean(np.log([both[1]["log_loss"] / both[0]["log_loss"] for both in means])))
    time = np.sum([both[1]["seconds"] for both in means]) / np.sum([both[0]["seconds"] for both in means])
    nodes = [np.mean([both[i]["nodes"] for both in means]) for i in (0, 1)]
    return (
        f"Means of the {len(means)} sets with outputs and with probabilities mixed: {', '.join(told)}; "
        f"{nodes[0]:.1f} and {nodes[1]:.1f} nodes. Mixing probabilities has {ratio:.3f} times the log loss (geometric "
        f"mean) and takes {time:.2f} times the time. `make mix` runs it; the runs are in `bench/results/mix.json`."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    text = to_markdown(run(parser.parse_args().draws))
    PAGE.write_text(lay_out(HEAD, text), encoding="utf-8")
    print(text)
