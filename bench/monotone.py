"""The effect of monotone constraints: soft trees, LightGBM and EBM, each with and without them.

    python -m bench.monotone                             (make monotone; SOFTWOOD_DATA=<folder of the papers' sets>)

Synthetic tables have a truth that satisfies the signs; in the papers' data sets inputs have signs if their meaning
implies one: worse cells, more sugar, a longer credit, more rooms. Every result is written at once and not repeated.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.contest import PAGES, RESULTS
from bench.pages import lay_out
from bench.papers.markdown import bold, table
from bench.papers.yardsticks import BoostedClassifier, BoostedRegressor
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.datasets import load

Floats = npt.NDArray[np.float64]
SEEDS, EBM_SEEDS, ROWS, FRESH = 3, 1, 300, 4000  # an EBM takes ten times as long
RUN = """Constraints do not always help: several lines have a larger loss with them. `make monotone` runs it; the runs
are in `bench/results/monotone.json`."""
HEAD = f"""# Monotone constraints

Each learner runs without and with constraints that hold: on generated tables of {ROWS} rows whose true function has
these signs (loss against the true function on {FRESH} other rows, mean of {SEEDS} draws), and on the papers' sets with
signs that follow from the meaning of the inputs (two thirds of the rows for training; `bench/monotone.py` lists them).
Loss: squared error as a proportion of the variance, or log loss. SoftTree has its defaults, and each tree its
certificate; LightGBM takes the better of 7 and 31 leaves, stops early on a fifth of the rows, and has
`monotone_constraints_method="advanced"`; EBM has 4 bags and {EBM_SEEDS} draw. Bold: the least loss. EBM's figures are
of the first draw only, so compare its two columns with each other. One thread; CPU seconds.
"""


@dataclass(frozen=True)
class Table:
    """Training rows and test rows, whose targets may be probabilities."""

    X: Floats
    y: npt.NDArray[Any]
    fresh: Floats
    truth: Floats
    classes: bool


MADE: dict[str, tuple[Callable[[Floats], Floats], list[int]]] = {
    "saturating": (
        lambda X: 3 * np.tanh(4 * X[:, 0] - 2) + 2 * np.exp(2 * X[:, 1] - 2) - 2 * X[:, 2] ** 2 + np.sin(6 * X[:, 4]),
        [1, 1, -1, 0, 0],
    ),
    "steps": (
        lambda X: 3.0 * (X[:, 0] > 0.3) + 2.0 * ((X[:, 1] > 0.6) & (X[:, 0] > 0.3)) - 2.0 * (X[:, 2] > 0.5),
        [1, 1, -1, 0, 0],
    ),
    "products": (
        lambda X: 4 * X[:, 0] * X[:, 1] + 2 * np.sqrt(X[:, 2]) - 3 * X[:, 3] * (X[:, 4] > 0.5),
        [1, 1, 1, -1, 0],
    ),
    "Friedman 1, rising": (
        lambda X: (
            10 * np.sin(np.pi * X[:, 0] * X[:, 1] / 2)
            + 20 * np.maximum(X[:, 2] - 0.5, 0) ** 2
            + 10 * X[:, 3]
            + 5 * X[:, 4]
        ),
        [1, 1, 1, 1, 1],
    ),
}
# Signs by name of the column; of two classes they are those of the second: malignant, diabetic, a bad risk.
SETS: dict[str, dict[str, int]] = {
    "breast": {"*": 1},
    "pima": {"plas": 1, "mass": 1, "pedi": 1, "age": 1, "preg": 1},
    "german": {"x2": 1, "x5": -1, "x6": -1},  # months, savings, years employed
    "boston": {"rm": 1, "lstat": -1},
    "concrete": {"cement": 1, "age": 1, "blast_furnace_slag": 1},
}


def made(name: str, classes: bool, seed: int) -> tuple[Table, list[int]]:
    """Noise of half the spread, or classes by a sigmoid."""
    truth, signs = MADE[name]
    rng = np.random.default_rng(seed)
    X, fresh = rng.random((ROWS, 5)), rng.random((FRESH, 5))
    spread, middle = truth(fresh).std(), truth(fresh).mean()
    if not classes:
        y = truth(X) / spread + 0.5 * rng.normal(size=ROWS)
        return Table(X, y, fresh, truth(fresh) / spread, False), signs
    p, of_fresh = (1 / (1 + np.exp(-2.5 * (truth(rows) - middle) / spread)) for rows in (X, fresh))
    return Table(X, (rng.random(ROWS) < p).astype(int), fresh, of_fresh, True), signs


def of_papers(name: str, seed: int) -> tuple[Table, list[int]]:
    """A data set, two thirds of it for training."""
    data = load(name)
    X, names = data.X, data.feature_names
    wanted = SETS[name]
    signs = [wanted.get(one, wanted.get("*", 0)) for one in names]
    assert all(one in names or one == "*" for one in wanted), (name, names)
    order = np.random.default_rng(seed).permutation(len(X))
    n = 2 * len(X) // 3
    classes = data.task != "regression"
    y: Any = np.unique(data.y, return_inverse=True)[1] if classes else np.asarray(data.y, float)
    y = y if classes else (y - y.mean()) / y.std()
    return Table(X[order[:n]], y[order[:n]], X[order[n:]], y[order[n:]].astype(float), classes), signs


def learner(model: str, classes: bool, signs: list[int] | None, seed: int) -> Any:
    """An estimator, unfitted; signs are None without constraints."""
    if model == "SoftTree":
        kind: Any = SoftTreeClassifier if classes else SoftTreeRegressor
        return kind(monotonic_cst=signs, random_state=seed)
    if model == "LightGBM":
        boosted: Any = BoostedClassifier if classes else BoostedRegressor
        how = {} if signs is None else {"monotone_constraints": signs, "monotone_constraints_method": "advanced"}
        return boosted(random_state=seed, more=how)
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    additive: Any = ExplainableBoostingClassifier if classes else ExplainableBoostingRegressor
    return additive(outer_bags=4, n_jobs=1, monotone_constraints=signs, random_state=seed)


def measure(given: Table, model: Any) -> dict[str, float]:
    """Loss on fresh rows, and CPU seconds."""
    start = process_time()
    fitted = model.fit(given.X, given.y)
    seconds = process_time() - start
    if getattr(fitted, "monotonic_cst", None) is not None:
        assert fitted.monotonic_certificate_.holds
    if given.classes:
        p = np.clip(fitted.predict_proba(given.fresh)[:, 1], 1e-6, 1 - 1e-6)
        loss = -np.mean(given.truth * np.log(p) + (1 - given.truth) * np.log(1 - p))
    else:
        loss = np.mean(np.square(fitted.predict(given.fresh) - given.truth))
    return {"loss": float(loss), "seconds": round(seconds, 2)}


CASES: dict[str, Callable[[int], tuple[Table, list[int]]]] = {
    **{f"{name}, numbers": partial(made, name, False) for name in MADE},
    **{f"{name}, classes": partial(made, name, True) for name in MADE},
    **{name: partial(of_papers, name) for name in SETS},
}
MODELS = ("SoftTree", "LightGBM", "EBM")


def run(file: Path, seeds: int) -> dict[str, dict[str, float]]:
    """All results, those of an earlier run included."""
    results: dict[str, dict[str, float]] = json.loads(file.read_text()) if file.is_file() else {}
    for seed in range(seeds):
        for name, draw in CASES.items():
            for model in MODELS:
                for kind in ("free", "held"):
                    key = f"{name}/{seed}/{model}/{kind}"
                    if key not in results and (model != "EBM" or seed < EBM_SEEDS):
                        given, signs = draw(seed)
                        chosen = learner(model, given.classes, signs if kind == "held" else None, seed)
                        results[key] = measure(given, chosen)
                        file.write_text(json.dumps(results, indent=1) + "\n")
                        print(key, results[key], flush=True)
    return results


def mean(results: dict[str, dict[str, float]], name: str, column: str, what: str = "loss") -> float:
    """Over the draws."""
    mine = [one[what] for key, one in results.items() if key.startswith(f"{name}/") and key.endswith(f"/{column}")]
    return float(np.mean(mine)) if mine else np.nan


def to_markdown(results: dict[str, dict[str, float]]) -> str:
    """One line per table, and the geometric means of the ratios with and without constraints."""
    columns = [f"{model}/{kind}" for model in MODELS for kind in ("free", "held")]
    lines, ratios = [], {model: list[float]() for model in MODELS}
    for name in CASES:
        losses = [mean(results, name, column) for column in columns]
        lines.append([name, *(bold(f"{one:.4f}", one == np.nanmin(losses)) for one in losses)])
        for model, (free, held) in zip(MODELS, zip(losses[::2], losses[1::2], strict=True), strict=True):
            ratios[model].append(held / free)
    seconds = ["seconds", *(f"{np.mean([mean(results, name, c, 'seconds') for name in CASES]):.1f}" for c in columns)]
    head = ["table", *(column.replace("/free", "").replace("/held", ", constrained") for column in columns)]
    made_tables, papers = (
        {model: np.exp(np.nanmean(np.log(of[part]))) for model, of in ratios.items()}
        for part in (slice(2 * len(MADE)), slice(2 * len(MADE), None))
    )
    told = [f"{m} {made_tables[m]:.3f} on generated tables, {papers[m]:.3f} on the papers' sets" for m in MODELS]
    ratio = f"Loss with constraints divided by loss without, geometric mean: {'; '.join(told)}."
    return f"{table(head, [*lines, seconds])}\n\n{ratio} {RUN}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--results", type=Path, default=RESULTS / "monotone.json", help="file of the runs")
    asked = parser.parse_args()
    text = to_markdown(run(asked.results, asked.seeds))
    (PAGES / "monotone.md").write_text(lay_out(HEAD, text), encoding="utf-8")
    print(text)
