"""The pruning sequence of a tree, and the predictions of each of its trees for held-out rows."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import CARTClassifier
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.sequence import PathAnswers, PruningSequence
from softwood.tree import cut_tree


@pytest.mark.parametrize("missing", ["surrogate", "fraction"])
def test_rows_are_answered_by_the_tree_of_each_alpha(missing: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=400) > 1).astype(np.int32) + (X[:, 2] > 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    tree = CARTClassifier(prune=None, missing=missing).fit(X[:300], y[:300]).tree_
    problem = Problem(X, np.zeros(4, np.int32), y.astype(np.int32), np.ones(400), Criterion.GINI, 3)
    sequence = PruningSequence.of(tree, problem)
    told = PathAnswers.of(sequence, problem.some(np.arange(300, 400), np.ones(100)), tree.response)
    sizes = set()
    for alpha in (0.0, *sequence.between()):
        cut = cut_tree(tree, sequence.is_leaf(alpha))
        sizes.add(cut.n_leaves)
        np.testing.assert_allclose(told.at(alpha).answer, cut.predict(X[300:]), rtol=0, atol=1e-15)
    assert len(sizes) > 5
