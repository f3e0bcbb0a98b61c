"""Other libraries' methods with our interface: `fit(X, y, X_val, y_val)`, `predict`, `n_nodes`, `n_leaves`.

    Pruned     scikit-learn's CART, its cost-complexity alpha chosen on X_val
    Forest     scikit-learn's random forest of 300 trees (needs no X_val)
    Boosted    LightGBM with 7 or 31 leaves per tree, stopped early on X_val; the better by X_val's loss. Without X_val
    a
               fifth of the rows chooses size and rounds, then all are fitted

All with one thread: folds run in parallel. Data frames may have categories: LightGBM uses them, a forest gets their
codes.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import _safe_indexing as take

TREES = 300
MOST_ALPHAS = 50  # of the path that are tried, closest where trees are small: on thousands of rows it has thousands
ROUNDS, PATIENCE, STEP = (
    2000,
    50,
    0.05,
)  # LightGBM's trees at most, trees without gain, learning rate (its default is twice that)
SIZES = (7, 31)


class Yardstick:
    """The common base: the fitted model inside predicts."""

    model: Any
    n_nodes: int
    n_leaves: int

    def __init__(self, *, random_state: int = 0) -> None:
        self.random_state = random_state

    def predict(self, X: Any) -> Any:
        """Numbers or labels."""
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities, columns as in `classes_`."""
        return self.model.predict_proba(X)

    @property
    def classes_(self) -> Any:
        """Labels in the order of the probabilities."""
        return self.model.classes_


class PrunedClassifier(Yardstick):
    """scikit-learn's classification tree, pruned."""

    kind: Any = DecisionTreeClassifier

    def fit(self, X: Any, y: Any, X_val: Any, y_val: Any) -> Self:
        """Grow along the pruning path; keep the smallest of the best on X_val."""
        alphas = self.kind(random_state=self.random_state).cost_complexity_pruning_path(X, y).ccp_alphas
        steps = np.unique(np.geomspace(1, len(alphas), MOST_ALPHAS).round().astype(int))  # from the root upwards
        chosen = np.unique(np.maximum(alphas[-steps], 0.0))
        trees = [self.kind(random_state=self.random_state, ccp_alpha=alpha).fit(X, y) for alpha in chosen]
        self.model = max(reversed(trees), key=lambda tree: tree.score(X_val, y_val))
        self.n_nodes, self.n_leaves = int(self.model.tree_.node_count), int(self.model.get_n_leaves())
        return self


class PrunedRegressor(PrunedClassifier):
    """scikit-learn's regression tree, pruned."""

    kind = DecisionTreeRegressor


class ForestClassifier(Yardstick):
    """scikit-learn's random forest."""

    kind: Any = RandomForestClassifier

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees."""
        self.model = self.kind(TREES, random_state=self.random_state, n_jobs=1).fit(_in_numbers(X), y)
        self.n_nodes = sum(int(tree.tree_.node_count) for tree in self.model.estimators_)
        self.n_leaves = sum(int(tree.get_n_leaves()) for tree in self.model.estimators_)
        return self

    def predict(self, X: Any) -> Any:
        """Numbers or labels."""
        return self.model.predict(_in_numbers(X))


class ForestRegressor(ForestClassifier):
    """scikit-learn's random forest for numbers."""

    kind = RandomForestRegressor


class BoostedRegressor(Yardstick):
    """LightGBM for numbers."""

    name = "LGBMRegressor"

    def __init__(
        self,
        *,
        random_state: int = 0,
        categorical_features: Any = None,
        step: float = STEP,
        more: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(random_state=random_state)
        self.categorical_features, self.step, self.more = categorical_features, step, more or {}

    def fit(self, X: Any, y: Any, X_val: Any = None, y_val: Any = None) -> Self:
        """Boost with each size of tree; keep the better. Without X_val a fifth chooses, then all rows are fitted."""
        if X_val is None:
            rest, held = self._divide(y)
            chosen = self._choose(take(X, rest), y[rest], take(X, held), y[held])
            self.model = self._make(chosen.num_leaves, chosen.best_iteration_)
            self.model.fit(X, y, categorical_feature=self.categorical_features or "auto")
        else:
            self.model = self._choose(X, y, X_val, y_val)
        trees = self.model.booster_.dump_model(num_iteration=self.model.best_iteration_)["tree_info"]
        self.n_leaves = sum(tree["num_leaves"] for tree in trees)
        self.n_nodes = 2 * self.n_leaves - len(trees)
        return self

    def _choose(self, X: Any, y: Any, X_val: Any, y_val: Any) -> Any:
        import lightgbm

        fitted = []
        for leaves in SIZES:
            model = self._make(leaves, ROUNDS)
            stop = lightgbm.early_stopping(PATIENCE, verbose=False)
            category = self.categorical_features or "auto"
            model.fit(X, y, eval_X=X_val, eval_y=y_val, categorical_feature=category, callbacks=[stop])
            fitted.append(model)
        return min(fitted, key=lambda model: min(model.best_score_["valid_0"].values()))

    def _make(self, leaves: int, rounds: int) -> Any:
        import lightgbm

        options: dict[str, Any] = {
            "learning_rate": self.step,
            "random_state": self.random_state,
            "n_jobs": 1,
            "verbose": -1,
            **self.more,
        }
        return getattr(lightgbm, self.name)(n_estimators=rounds, num_leaves=leaves, **options)

    def _divide(self, y: Any) -> tuple[Any, Any]:
        """Training rows and a validation fifth, in which no class has all its rows."""
        order = np.lexsort((np.random.RandomState(self.random_state).rand(len(y)), y))
        held = order[4::5]
        rest = np.setdiff1d(order, held)
        if self.name == "LGBMClassifier":
            held = held[np.isin(y[held], y[rest])]
        return np.setdiff1d(order, held), held


class BoostedClassifier(BoostedRegressor):
    """LightGBM for classes, passed as codes, because it would take labels of X_val for codes."""

    name = "LGBMClassifier"
    labels: Any

    def fit(self, X: Any, y: Any, X_val: Any = None, y_val: Any = None) -> Self:
        """Boost on codes."""
        self.labels, codes = np.unique(y, return_inverse=True)
        return super().fit(X, codes, X_val, None if X_val is None else np.searchsorted(self.labels, y_val))

    def predict(self, X: Any) -> Any:
        """Labels."""
        return self.labels[self.model.predict(X)]

    @property
    def classes_(self) -> Any:
        """Labels in the order of the probabilities."""
        return self.labels


def _in_numbers(X: Any) -> Any:
    """A data frame with the codes of its categories; an array as it is."""
    if not hasattr(X, "dtypes"):
        return X
    return X.assign(**{name: X[name].cat.codes for name in X.columns if str(X[name].dtype) == "category"})
