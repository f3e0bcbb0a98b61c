"""Soft forests on the fresh tables (fresh.py): the first draw of each, beside what bench/results/fresh.json has of it.

    python -m bench.forest_fresh               (the tables that one tree was quickest on first)
    python -m bench.forest_fresh Wage OJ

A run is kept in bench/results/forest_fresh.json and not made again. One tree, LightGBM and the random forest are the
runs of `make fresh` on the same rows. As a proof that the rows are the same, LightGBM is run again where it is quick.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench.contest import MODELS, Results, measure
from bench.fresh import CASES
from bench.papers.markdown import bold, table
from softwood import SoftForestClassifier, SoftForestRegressor

FOLDER = Path(__file__).parent / "results"
FILE = FOLDER / "forest_fresh.json"
COLUMNS = {"SoftTree": "tree", "soft forest": "forest", "LightGBM": "LightGBM", "forest": "random forest"}
SEED = 0
QUICK = 0.5  # seconds of LightGBM


def read_stored() -> Results:
    """The runs of the other models."""
    found: Results = json.loads((FOLDER / "fresh.json").read_text())
    return found


def run(names: list[str]) -> Results:
    """All runs of forests, and LightGBM again where it is quick."""
    MODELS["soft forest"] = (SoftForestClassifier, SoftForestRegressor)
    results: Results = json.loads(FILE.read_text()) if FILE.is_file() else {}
    stored = read_stored()
    for name in names:
        again = ["LightGBM"] if stored[f"{name}/{SEED}/LightGBM"]["seconds"] < QUICK else []
        for key in (f"{name}/{SEED}/{model}" for model in ["soft forest", *again]):
            if key not in results:
                results[key] = measure(CASES[name], key.rsplit("/", 1)[1], SEED)
                FILE.write_text(json.dumps(results, indent=1) + "\n")
                print(f"{key}: {results[key]}, stored {stored.get(key, {})}", flush=True)
    return results


def to_markdown(results: Results) -> str:
    """One row per table: errors, then nodes and seconds. The lowest error is bold."""
    stored, rows = read_stored(), []
    for name in sorted(key.split("/")[0] for key in results if key.endswith("/soft forest")):
        found = [{**stored, **_forests(results)}[f"{name}/{SEED}/{model}"] for model in COLUMNS]
        least = min(one["error"] for one in found)
        errors = [bold(f"{one['error']:.4f}", one["error"] == least) for one in found]
        rows.append([name, *errors, *(f"{one['nodes']:,.0f}, {one['seconds']:.1f} s" for one in found)])
    told = list(COLUMNS.values())
    return table(["table", *told, *(f"{model}: nodes, time" for model in told)], rows)


def _forests(results: Results) -> Results:
    return {key: one for key, one in results.items() if key.endswith("/soft forest")}


def standing(results: Results) -> str:
    """How often the forest has less error than LightGBM and than one tree, and how often LightGBM came out the same."""
    stored, forests = read_stored(), _forests(results)
    met = [(one["error"], key.rsplit("/", 1)[0]) for key, one in forests.items()]

    def won(model: str) -> tuple[int, int]:
        others = [(error, stored[f"{key}/{model}"]["error"]) for error, key in met]
        return sum(a < b for a, b in others), sum(a == b for a, b in others)

    again = {key: one["error"] == stored[key]["error"] for key, one in results.items() if key.endswith("/LightGBM")}
    (less, same), (below, equal) = won("LightGBM"), won("SoftTree")
    tree = sum(stored[f"{key}/SoftTree"]["error"] < stored[f"{key}/LightGBM"]["error"] for _, key in met)
    return (
        f"Of {len(met)} tables: a forest has less error than LightGBM on {less} and the same on {same}, "
        f"one tree less on {tree}.\nThan one tree a forest has less on {below} and the same on {equal}.\n"
        f"LightGBM again: the stored error on {sum(again.values())} of {len(again)}."
    )


if __name__ == "__main__":
    quick_first = sorted(CASES, key=lambda name: read_stored()[f"{name}/{SEED}/SoftTree"]["seconds"])
    done = run(sys.argv[1:] or quick_first)
    print(f"{to_markdown(done)}\n\n{standing(done)}")
