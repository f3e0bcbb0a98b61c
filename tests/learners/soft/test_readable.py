"""Readable trees: plain if that costs at most one standard error, else the best tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.learners.soft import readable
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.readable import is_good_enough, plain_kinds, why_not_readable
from softwood.learners.soft.search.selection import Candidate
from softwood.tree import Tree


def most_inputs(tree: Tree) -> int:
    return max(len({one.feature for one in tree.gate(int(m)).terms}) for m in np.flatnonzero(tree.n_children))


def candidate(row_loss: np.ndarray) -> Candidate:
    root = SoftTreeParams.root(np.zeros(1), 0, "none")
    return replace(Candidate.nothing(), penalty=1.0, tree=[root], row_loss=row_loss, weight=np.ones(len(row_loss)))


def test_a_formula_gives_way_to_a_tree_of_few_inputs() -> None:
    X, y = load_iris(return_X_y=True)
    best, plain = SoftTreeClassifier().fit(X, y), SoftTreeClassifier(readable=True).fit(X, y)
    assert most_inputs(best.tree_) > 3
    assert np.all(plain.tree_.slope_row == -1)
    assert most_inputs(plain.tree_) <= 3
    assert plain.tree_.n_leaves <= 8
    assert plain.score(X, y) > 0.95


def test_where_a_plain_tree_is_clearly_worse_the_best_one_stays() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    y = X @ np.arange(1.0, 9.0)
    best, asked = SoftTreeRegressor().fit(X, y), SoftTreeRegressor(readable=True).fit(X, y)
    np.testing.assert_array_equal(best.predict(X), asked.predict(X))
    assert len(asked.history_) > len(best.history_)  # plain trees were tried


@pytest.mark.parametrize(("worse", "good"), [(-1.0, True), (0.9, True), (1.1, False)])
def test_good_enough_is_within_one_standard_error_of_the_best(worse: float, good: bool) -> None:
    best = np.random.default_rng(0).normal(1.0, 0.5, 200)
    error = best.std() / np.sqrt(200)
    assert is_good_enough(candidate(best + worse * error), candidate(best)) == good


def test_what_the_caller_has_chosen_stays() -> None:
    kinds = list(plain_kinds(JointOptions(gate="additive", leaf="linear", max_gate_features=2, max_leaves=4)))
    assert [(k.gate, k.leaf, k.max_gate_features, k.max_leaves) for k in kinds] == [("additive", "linear", 2, 4)]


@pytest.mark.parametrize("options", [{"readable": "yes"}, {"readable": True, "learner": "incremental"}])
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError), match="readable"):
        SoftTreeRegressor(**options).fit([[0.0], [1.0]], [0.0, 1.0])


def test_a_tree_that_is_not_readable_says_why() -> None:
    X, y = load_iris(return_X_y=True)
    wide = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=3, random_state=0).fit(X, y).tree_
    text = why_not_readable(wide, max_gate_features=2)
    assert "at most 8 leaves and 2 inputs per gate" in text
    assert f"{wide.n_leaves} leaves and gates of up to {most_inputs(wide)} inputs" in text
    assert why_not_readable(wide, max_gate_features=most_inputs(wide)) == ""


@pytest.mark.slow
def test_readable_warns_where_it_cannot_keep_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(readable, "is_good_enough", lambda plain, best: False)
    monkeypatch.setattr(readable, "READABLE_MAX_GATE_FEATURES", 2)
    model = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=3, readable=True, random_state=0)
    with pytest.warns(UserWarning, match="readable=True found no tree of at most 8 leaves and 2 inputs per gate"):
        model.fit(X, y)
    assert any("readable=True found no tree" in change for change in model.tree_.provenance.changes)
