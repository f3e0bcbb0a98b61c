"""The cases timed against scikit-learn: each case is data, the runner does the rest.

"Same definition" turns off what scikit-learn's trees do not have (surrogates, pruning); our defaults are also shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bench.speed.clock import Work
from bench.speed.data import Rows, numbers, soft_model, ten_classes, two_classes
from softwood import CARTClassifier, CARTRegressor

SAME: dict[str, Any] = {"missing": "direction", "prune": None}
LEAVES = 1000  # of the trees that predict
TRAINING = 100_000  # rows they are grown on


@dataclass(frozen=True)
class Fit:
    """One fit of ours against one of theirs, on the same rows. `wanted`: target ratio; 0: only shown."""

    name: str
    rows: Callable[[int], Rows]
    ours: dict[str, Any]
    wanted: float = 0.0
    theirs: dict[str, Any] = field(default_factory=dict)
    classes: bool = True
    threads: int = 1

    def works(self, n: int) -> tuple[Work, Work]:
        X, y = self.rows(n)
        ours = CARTClassifier if self.classes else CARTRegressor
        theirs = DecisionTreeClassifier if self.classes else DecisionTreeRegressor
        return (
            lambda: ours(n_jobs=self.threads, **self.ours).fit(X, y),
            lambda: theirs(random_state=0, **self.theirs).fit(X, y),
        )


@dataclass(frozen=True)
class Predict:
    """Answers to many rows by a tree of 1,000 leaves: labels out of `predict`, as a user calls it."""

    name: str
    wanted: float = 0.0
    threads: int = 1

    def works(self, n: int) -> tuple[Work, Work]:
        X, y = two_classes(n)
        some, answers = X[:TRAINING], y[:TRAINING]
        ours = CARTClassifier(max_leaves=LEAVES, n_jobs=self.threads, **SAME).fit(some, answers)
        theirs = DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=0).fit(some, answers)
        return lambda: ours.predict(X), lambda: theirs.predict(X)


@dataclass(frozen=True)
class PredictSoft:
    """15 sigmoid gates over 10 inputs against a hard regression tree of 1,000 leaves, `predict` as a user calls it."""

    name: str
    wanted: float = 0.0
    threads: int = 1
    dtype: str = "float64"
    calls: int = 0  # of one row each; 0: one call with all rows
    knots: int = 0  # of a curve of each input, which gates look at instead

    def works(self, n: int) -> tuple[Work, Work]:
        X, y = numbers(n, 10)
        ours = soft_model(X[:200], y[:200], self.threads, self.knots)
        theirs = DecisionTreeRegressor(max_leaf_nodes=LEAVES, random_state=0).fit(X[:TRAINING], y[:TRAINING])
        rows = X.astype(self.dtype)
        if not self.calls:
            return lambda: ours.predict(rows), lambda: theirs.predict(rows)
        singles = [rows[i : i + 1] for i in range(self.calls)]
        return lambda: [ours.predict(row) for row in singles], lambda: [theirs.predict(row) for row in singles]


Case = Fit | Predict | PredictSoft

FITS: tuple[Case, ...] = (
    Fit("two classes, exact", two_classes, SAME, wanted=3),
    Fit("two classes, 256 bins", two_classes, SAME | {"max_bins": 256}, wanted=10),
    Fit("regression, exact", numbers, SAME, wanted=3, classes=False),
    Fit("regression, 256 bins", numbers, SAME | {"max_bins": 256}, wanted=10, classes=False),
    Fit("ten classes, exact", ten_classes, SAME),
    Fit("ten classes, 256 bins", ten_classes, SAME | {"max_bins": 256}),
    Fit("entropy, exact", two_classes, SAME | {"criterion": "entropy"}, theirs={"criterion": "entropy"}),
    Fit("two classes, exact, two threads", two_classes, SAME, threads=2),
    Fit("two classes, 256 bins, two threads", two_classes, SAME | {"max_bins": 256}, threads=2),
    Fit("with surrogates, not pruned, exact", two_classes, {"prune": None}),
    Fit("with surrogates, not pruned, 256 bins", two_classes, {"prune": None, "max_bins": 256}),
    Fit("our defaults (ten folds prune, surrogates)", two_classes, {}),
    Fit("our defaults, 256 bins", two_classes, {"max_bins": 256}),
)
PREDICTIONS: tuple[Case, ...] = (
    Predict("1,000 leaves, 20 inputs", wanted=3),
    Predict("1,000 leaves, 20 inputs, two threads", threads=2, wanted=3),
    PredictSoft("soft, 15 gates, 10 inputs, against 1,000 hard leaves", wanted=1),
    PredictSoft("the same, float32 rows", dtype="float32", wanted=1),
    PredictSoft("the same, two threads", threads=2, wanted=1),
    PredictSoft("the same, 1,000 calls of one row", calls=1_000, wanted=1),
    PredictSoft("soft, 15 gates of curves (19 knots) of 10 inputs", knots=19),
)
