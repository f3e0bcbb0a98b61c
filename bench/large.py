"""Error by number of rows: SoftTree, LightGBM, an explainable boosting machine (EBM) and CART.

    SOFTWOOD_DATA=<folder of the sets> python -m bench.large          (make large)

Two tables are synthetic (`pieces`, `chances`: steps, bends, interactions and noise, ten inputs, two of them useless),
with the error of the true function on the test rows. Four are public: `large/adult.csv.gz` and others in the folder,
with a MANIFEST.csv that names task and categories; two thirds of their rows are for training. Every fit is written at
once; an interrupted run can be resumed. A model is left out if it would take more than ten minutes, judging by fewer
rows.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.contest import MODELS, Rows
from bench.pages import lay_out
from bench.papers.markdown import bold, table

RESULTS = Path(__file__).parent / "results" / "large.json"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "large.md"
MODEL_NAMES = ("SoftTree", "LightGBM", "EBM", "CART")
MADE_SIZES = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
PUBLIC_SIZES = (1_000, 4_000, 20_000, 100_000)  # the last: all training rows
TEST_ROWS = 50_000  # of a synthetic table
MOST_SECONDS = 600.0  # CPU seconds of a fit
INPUTS, NOISE = 10, 0.5  # of a synthetic table; the noise's standard deviation
Results = dict[str, dict[str, float]]  # "table/rows/seed/model": error, nodes, seconds
LEAD = """SoftTree's error is smaller than CART's wherever both were run. It decreases with the number of rows, but
not on flights beyond 20,000, because trees grow on 20,000 rows and steps of curves are found in 15,000 of them.
LightGBM has a smaller error where there are many regions. `make large` runs it; the runs are in
`bench/results/large.json`."""
HEAD = """# More rows

Compared with LightGBM, SoftTree's error is smaller on 13 of 27 lines: pieces, chances, adult and flights with 4,000 rows,
flights with 1,000 and 20,000, chances and letter with 1,000. It is up to 2 % larger on the other lines of chances and adult and on
letter with 4,000 rows, but 22 % on all rows of letter, 27 % on all of flights, and 12 to 25 % on protein_casp (39 nodes;
LightGBM 122,000).

