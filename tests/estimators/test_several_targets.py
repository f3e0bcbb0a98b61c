"""Several targets: one tree with a vector in every leaf, as in scikit-learn; several binary labels are such targets."""

import numpy as np
import pandas as pd
import pytest
from sklearn.multioutput import MultiOutputClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from softwood import (
    BuddingTreeClassifier,
    BuddingTreeRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeRegressor,
    MixtureOfExpertsRegressor,
    OmnivariateTreeRegressor,
    SoftTreeClassifier,
    SoftTreeRegressor,
)

KINDS = [
    (CARTRegressor, {}),
    (LinearDiscriminantTreeRegressor, {}),
    (OmnivariateTreeRegressor, {}),
    (SoftTreeRegressor, {"effort": "quick"}),
    (BuddingTreeRegressor, {"learner": "online", "max_epochs": 2, "max_nodes": 3}),
    (MixtureOfExpertsRegressor, {"depth": 1, "n_init": 1}),
]


def rows(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n, 4))
    return X, np.column_stack([X[:, 0] > 0.3, X[:, 0] + X[:, 1] > 0, X[:, 2] > 1]).astype(int)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_labels_of_yes_or_no_have_the_tree_of_scikit_learn(depth):
    X, Y = rows()
    ours = CARTRegressor(prune=None, max_depth=depth).fit(X, Y)
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, Y)
    shares = np.stack([share[:, 1] for share in theirs.predict_proba(X)], axis=1)
    np.testing.assert_allclose(ours.predict(X), shares, atol=1e-12)
    assert np.array_equal(ours.predict(X) > 0.5, theirs.predict(X) > 0.5)


def test_numbers_have_the_tree_of_scikit_learn():
    X, _ = rows()
    Y = np.column_stack([X[:, 0] ** 2, X[:, 1] * X[:, 0]])
    ours, theirs = CARTRegressor(prune=None, max_depth=4).fit(X, Y), DecisionTreeRegressor(max_depth=4).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)


@pytest.mark.parametrize(("kind", "how"), KINDS, ids=lambda case: getattr(case, "__name__", ""))
def test_shapes_are_those_of_scikit_learn(kind, how):
    X, Y = rows(150)
    Y = Y + 0.1 * X[:, :3]
    model = kind(**how).fit(X, Y)
    assert model.predict(X[:7]).shape == (7, 3)
    assert model.tree_.n_outputs == 3
    if vars(model).get("_conformal") is not None:
        assert model.predict_interval(X[:7], coverage=0.8).shape == (7, 3, 2)
    with pytest.warns(UserWarning, match="column-vector y"):
        assert kind(**how).fit(X, Y[:, :1]).predict(X[:7]).shape == (7,)


@pytest.mark.parametrize("kind", [CARTClassifier, C45Classifier, SoftTreeClassifier, BuddingTreeClassifier])
@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, np.ndarray.tolist])
def test_a_classifier_says_what_to_do_with_several_columns(kind, make):
    X, Y = rows(60)
    with pytest.raises(ValueError, match=r"shape \(60, 3\) instead.*CARTRegressor.*MultiOutputClassifier"):
        kind().fit(X, make(Y))


@pytest.mark.parametrize("kind", [CARTClassifier, SoftTreeClassifier])
def test_one_classifier_a_column(kind):
    X, Y = rows(150)
    Y[:, 2] += Y[:, 0]  # three classes
    how = {"effort": "quick"} if kind is SoftTreeClassifier else {}
    model = MultiOutputClassifier(kind(**how)).fit(X, Y)
    assert model.predict(X[:7]).shape == (7, 3)
    assert [share.shape for share in model.predict_proba(X[:7])] == [(7, 2), (7, 2), (7, 3)]
    assert np.mean(model.predict(X) == Y) > 0.85
