"""C45Classifier: scikit-learn's checks and the public API."""

from __future__ import annotations

import inspect
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError

import softwood
from softwood import C45Classifier, to_text
from softwood.kernels.kinds import Missing
from tests.estimators.sklearn_checks import parametrize_with_checks


@parametrize_with_checks(
    [
        C45Classifier(soft_thresholds=True, rules=True),
        C45Classifier(),
        C45Classifier(confidence=None, min_cases=1, thresholds="middle", subsets=True),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_every_parameter_is_documented() -> None:
    docs = Path(__file__).parents[2] / "docs"
    for name, page in (("C45Classifier", "c45"), ("SoftenedTreeClassifier", "softening"), ("soften", "softening")):
        text = (docs / f"{page}.md").read_text(encoding="utf-8")
        given = [p for p in inspect.signature(getattr(softwood, name)).parameters if p not in ("model", "X", "y")]
        assert [p for p in given if f"`{p}`" not in text] == []


def cancer() -> tuple[Any, Any]:
    return load_breast_cancer(return_X_y=True)


def test_a_smaller_confidence_prunes_more() -> None:
    leaves = [C45Classifier(confidence=c).fit(*cancer()).get_n_leaves() for c in (None, 0.5, 0.25, 0.01)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] < leaves[0]


def test_subtree_raising_changes_the_tree_and_keeps_all_rows() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 1.0, 400)) > 0
    plain, raised = (C45Classifier(subtree_raising=r).fit(X, y).tree_ for r in (False, True))
    assert plain != raised
    for tree in (plain, raised):
        assert tree.count[tree.n_children == 0].sum() == pytest.approx(400)
        np.testing.assert_allclose(tree.count, tree.reach(X).sum(axis=0))


def test_missing_values_are_divided() -> None:
    X, y = cancer()
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = C45Classifier().fit(X, y)
    tree = model.tree_
    assert (tree.missing[tree.n_children > 0] == Missing.FRACTION).all()
    np.testing.assert_allclose(tree.count, tree.reach(X).sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, y) > 0.9


def test_threads_and_pickle_change_nothing() -> None:
    X, y = cancer()
    one, five = (C45Classifier(n_jobs=n).fit(X, y) for n in (1, 5))
    assert one.tree_ == five.tree_
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).predict(X), one.predict(X))


def test_an_unseen_category_counts_as_missing() -> None:
    model = C45Classifier(categorical_features=[0]).fit([["a"], ["a"], ["b"], ["b"]] * 3, [0, 0, 1, 1] * 3)
    np.testing.assert_allclose(model.predict_proba([["c"]]), [[0.5, 0.5]])
    assert "x0 = a" in to_text(model)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 0.9}, "confidence must be None or a number > 0 and <= 0.5, got 0.9"),
        ({"confidence": 0}, "confidence must be None or a number > 0"),
        ({"min_cases": -1}, "min_cases must be a number >= 0, got -1"),
        ({"thresholds": "mid"}, "thresholds must be one of 'value', 'middle', got 'mid'"),
        ({"subsets": 1}, "subsets must be True or False, got 1"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        C45Classifier(**options).fit([[0.0], [1.0]], [0, 1])


def test_predict_before_fit_is_refused() -> None:
    with pytest.raises(NotFittedError):
        C45Classifier().predict([[0.0]])


def test_a_threshold_at_zero_has_no_sign() -> None:
    """-0.0 and 0.0 are one value: a tree must always print the same one."""
    X = np.repeat([-1.0, -0.0, 0.0, 1.0], 30)[:, None]
    y = (X[:, 0] > 0).astype(int)
    for _ in range(30):
        threshold = C45Classifier().fit(X, y).tree_.threshold[0]
        assert threshold == 0
        assert not np.signbit(threshold)


def test_memory_grows_with_the_levels_not_with_levels_times_rows() -> None:
    """A branch for every level: each child keeps its own rows, and nothing keeps all of them for each."""
    rng, levels = np.random.default_rng(0), 4000
    code = np.repeat(np.arange(levels), 3)
    y = rng.integers(0, 2, levels)[code]
    X = pd.DataFrame({"level": pd.Categorical(code)})
    tracemalloc.start()
    model = C45Classifier().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.tree_.n_nodes > levels // 2
    assert peak < 100e6  # levels times rows are 380 million bytes