EBM (interpret's defaults, one thread) has a smaller error in six of the twelve lines it was run on, by .3 to 11 %.
Pieces, chances and adult are nearly sums of curves, the form of EBM's model, which is bagged. EBM took 20 to 90
times as long, and 507 s with 20,000 rows of adult.

Error (proportion of the rows, or of the target's
variance) by number of training rows, nodes and CPU seconds. `pieces` (numbers) and `chances` (two classes) are
generated: steps, bends, interactions and noise. *The rule itself* is the error of the true function on the 50,000
test rows of the line, a lower bound but for chance. These rows differ between lines, and the error of `chances` with
them by .0016 (one standard error), so compare the difference from the rule: for pieces it is .0037 with 16,000 rows,
.0038, .0029 and .0027 with a million, for chances .0066, .0022, .0033 and .0028.

The other tables are public, with 20,000 to 100,000 rows, of which a third is for testing. All models use their
defaults; LightGBM takes the better of 7 and 31 leaves and stops early on a fifth of the rows. A dash: not run, or
expected to take more than ten minutes. Bold: the smallest error. Times are of two busy cores, where they vary by a
third.

A million rows took 21 and 15 s of CPU time. Peak memory in addition to the process with the table (a million rows × 10,
80 MB, and 8 MB of targets), of an earlier version: 173 MB for chances and 146 MB for pieces, which is 3.0 and 2.7 times
the input, including the input.

## History

Errors of SoftTree before each change of the learner, the latest first. 250,000 and 1,000,000 rows were run for the
present version and the two before "finer curves on a part of the rows first".

| before | table, rows: error (nodes, time) |
|---|---|
| fewer rules; five trials race; columns by evidence for linear leaves | pieces 1,000: .1478, 4,000: .1185, 16,000: .1098, 64,000: .1064, 250,000: .1060, 1,000,000: .1059; chances 1,000: .1927, 4,000: .1691, 16,000: .1572, 64,000: .1555, 250,000: .1549, 1,000,000: .1577; protein_casp 1,000: .6781, 4,000: .5653, 20,000: .4445, 30,486: .4204; adult 1,000: .1499, 4,000: .1330, 20,000: .1265, 32,561: .1233; letter 1,000: .2004, 4,000: .1038, 13,333: .0456; flights 1,000: .1631, 4,000: .1619, 20,000: .1461, 66,666: .1459 |
| columns by evidence as a kind of their own, stored passes | pieces 1,000: .1761, 4,000: .1243, 16,000: .1087, 64,000: .1090, 250,000: .1079, 1,000,000: .1078; chances 1,000: .1921, 4,000: .1743, 16,000: .1594, 64,000: .1555, 250,000: .1553, 1,000,000: .1589; protein_casp 1,000: .6781, 4,000: .5653, 20,000: .4483, 30,486: .4204; adult 1,000: .1495, 4,000: .1375, 20,000: .1264, 32,561: .1258; letter 1,000: .2004, 4,000: .1038, 13,333: .0457; flights 1,000: .1630, 4,000: .1613, 20,000: .1520 |
| three rules removed, then local columns by evidence in place of ramps | pieces 1,000: .1718, 4,000: .1287, 16,000: .1086, 64,000: .1063, 250,000: .1051, 1,000,000: .1042; chances 1,000: .1980, 4,000: .1767, 16,000: .1586, 64,000: .1551, 250,000: .1538, 1,000,000: .1556; protein_casp 1,000: .7027, 4,000: .5714, 20,000: .4263; adult 1,000: .1493, 4,000: .1426, 20,000: .1300, 32,561: .1290; letter 1,000: .2071, 4,000: .1192, 13,333: .0437; flights 1,000: .1674, 4,000: .1637, 20,000: .1448 |
| ramps from 250 rows on | pieces, 1,000: .2165 (7, 1.3 s); chances, 1,000: .1922 (5); in still earlier versions protein_casp, 1,000: .6579 (13) and letter, 1,000: .2019 |
| ramps from 2,000 rows on, mixed slopes from 3,400 | 4,000 rows: pieces .1758 (3, 1.6 s), chances .1840 (9, 1.8 s), protein_casp .5601 (15, 4.0 s), adult .1440 (1.7 s), letter .1305 (23, 20 s), flights .1637 (1.1 s) |
| finer curves on a part of the rows first | 1,000,000 rows: pieces .1050 (46 s), chances .1564 (52 s) |
| ramps divided by the score test | 20,000 rows: protein_casp .4176 (69, 75 s); letter .0399 (125, 268 s) |
| still earlier | pieces .1195 (16,000 rows, 29 s), .1169 (64,000, 35 s), .1170 (1,000,000, 51 s); chances, 16,000: .1600 (35 s); adult .1290 (5, 19 s); flights .1372 (33, 113 s; why its growth now ends earlier is open) |
| leaves with mixed slopes | letter .0554 (97, 111 s) |
| trees of many constant leaves in the race | flights .1426 (19, 44 s); protein_casp .466 (17, 58 s); letter .0717 |
| ramps, reweighted inputs on many rows, roots grown on them | pieces .143 (16,000 rows), .139 (64,000), .140 (1,000,000, 55 s); chances .174 and .173; 20,000 rows: adult .139, flights .156, protein_casp .484; letter .082 |
"""  # noqa: E501


BestError = Callable[[int, int], float]  # by rows and seed


class Part(NamedTuple):
    """Training rows, test rows, and whether targets are classes."""

    train: Rows
    test: Rows
    classes: bool


class LargeTable(NamedTuple):
    """A table: its parts by rows and seed, the number of training rows, and the true function's error in a part."""

    draw: Callable[[int, int], Part]
    sizes: tuple[int, ...]
    best: BestError | None = None


def rule(X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The true function of the synthetic tables: steps, bends and interactions of eight inputs between 0 and 1."""
    steps = 0.6 * np.floor(5.0 * X[:, 0]) - 1.5 * (np.abs(X[:, 1] - 0.37) < 0.04)
    bends = 3.0 * np.abs(X[:, 2] - 0.5) + np.sin(4.0 * np.pi * X[:, 3])
    both = 1.5 * ((X[:, 4] > 0.3) & (X[:, 5] > 0.6)) - 2.0 * (X[:, 6] > 0.5) * (X[:, 7] - 0.5)
    return np.asarray(steps + bends + both - 1.6)


def made(classes: bool, n: int, seed: int) -> Part:
    """Rows of the true function: with noise added, or of class 1 with the function as log odds."""
    rng = np.random.default_rng([seed, n])
    X = rng.random((n + TEST_ROWS, INPUTS))
    f = rule(X)
    chance = 1.0 / (1.0 + np.exp(-2.0 * f))
    y = (rng.random(len(f)) < chance) * 1 if classes else f + NOISE * rng.standard_normal(len(f))
    return Part(Rows(X[:n], y[:n]), Rows(X[n:], y[n:]), classes)


def best_error(classes: bool, n: int, seed: int) -> float:
    """The error of the true function on the test rows of a part."""
    test = made(classes, n, seed).test
    f = rule(test.X)
    return float(np.mean((f > 0) != test.y if classes else np.square(f - test.y) / test.y.var()))


def public(folder: Path, name: str, task: str, categories: list[str], n: int, seed: int) -> Part:
    """A table of the folder: two thirds of the rows, at most `n`, for training, the others for testing."""
    import pandas as pd
    from sklearn.model_selection import train_test_split

    frame = pd.read_csv(folder / f"{name}.csv.gz")
    frame[categories] = frame[categories].astype("category")
    classes = task != "regression"
    target = frame.pop("target").to_numpy()
    y = target.astype(str) if classes else target.astype(np.float64)
    train, test = train_test_split(
        np.arange(len(y)), train_size=2 / 3, random_state=seed, stratify=y if classes else None
    )
    return Part(Rows(frame.iloc[train[:n]], y[train[:n]]), Rows(frame.iloc[test], y[test]), classes)


def public_tables(folder: Path) -> dict[str, LargeTable]:
    """The tables in the folder's MANIFEST.csv."""
    import pandas as pd

    if not (folder / "MANIFEST.csv").is_file():
        return {}
    found = {}
    for one in pd.read_csv(folder / "MANIFEST.csv", keep_default_na=False).itertuples():
        categories = [name for name in str(one.categorical_columns).split(";") if name]
        most = 2 * int(str(one.rows)) // 3
        sizes = tuple(dict.fromkeys(min(size, most) for size in PUBLIC_SIZES))
        found[str(one.name)] = LargeTable(partial(public, folder, str(one.name), str(one.task), categories), sizes)
    return found


def tables(folder: Path | None) -> dict[str, LargeTable]:
    """Synthetic tables, and the public ones if their folder is given."""
    found = {
        "pieces": LargeTable(partial(made, False), MADE_SIZES, partial(best_error, False)),
        "chances": LargeTable(partial(made, True), MADE_SIZES, partial(best_error, True)),
    }
    return found if folder is None else found | public_tables(folder / "large")


def model_of(name: str, classes: bool, seed: int) -> Any:
    """The model, with its defaults."""
    if name != "EBM":
        return MODELS[name][0 if classes else 1](random_state=seed)
    kind = "ExplainableBoostingClassifier" if classes else "ExplainableBoostingRegressor"
    return getattr(importlib.import_module("interpret.glassbox"), kind)(random_state=seed, n_jobs=1)


def measure(part: Part, name: str, seed: int) -> dict[str, float]:
    """Error on the test rows, nodes (of an EBM, its terms) and CPU seconds."""
    start = process_time()
    model = model_of(name, part.classes, seed).fit(*part.train)
    seconds = process_time() - start
    answer = model.predict(part.test.X)
    wrong = answer != part.test.y if part.classes else np.square(answer - part.test.y) / part.test.y.var()
    nodes = len(model.term_names_) if name == "EBM" else getattr(model, "tree_", model).n_nodes
    return {"error": round(float(np.mean(wrong)), 5), "nodes": int(nodes), "seconds": round(seconds, 2)}


def would_end(results: Results, name: str, n: int, model: str) -> bool:
    """Whether a fit ends in time, judging by those on fewer rows; if there are none, it is tried."""
    known = [key.split("/") for key in results if key.startswith(f"{name}/") and key.endswith(f"/{model}")]
    fewer = [(int(rows), results["/".join((table_name, rows, *rest))]["seconds"]) for table_name, rows, *rest in known]
    rows, seconds = max((one for one in fewer if one[0] <= n), default=(n, 0.0))
    return seconds * n / rows <= MOST_SECONDS


def run(cases: dict[str, LargeTable], models: list[str], seeds: int, most: int, file: Path) -> Results:
    """All results up to `most` rows, those of an earlier run included."""
    results: Results = json.loads(file.read_text()) if file.is_file() else {}
    for name, case in cases.items():
        for n in (size for size in case.sizes if size <= most):
            for seed in range(seeds):
                for model in models:
                    key = f"{name}/{n}/{seed}/{model}"
                    if key in results or not would_end(results, name, n, model):
                        continue
                    results[key] = measure(case.draw(n, seed), model, seed)
                    file.write_text(json.dumps(results, indent=1) + "\n")
                    print(f"{key}: {results[key]}", flush=True)
    return results


def to_markdown(results: Results, best: dict[str, BestError]) -> str:
    """One line per table and number of rows: errors, then nodes and seconds."""
    lines = []
    names = list(dict.fromkeys(key.split("/")[0] for key in results))
    cases = {(names.index(name), int(n)) for name, n, *_ in (key.split("/") for key in results)}
    for place, n in sorted(cases):
        name = names[place]
        mean = {}
        for model in MODEL_NAMES:
            mine = [one for key, one in results.items() if key.startswith(f"{name}/{n}/") and key.endswith(f"/{model}")]
            if mine:
                mean[model] = {what: float(np.mean([one[what] for one in mine])) for what in mine[0]}
        least = min(one["error"] for one in mean.values()) if len(mean) > 1 else -np.inf
        errors = [bold(f"{mean[m]['error']:.4f}", mean[m]["error"] == least) if m in mean else "–" for m in MODEL_NAMES]
        rest = [f"{mean[m]['nodes']:,.0f}, {mean[m]['seconds']:.1f} s" if m in mean else "–" for m in MODEL_NAMES]
        seeds = {int(key.split("/")[2]) for key in results if key.startswith(f"{name}/{n}/")}
        possible = f"{np.mean([best[name](n, seed) for seed in seeds]):.4f}" if name in best else "–"
        lines.append([f"{name}, {n:,}", possible, *errors, *rest])
    return table(
        ["table, rows", "the rule itself", *MODEL_NAMES, *(f"{model}: nodes, time" for model in MODEL_NAMES)], lines
    )


def main() -> None:
    """Run the selected cases and write the page."""
    parser = argparse.ArgumentParser(description="Error against the number of rows.")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--most", type=int, default=MADE_SIZES[-1], help="rows to learn from, at most")
    parser.add_argument("--tables", nargs="*", help="names of tables; all if none is given")
    parser.add_argument("--models", nargs="*", default=list(MODEL_NAMES), choices=MODEL_NAMES)
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the runs")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write")
    asked = parser.parse_args()
    folder = os.environ.get("SOFTWOOD_DATA")
    cases = tables(Path(folder) if folder else None)
    chosen = {name: case for name, case in cases.items() if not asked.tables or name in asked.tables}
    models = [name for name in asked.models if _is_installed(name)]
    results = run(chosen, models, asked.seeds, asked.most, asked.results)
    best = {name: case.best for name, case in cases.items() if case.best is not None}
    asked.page.write_text(lay_out(HEAD, f"{to_markdown(results, best)}\n\n{LEAD}"), encoding="utf-8")


def _is_installed(model: str) -> bool:
    """Whether the package of a model is installed; prints a message if not."""
    package = {"LightGBM": "lightgbm", "EBM": "interpret"}.get(model, "softwood")
    there = importlib.util.find_spec(package) is not None
    if not there:
        print(f"skipped: {model} is not installed.")
    return there


if __name__ == "__main__":
    main()
