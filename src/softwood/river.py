"""Online budding trees behind the interface of River: one row at a time, a row is a dict.

    learn_one(x, y)         one step of BuddingTreeClassifier.partial_fit
    predict_one(x), predict_proba_one(x)

J. Montiel and others (2021). River: machine learning for streaming data in Python. JMLR 22(110).

A budding tree needs its classes from the first row, which a stream does not provide. Without `classes`, the tree starts
with the second class, and a class that appears later restarts it with the stored rows.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.estimators.budding.classifier import BuddingTreeClassifier
from softwood.estimators.budding.regressor import BuddingTreeRegressor

try:
    from river import base
except ImportError as lacking:
    raise ImportError("softwood.river needs River: pip install 'softwood[river]'.") from lacking

__all__ = ["RiverClassifier", "RiverRegressor"]

REMEMBERED_ROWS = 1000  # rows stored for a restart with a new class


class _Rows:
    """Dicts as rows of numbers, in the order of the names in the first row; an absent name is missing.

    Names that are not in the first row are ignored.
    """

    def __init__(self) -> None:
        self.names: list[Any] = []

    def read(self, x: dict[Any, Any]) -> Floats:
        """One row, (1, inputs)."""
        if not isinstance(x, Mapping):
            raise TypeError(f"x must be a dict of the inputs by name, as River's streams give, got {x!r:.60}.")
        names = self.names or list(x)
        try:
            row = np.array([[np.nan if (value := x.get(name)) is None else value for name in names]], np.float64)
        except (TypeError, ValueError):
            text = next(name for name in names if not isinstance(x.get(name), int | float | np.number | None))
            raise ValueError(
                f"{text!r:.60} is {x[text]!r:.60}, and rows must have numbers, with the same names in every row: "
                "encode text before the tree, as one column of 0 and 1 per possible level."
            ) from None
        if not names:
            raise ValueError("the first row is empty; it must have every input by name.")
        self.names = names
        return row


class RiverClassifier(base.Classifier):
    """An online budding tree as a classifier of River.

    Parameters
    ----------
    model : BuddingTreeClassifier or None
        Unfitted; its parameters are used. None: `BuddingTreeClassifier(learner="online")`; for concept drift use
        `optimizer="adam"`, which forgets.
    classes : sequence or None
        All labels that will occur. None: a label that appears later restarts the tree with the last 1,000 rows.

    Attributes
    ----------
    tree_model : BuddingTreeClassifier
        The fitted estimator, to print, explain and save; None before the tree starts.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from softwood.river import RiverClassifier
    >>> accuracy = evaluate.progressive_val_score(
    ...     datasets.Phishing(), RiverClassifier(classes=[False, True]), metrics.Accuracy())
    >>> accuracy.get() > 0.8
    True
    """

    def __init__(self, model: BuddingTreeClassifier | None = None, classes: Any = None) -> None:
        if model is not None and not isinstance(model, BuddingTreeClassifier):
            raise TypeError(f"model must be a BuddingTreeClassifier or None, got {type(model).__name__}.")
        self.model, self.classes = model, classes
        self.tree_model: BuddingTreeClassifier | None = None
        self._rows = _Rows()
        self._seen: list[Any] = list(classes) if classes is not None else []
        self._recent: deque[tuple[Floats, Any]] = deque(maxlen=REMEMBERED_ROWS if classes is None else 0)

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : values of the inputs by name; numbers, booleans or None.
        y : the label.
        """
        row = self._rows.read(x)
        if y is None or y != y:
            raise ValueError(f"y must be a label, got {y!r}; leave out rows without a label.")
        if y in self._seen:
            self._recent.append((row, y))
            if self.tree_model is not None or len(self._seen) > 1:
                self._learn(row, [y])
            return
        if self.classes is not None:
            raise ValueError(
                f"{y!r:.60} is not one of the classes {self._seen!r:.200}; name it in classes=, or leave classes=None."
            )
        self._take_class(row, y)

    def _take_class(self, row: Floats, y: Any) -> None:
        """Begin anew with another class; a label that the tree refuses changes nothing."""
        before = self.tree_model, self._seen, self._recent.copy()
        self.tree_model, self._seen = None, [*self._seen, y]
        self._recent.append((row, y))
        try:
            if len(self._seen) > 1:
                self._learn(np.concatenate([each for each, _ in self._recent]), [label for _, label in self._recent])
        except (TypeError, ValueError):
            self.tree_model, self._seen, self._recent = before
            raise

    def _learn(self, rows: Floats, labels: list[Any]) -> None:
        if self.tree_model is None:
            self.tree_model = _fresh(self.model, BuddingTreeClassifier)
        self.tree_model.partial_fit(rows, labels, classes=self._seen)

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """Probability of every class; 1 if only one class was seen, empty before the first row."""
        row = self._rows.read(x)
        if self.tree_model is None:
            return (
                {self._seen[0]: 1.0}
                if len(self._seen) == 1
                else dict.fromkeys(self._seen, 1.0 / max(len(self._seen), 1))
            )
        chance = self.tree_model.predict_proba(row)[0]
        return dict(zip(self.tree_model.classes_.tolist(), chance.tolist(), strict=True))


class RiverRegressor(base.Regressor):
    """An online budding tree as a regressor of River.

    Parameters
    ----------
    model : BuddingTreeRegressor or None
        Unfitted; its parameters are used. None: `BuddingTreeRegressor(learner="online")`.

    Attributes
    ----------
    tree_model : BuddingTreeRegressor
        The fitted estimator; None before the first row.

    Examples
    --------
    >>> from softwood.river import RiverRegressor
    >>> model = RiverRegressor()
    >>> for x in range(2000):
    ...     model.learn_one({"x": x % 10}, 2.0 * (x % 10))
    >>> abs(model.predict_one({"x": 4}) - 8.0) < 2.0
    True
    """

    def __init__(self, model: BuddingTreeRegressor | None = None) -> None:
        if model is not None and not isinstance(model, BuddingTreeRegressor):
            raise TypeError(f"model must be a BuddingTreeRegressor or None, got {type(model).__name__}.")
        self.model = model
        self.tree_model: BuddingTreeRegressor | None = None
        self._rows = _Rows()

    def learn_one(self, x: dict[Any, Any], y: float) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : values of the inputs by name; numbers, booleans or None.
        y : the number.
        """
        row = self._rows.read(x)
        if not isinstance(y, int | float | np.number) or not math.isfinite(y):
            raise ValueError(f"y must be a finite number, got {y!r:.60}; leave out rows without one.")
        if self.tree_model is None:
            self.tree_model = _fresh(self.model, BuddingTreeRegressor)
        self.tree_model.partial_fit(row, [float(y)])

    def predict_one(self, x: dict[Any, Any]) -> float:
        """The prediction; 0 before the first row."""
        row = self._rows.read(x)
        return 0.0 if self.tree_model is None else float(self.tree_model.predict(row)[0])


def _fresh(model: Any, kind: Any) -> Any:
    """An unfitted estimator with the parameters of the model, or the default ones."""
    return kind(learner="online", random_state=0) if model is None else kind(**model.get_params())
