"""The effect of softening on probabilities, and its cost: AUC, Brier score, accuracy and seconds, before and after.

    python -m bench.papers.softening [--data FOLDER]

Breast cancer and digits of scikit-learn, 2/3 to train, 1/3 to test, three seeds; the hard tree is CART pruned by
cross-validation. With MAGIC's data (FOLDER or SOFTWOOD_DATA) also the clock: annealing a tree of 40 leaves on 12,680
rows, and one proposal beside evaluating the whole tree. Seconds are CPU seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from bench.papers.magic import find_data, load
from softwood import CARTClassifier, SoftenedTreeClassifier, soften
from softwood.kernels import native
from softwood.kernels.contracts.anneal import PROPOSALS
from softwood.learners.softening.gates import SofteningRows, with_widths
from softwood.learners.softening.ramps import make_problem

SEEDS = 3
SETS = {"breast cancer": load_breast_cancer, "digits": load_digits}
METHODS: dict[str, dict[str, Any]] = {
    "statistics": {"method": "statistics"},
    "anneal": {"method": "anneal"},
    "gradient": {"method": "gradient"},
    "gradient, thresholds": {"method": "gradient", "thresholds": True},
    "gradient, responses": {"method": "gradient", "responses": True},
    "gradient, both": {"method": "gradient", "thresholds": True, "responses": True},
}


def scores(model: Any, X: Any, y: Any) -> tuple[float, float, float]:
    """AUC (one against the rest, mean over classes), Brier score (squared error summed over classes), accuracy."""
    share = model.predict_proba(X)
    own = np.eye(share.shape[1])[y]
    return float(roc_auc_score(own, share)), float(((share - own) ** 2).sum(axis=1).mean()), float(model.score(X, y))


def clock(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of the work, and its CPU seconds."""
    start = process_time()
    found = work()
    return found, process_time() - start


def compare(name: str) -> list[str]:
    """One line per method."""
    X, y = SETS[name](return_X_y=True)
    found: dict[str, list[tuple[float, ...]]] = {}
    for seed in range(SEEDS):
        train_x, test_x, train_y, test_y = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
        hard, seconds = clock(partial(CARTClassifier(one_se=False).fit, train_x, train_y))
        found.setdefault("hard", []).append((*scores(hard, test_x, test_y), seconds))
        for method, options in METHODS.items():
            soft, seconds = clock(partial(soften, hard, train_x, train_y, random_state=0, **options))
            found.setdefault(method, []).append((*scores(soft, test_x, test_y), seconds))
        whole, seconds = clock(partial(SoftenedTreeClassifier().fit, train_x, train_y))
        found.setdefault("SoftenedTreeClassifier", []).append((*scores(whole, test_x, test_y), seconds))
    lines = []
    for method, runs in found.items():
        auc, brier, accuracy, seconds = np.mean(runs, axis=0)
        lines.append(f"| {name} | {method} | {auc:.4f} | {brier:.4f} | {accuracy:.4f} | {seconds:.2f} |")
    return lines


def shortest(work: Callable[[], Any]) -> float:
    """The shortest of five times."""
    return min(clock(work)[1] for _ in range(5))


def time_annealing(folder: str | None) -> list[str]:
    """Lines with times, if the data are available."""
    file = find_data(folder)
    if file is None:
        return ["No magic.csv.gz: the clock was left out."]
    rows = load(file)
    X, _, labels, _ = train_test_split(rows.X, rows.y, test_size=1 / 3, random_state=0)
    y = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    lines = [
        "| leaves | whole tree, ms | proposal, ms | ratio | annealing, s | gradient, s |",
        "|---|---|---|---|---|---|",
    ]
    for leaves in (40, 131):
        model = CARTClassifier(prune=None, max_leaves=leaves).fit(X, y)
        problem = make_problem(model.tree_, SofteningRows(X, y, np.ones(len(y))))
        annealer = native.Annealer(problem, 0)
        annealer.run(100, 1000)
        soft = with_widths(model.tree_, annealer.theta() * problem.scale)
        whole = 1e3 * shortest(partial(soft.output, X))
        proposal = 1e3 * shortest(partial(annealer.run, 10, 1000)) / (10 * PROPOSALS)
        seconds = [clock(partial(soften, model, X, y, method=m))[1] for m in ("anneal", "gradient")]
        times = " | ".join(f"{s:.1f}" for s in seconds)
        lines.append(f"| {leaves} | {whole:.2f} | {proposal:.4f} | {whole / proposal:.0f} | {times} |")
    return lines


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Softening: probabilities and the clock.")
    parser.add_argument("--data", help="folder with magic.csv.gz (default: SOFTWOOD_DATA)")
    asked = parser.parse_args()
    print("| set | method | AUC | Brier | accuracy | seconds |\n|---|---|---|---|---|---|")
    for name in SETS:
        print("\n".join(compare(name)), flush=True)
    print("\n" + "\n".join(time_annealing(asked.data)))


if __name__ == "__main__":
    main()
