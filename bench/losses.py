"""Losses against LightGBM's same objectives, and the calibration of class probabilities.

    SOFTWOOD_DATA=<folder of the sets> python -m bench.losses --sets 40         (make losses)

counts    hours of bike rentals (ISLP's Bikeshare; `pip install --no-deps ISLP`): mean Poisson deviance of fresh rows
quantile  synthetic Friedman-like rows whose noise increases with an input: mean pinball loss of the quantile 0.9
wild      the same with 5 % outliers, 1,000 times as far away: mean distance from the true mean
classes   the papers' sets, the smallest first: expected calibration error of the probability of the predicted class, in
          ten groups of equal size, and log loss
Every fit is written at once.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.intervals import make_rows
from bench.pages import lay_out
from bench.papers.markdown import table
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.datasets import catalog, folds, load, names

RESULTS = Path(__file__).parent / "results" / "losses.json"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "losses.md"
BOOSTED: dict[str, Any] = {"learning_rate": 0.05, "num_leaves": 15, "verbose": -1, "n_jobs": 1}
MOST_TREES, PATIENCE = 2_000, 50
TRAIN, SEEDS, LEVEL, LEAST = 2_000, 2, 0.9, 0.05  # LEAST: minimum of a prediction without a log link
HEAD = """# Losses beside LightGBM, and calibration

A soft tree is one tree. LightGBM has trees of 15 leaves (learning rate 0.05); a held-out quarter of the rows chooses
their number, then it is fitted to all rows. *counts*: ISLP's Bikeshare, {train:,} hours for training and the other
6,645 for testing, two random splits, mean Poisson deviance; predictions without a log link are raised to {least}.
*quantile* and *wild*: generated rows, 1,000 for training and 5,000 for testing, two seeds; mean pinball loss of the
quantile {level}, and mean distance from the true mean where 5 % of the targets are 1,000 times as far away. Smaller is
better. Seconds are of a busy machine with two cores: compare them within a task.
"""
LEAD = """The loss that matches the task has the smallest error in each library. LightGBM has the smaller error on
counts and takes less time on every task; the soft tree has the smaller error on quantiles and outliers, and its
probabilities are better calibrated on average. `make losses` runs it; the runs are in `bench/results/losses.json`."""
CALIBRATION = """## Calibration

