"""Coverage and width of intervals and class sets: on the papers' thirty data sets and on synthetic rows.

    SOFTWOOD_DATA=<folder of the sets> python -m bench.intervals --folds 2          (make intervals)

Training rows are both halves of a fold, test rows the test third; the nominal coverage is 90 %. For comparison,
LightGBM: quantiles of 5 and 95 %, shifted by the errors on a held-out quarter of the rows (conformalized quantile
regression, Romano, Patterson and Candès 2019); classes by the same rule as ours. Every fit is written at once.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.pages import lay_out
from bench.papers.markdown import table
from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor
from softwood.datasets import DataSet, folds, load, names

RESULTS = Path(__file__).parent / "results" / "intervals.json"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "intervals.md"
COVERAGE = 0.9
MADE = ("quiet", "loud", "steps")
METHODS = ("SoftTree", "CART", "LightGBM")
HEAD = """# Coverage and width of intervals

The level is 90 %. Models are fitted on both halves of a fold of the papers' sets and predict the test third (means of
the folds run). Coverage and accuracy are in per cent, widths in standard deviations of the target; for classes the
second figure is the mean number of classes in a set. LightGBM has quantiles of 5 and 95 %, shifted by the errors of a
held-out quarter; its sets of classes follow the same rule as ours. *quiet*, *loud* and *steps* are generated,
Friedman-like rows with noise of Student's t(4): constant, growing with an input, or in two steps. A set always contains
the most probable class, so its coverage is at least the accuracy.
"""
Row = dict[str, float]
Numbers = npt.NDArray[np.float64]


def make_rows(kind: str, n: int, seed: int) -> tuple[Numbers, Numbers]:
    """Synthetic rows; the noise is constant, increases with the fourth input, or has two steps along it."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 5))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    size = {"quiet": np.ones(n), "loud": 0.3 + 3 * X[:, 3] ** 2, "steps": np.where(X[:, 3] > 0.6, 3.0, 0.4)}[kind]
    return X, mean + size * rng.standard_t(4, size=n)


def measure(method: str, train: Any, test: Any, categories: Any, numbers: bool) -> Row:
    """Coverage, and width or size."""
    answer: Any = by_lightgbm(train, test[0], numbers) if method == "LightGBM" else None
    if answer is None:
        kinds: Any = {
            "SoftTree": (SoftTreeClassifier, SoftTreeRegressor),
            "CART": (CARTClassifier, CARTRegressor),
        }[method]
        model = kinds[numbers](categorical_features=categories).fit(*train)
        answer = (
            model.predict_interval(test[0], COVERAGE)
            if numbers
            else (model.predict_set(test[0], COVERAGE), model.predict_proba(test[0]), model.classes_)
        )
    truth = test[1]
    if numbers:
        inside, size = (answer[:, 0] <= truth) & (truth <= answer[:, 1]), answer[:, 1] - answer[:, 0]
        return {"coverage": float(inside.mean()), "size": float(size.mean() / np.std(train[1]))}
    sets, probability, classes = answer
    hit = truth[:, None] == classes
    right = hit[np.arange(len(hit)), probability.argmax(axis=1)].mean()
    return {"coverage": float((hit & sets).any(axis=1).mean()), "size": float(sets.sum(axis=1).mean()), "hit": right}


