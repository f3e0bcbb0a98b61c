"""Online trees on three of River's data sets, by its progressive validation: `python -m bench.river`.

Every row is predicted and then learned. Error: error rate. Time: processor time per row for predicting and learning.
Memory: the pickled model at the end.
"""

from __future__ import annotations

import pickle
import time
from typing import Any

from river import datasets, evaluate, forest, metrics, tree

from softwood import BuddingTreeClassifier
from softwood.river import RiverClassifier


def models() -> dict[str, Any]:
    """New models by name, with their default parameters but the one that is named."""
    adam = BuddingTreeClassifier(learner="online", optimizer="adam", random_state=0)
    return {
        "budding tree": RiverClassifier(),
        "budding tree, adam": RiverClassifier(adam),
        "HoeffdingTree": tree.HoeffdingTreeClassifier(),
        "adaptive random forest": forest.ARFClassifier(seed=0),
    }


def main() -> None:
    """Print the table of docs/howto/online.md."""
    print("| data set | rows | model | error | ms per row | KiB |\n|---|---|---|---|---|---|")
    for rows in (datasets.Phishing(), datasets.Bananas(), datasets.ImageSegments()):
        for name, model in models().items():
            begin = time.process_time()
            accuracy = evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get()
            each = 1e3 * (time.process_time() - begin) / rows.n_samples
            size = len(pickle.dumps(model)) / 1024
            cells = (
                type(rows).__name__,
                f"{rows.n_samples:,}",
                name,
                f"{1 - accuracy:.3f}",
                f"{each:.2f}",
                f"{size:.0f}",
            )
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