Expected calibration error of the predicted class (ten groups with the same number of rows) and log loss, on the first
fold of the papers' sets, the smallest first: both halves for training, the test third for testing ({n} of {total} sets;
the geometric mean is of the ratio to LightGBM, below 1 the soft tree is better).
"""
Row = dict[str, float]
Numbers = npt.NDArray[np.float64]


def read_bikes() -> tuple[Any, Numbers]:
    """Hours of 2011 in Washington with their weather, and the number of bikes rented in each."""
    import pandas as pd

    found = [file for file in importlib.metadata.files("ISLP") or [] if file.name == "Bikeshare.csv"]
    frame = pd.read_csv(str(found[0].locate()))
    rentals = frame["bikers"].to_numpy(np.float64)
    X = frame.drop(columns=["bikers", "casual", "registered", "day"], errors="ignore")
    X = X.drop(columns=[name for name in X if str(name).startswith("Unnamed")])
    words = X.select_dtypes(exclude="number").columns
    return X.astype(dict.fromkeys(words, "category")), rentals


def poisson_deviance(answer: Numbers, truth: Numbers) -> float:
    """Mean over rows."""
    mean = np.maximum(answer, LEAST)
    log = np.log(np.where(truth > 0, truth, 1.0) / mean)
    return float(np.mean(2.0 * (truth * log - truth + mean)))


def pinball(answer: Numbers, truth: Numbers) -> float:
    """Mean loss of the quantile LEVEL."""
    return float(np.mean(np.maximum(LEVEL * (truth - answer), (LEVEL - 1.0) * (truth - answer))))


def boosted(kind: str, X: Any, y: Any, **how: Any) -> Any:
    """LightGBM with the number of trees that is best on a held-out quarter of the rows, then fitted on all rows."""
    import lightgbm

    make: Any = getattr(lightgbm, kind)
    held = np.random.default_rng(0).permutation(len(y)) % 4 == 0
    pick = X.iloc.__getitem__ if hasattr(X, "iloc") else X.__getitem__
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    first = make(n_estimators=MOST_TREES, **how, **BOOSTED)
    first.fit(pick(~held), y[~held], eval_set=[(pick(held), y[held])], callbacks=[stop])
    return make(n_estimators=max(first.best_iteration_, 1), **how, **BOOSTED).fit(X, y)


def regressors(objective: str, **how: Any) -> dict[str, Callable[[Any, Any], Any]]:
    """Fit functions: a soft tree with the squared error and with the loss, and LightGBM with both."""
    more: dict[str, Any] = {"alpha": LEVEL} if objective == "quantile" else {}
    return {
        "SoftTree squared": lambda X, y: SoftTreeRegressor().fit(X, y),
        f"SoftTree {how['loss']}": lambda X, y: SoftTreeRegressor(**how).fit(X, y),
        "LightGBM squared": lambda X, y: boosted("LGBMRegressor", X, y),
        f"LightGBM {how['loss']}": lambda X, y: boosted("LGBMRegressor", X, y, objective=objective, **more),
    }


Measure = Callable[[Numbers, Numbers], float]


def distance(answer: Numbers, truth: Numbers) -> float:
    """Mean over rows."""
    return float(np.abs(answer - truth).mean())


def number_jobs() -> Iterator[tuple[str, Callable[[Any, Any], Any], Any, Measure]]:
    """Name, fit, training and test rows with their true values, and the measure, of every regression."""
    X, y = read_bikes()
    for seed in range(SEEDS):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[:TRAIN], order[TRAIN:]
        for name, fit in regressors("poisson", loss="poisson").items():
            yield f"counts/{seed}/{name}", fit, (X.iloc[train], y[train], X.iloc[test], y[test]), poisson_deviance
    for seed in range(SEEDS):
        (X, y), (fresh, truth) = make_rows("loud", 1_000, seed), make_rows("loud", 5_000, 100 + seed)
        for name, fit in regressors("quantile", loss="quantile", quantile=LEVEL).items():
            yield f"quantile/{seed}/{name}", fit, (X, y, fresh, truth), pinball
        rng = np.random.default_rng(seed)
        wild = rng.random(len(y)) < 0.05
        y = y + wild * 1_000.0 * rng.normal(size=len(y))
        mean = 10 * np.sin(np.pi * fresh[:, 0] * fresh[:, 1]) + 20 * (fresh[:, 2] - 0.5) ** 2
        for name, fit in regressors("l1", loss="absolute_error").items():
            yield f"wild/{seed}/{name}", fit, (X, y, fresh, mean), distance


def calibration_error(probability: Numbers, hit: Numbers) -> float:
    """Mean distance of confidence and accuracy over ten groups of equal size, in order of confidence."""
    order = np.argsort(probability, kind="stable")
    parts = np.array_split(order, min(10, len(order)))
    gaps = [abs(probability[part].mean() - hit[part].mean()) * len(part) for part in parts]
    return float(sum(gaps) / len(order))


def class_jobs(n_sets: int) -> Iterator[tuple[str, Any, Any]]:
    """Name, training rows and test rows of the smaller data sets."""
    found = [data for data in map(load, names()) if data.task != "regression"]
    for data in sorted(found, key=lambda data: data.X.size)[:n_sets]:
        fold = folds(data)[0]
        both = np.concatenate([fold.train, fold.validation])
        yield (
            data.code,
            (data.X[both], data.y[both], list(data.category) or None),
            (data.X[fold.test], data.y[fold.test]),
        )


def measure_classes(method: str, train: Any, test: Any) -> Row:
    """Expected calibration error, and log loss."""
    if method == "SoftTree":
        model: Any = SoftTreeClassifier(categorical_features=train[2]).fit(*train[:2])
    else:
        model = boosted("LGBMClassifier", *train[:2])
    probability = model.predict_proba(test[0])
    known = test[1][:, None] == model.classes_
    true = np.where(known, probability, 0.0).max(axis=1)
    hit = known[np.arange(len(known)), probability.argmax(axis=1)].astype(np.float64)
    error = calibration_error(probability.max(axis=1), hit)
    return {"ece": error, "log_loss": float(-np.log(np.maximum(true, 1e-15)).mean())}


def run(n_sets: int) -> dict[str, Row]:
    """All results by "task/seed/method", those of an earlier run included."""
    results: dict[str, Row] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}

    def keep(key: str, found: Row) -> None:
        results[key] = {what: round(value, 5) for what, value in found.items()}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        print(key, results[key], flush=True)

    for key, fit, (X, y, fresh, truth), measure in number_jobs():
        if key not in results:
            start = time.perf_counter()
            model = fit(X, y)
            spent = time.perf_counter() - start
            keep(key, {"loss": measure(np.asarray(model.predict(fresh)), truth), "seconds": spent})
    for code, train, test in class_jobs(n_sets):
        for method in ("SoftTree", "LightGBM"):
            if f"classes/{code}/{method}" not in results:
                keep(f"classes/{code}/{method}", measure_classes(method, train, test))
    return results


def to_markdown(results: dict[str, Row]) -> str:
    """A table of the losses, and one of calibration."""
    lines = []
    for task in ("counts", "quantile", "wild"):
        methods = dict.fromkeys(key.split("/")[2] for key in results if key.startswith(f"{task}/"))
        for method in methods:
            mine = [one for key, one in results.items() if key.startswith(f"{task}/") and key.endswith(f"/{method}")]
            seeds = ", ".join(f"{one['loss']:.3f}" for one in mine)
            mean = (float(np.mean([one[what] for one in mine])) for what in ("loss", "seconds"))
            lines.append([task, method, *(f"{value:.3f}" for value in mean), seeds])
    text = table(["task", "model", "loss", "seconds", "each split"], lines)
    codes = [key.split("/")[1] for key in results if key.startswith("classes/") and key.endswith("/LightGBM")]
    found = [[results[f"classes/{code}/{method}"] for method in ("SoftTree", "LightGBM")] for code in codes]
    rows = [
        [code, *(f"{m['ece']:.3f}, {m['log_loss']:.3f}" for m in pair)] for code, pair in zip(codes, found, strict=True)
    ]
    means = [[float(np.mean([pair[i][what] for pair in found])) for what in ("ece", "log_loss")] for i in (0, 1)]
    rows.append(["mean", *(f"{ece:.3f}, {loss:.3f}" for ece, loss in means)])
    ratio = [np.exp(np.mean([np.log(soft[what] / tree[what]) for soft, tree in found])) for what in ("ece", "log_loss")]
    rows.append(["geometric mean of ratios", f"{ratio[0]:.3f}, {ratio[1]:.3f}", "1, 1"])
    calibrated = table(["set", "SoftTree: calibration error, log loss", "LightGBM: calibration error, log loss"], rows)
    total = sum(entry.task != "regression" for entry in catalog.ENTRIES)
    return f"{text}\n\n{LEAD}\n\n{CALIBRATION.format(n=len(codes), total=total)}\n{calibrated}\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=40)
    told = to_markdown(run(parser.parse_args().sets))
    PAGE.write_text(lay_out(HEAD.format(train=TRAIN, least=LEAST, level=LEVEL), told), encoding="utf-8")
    print(told)