def by_lightgbm(train: Any, X: Numbers, numbers: bool) -> Any:
    """Intervals, or sets with the probabilities and classes; a quarter of the rows is held out."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    held = np.random.default_rng(0).permutation(len(train[1])) % 4 == 0
    fit, rest = tuple(part[~held] for part in train), tuple(part[held] for part in train)
    rank = min(int(np.ceil(COVERAGE * (held.sum() + 1))), int(held.sum())) - 1
    common: dict[str, Any] = {"n_estimators": 200, "learning_rate": 0.05, "num_leaves": 15, "verbose": -1, "n_jobs": 1}
    if not numbers:
        model: Any = LGBMClassifier(**common).fit(*fit)
        known = rest[1][:, None] == model.classes_
        score = np.sort(1.0 - np.max(np.where(known, model.predict_proba(rest[0]), 0.0), axis=1))
        probability = model.predict_proba(X)
        sets = 1.0 - probability <= score[rank]
        sets[np.arange(len(sets)), probability.argmax(axis=1)] = True
        return sets, probability, model.classes_
    ends: Any = [LGBMRegressor(objective="quantile", alpha=a, **common).fit(*fit) for a in (0.05, 0.95)]
    below, above = (model.predict(rest[0]) for model in ends)
    more = np.sort(np.maximum(below - rest[1], rest[1] - above))[rank]
    return np.column_stack([ends[0].predict(X) - more, ends[1].predict(X) + more])


def jobs(n_folds: int) -> Any:
    """Name, train, test, categories and whether the target is a number, of every set and fold."""
    for kind in MADE:
        for at in range(n_folds):
            yield f"{kind}/{at}", make_rows(kind, 1000, at), make_rows(kind, 5000, 100 + at), None, True
    for name in names():
        data: DataSet = load(name)
        for at, fold in enumerate(folds(data)[: 2 * n_folds : 2]):
            both = np.concatenate([fold.train, fold.validation])
            train, test = (data.X[both], data.y[both]), (data.X[fold.test], data.y[fold.test])
            yield f"{data.code}/{at}", train, test, list(data.category) or None, data.task == "regression"


def run(n_folds: int) -> dict[str, Row]:
    """All results by "set/fold/method", those of an earlier run included."""
    results: dict[str, Row] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    for name, *job in jobs(n_folds):
        for method in METHODS:
            key = f"{name}/{method}"
            if key not in results:
                results[key] = {what: round(value, 4) for what, value in measure(method, *job).items()}
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
                print(key, results[key], flush=True)
    return results


def to_markdown(results: dict[str, Row]) -> str:
    """One line per data set, one table for numbers and one for classes."""
    lines: dict[bool, list[list[str]]] = {True: [], False: []}
    coverage: dict[bool, list[list[float]]] = {True: [], False: []}
    for code in dict.fromkeys(key.split("/")[0] for key in results):
        means = []
        for method in METHODS:
            found = [one for key, one in results.items() if key.startswith(f"{code}/") and key.endswith(method)]
            means.append({what: float(np.mean([one[what] for one in found])) for what in found[0]})
        numbers = "hit" not in means[0]
        cells = [
            f"{100 * m['coverage']:.1f}, {m['size']:.3f}" + ("" if numbers else f", {100 * m['hit']:.1f}")
            for m in means
        ]
        lines[numbers].append([code, *cells])
        coverage[numbers].append([100 * m["coverage"] for m in means])
    text = []
    for numbers, what in ((True, "coverage, width"), (False, "coverage, classes, accuracy")):
        mean = [f"{value:.1f}" for value in np.mean(coverage[numbers], axis=0)]
        text.append(table(["set", *(f"{method}: {what}" for method in METHODS)], [*lines[numbers], ["mean", *mean]]))
    return f"{text[0]}\n\n{_lead(lines[True], coverage)}\n\n## Sets of classes\n\n{text[1]}\n"


def _lead(numbers: list[list[str]], coverage: dict[bool, list[list[float]]]) -> str:
    """Mean coverage, how often the soft tree's intervals are narrowest, the lowest coverage, how to run it."""
    widths = np.array([[float(cell.split(", ")[1]) for cell in line[1:]] for line in numbers])
    narrowest = int((widths.argmin(axis=1) == 0).sum())
    least = np.vstack([coverage[True], coverage[False]]).min(axis=0)
    spans = ", ".join(f"{method} {value:.1f} %" for method, value in zip(METHODS, least, strict=True))
    return (
        f"Coverage is close to 90 % on average, and the soft tree's intervals are the narrowest on {narrowest} of "
        f"{len(numbers)} sets of numbers. Single sets fall below 90 %; the least coverage is: {spans}. "
        "`make intervals` runs it; the runs are in `bench/results/intervals.json`."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folds", type=int, default=2)
    told = to_markdown(run(parser.parse_args().folds))
    PAGE.write_text(lay_out(HEAD, told), encoding="utf-8")
    print(told)
