"""Forests of soft trees: the mean of a few soft trees as one tree, measured by rows out of bag."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

import softwood.learners.soft.forest.learn as forest_learn
from softwood import SoftForestClassifier, SoftForestRegressor, SoftTreeRegressor, load, save, summary, to_text
from softwood.kernels.kinds import Loss, class_loss
from softwood.learners.soft.forest.bags import bag_of, left_out
from softwood.learners.soft.forest.children import ForestGrower
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree.monotone import certify
from softwood.tree.subtree import split_trees

QUICK = {"gate": "linear", "leaf": "constant", "weight_penalty": 0.003, "max_leaves": 3}
QUICK |= {"n_trees": 4, "random_state": 0}


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X[:200], y[:200]


@pytest.fixture(scope="module")
def forest(numbers):
    return SoftForestRegressor(**QUICK).fit(*numbers)


def rows_of(n, n_classes=0):
    X = np.arange(n, dtype=float)[:, None]
    target = X % 2 if n_classes else X
    loss = class_loss(2) if n_classes else Loss.SQUARED
    return Dataset(X, target, np.ones(n), [0], loss)


@pytest.mark.parametrize("n_trees", [1, 2, 3, 4, 5, 8, 11])
def test_every_row_is_left_out_of_as_many_trees(n_trees):
    rows = rows_of(1000, 2)
    out = np.array([left_out(rows, t, n_trees) for t in range(n_trees)])
    share = out.mean(axis=1)
    assert np.all(np.abs(share - 0.25) <= 0.051)  # a quarter of the parts, of which there is a whole number
    if n_trees >= 4:
        assert len(np.unique(out.sum(axis=0))) == 1


def test_bags_have_both_classes_in_proportion_and_groups_whole():
    rows = rows_of(80, 2)
    bag, rest = bag_of(rows, left_out(rows, 3, 8))
    assert bag.target.mean() == rest.target.mean() == 0.5
    grouped = Dataset(rows.X, rows.target, rows.weight, [0], rows.loss, group=np.arange(80) // 10)
    out = left_out(grouped, 1, 4)
    assert all(len(np.unique(out[grouped.group == g])) == 1 for g in range(8))


def test_no_tree_is_left_without_rows():
    assert not left_out(rows_of(1), 0, 8).any()


def test_the_forest_is_the_mean_of_its_trees(forest, numbers):
    parts = split_trees(forest.tree_)
    assert forest.n_trees_ == len(parts) == 4
    assert [weight for _, weight in parts] == pytest.approx([0.25] * 4)
    each = np.mean([tree.predict(numbers[0])[:, 0] for tree, _ in parts], axis=0)
    assert forest.predict(numbers[0]) == pytest.approx(each)
    spread = np.std([tree.predict(numbers[0])[:, 0] for tree, _ in parts], axis=0)
    assert forest.predict_spread(numbers[0]) == pytest.approx(spread)
    assert spread.max() > 0


def test_threads_and_the_order_of_rows_change_nothing(forest, numbers):
    order = np.random.default_rng(0).permutation(len(numbers[1]))
    again = clone(forest).set_params(n_jobs=2).fit(numbers[0][order], numbers[1][order])
    assert np.array_equal(again.predict(numbers[0]), forest.predict(numbers[0]))
    assert np.array_equal(again.oob_curve_, forest.oob_curve_)


def test_a_row_of_weight_two_is_the_row_twice(numbers):
    X, y = numbers[0][:120], numbers[1][:120]
    weight = np.ones(len(y))
    weight[::3] = 2
    weighted = SoftForestRegressor(**QUICK).fit(X, y, sample_weight=weight)
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    assert np.array_equal(weighted.predict(X), SoftForestRegressor(**QUICK).fit(X[twice], y[twice]).predict(X))


def test_out_of_bag_measures_new_rows():
    numbers = np.random.default_rng(3)
    X = numbers.normal(size=(900, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + numbers.normal(size=900) * 0.3
    model = SoftForestRegressor(n_trees=4, random_state=0, effort="quick").fit(X[:400], y[:400])
    fresh = model.score(X[400:], y[400:])
    assert model.oob_score_ == pytest.approx(fresh, abs=0.06)
    assert np.all(np.diff(model.oob_curve_) <= 1e-12)  # a mean of more trees never loses more
    low, high = model.predict_interval(X[400:], 0.8).T
    assert 0.74 < np.mean((low <= y[400:]) & (y[400:] <= high)) < 0.9


def test_prune_to_keeps_the_best_trees(forest, numbers):
    two = forest.prune_to(2)
    kept = np.sort(np.argsort(forest._loss_by_tree)[:2])
    parts = [split_trees(forest.tree_)[at][0] for at in kept]
    mean = np.mean([tree.predict(numbers[0])[:, 0] for tree in parts], axis=0)
    assert two.predict(numbers[0]) == pytest.approx(mean)
    assert two.n_trees_ == len(two.oob_curve_) == 2
    assert forest.n_trees_ == 4
    assert two.prune_to(1).n_trees_ == 1
    with pytest.raises(ValueError, match="from 1 to 4"):
        forest.prune_to(5)


def test_distil_follows_the_forest(forest, numbers):
    one = forest.distil(numbers[0], n_made=50)
    assert isinstance(one, SoftTreeRegressor)
    assert one.tree_.n_leaves <= 3
    answer = forest.predict(numbers[0])
    assert np.mean(np.square(one.predict(numbers[0]) - answer)) < 0.1 * answer.var()


def test_distil_takes_data_frames_and_classes():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame["e"] = pandas.Categorical(np.where(X[:, 0] > 6, "far", "near"))
    model = SoftForestClassifier(**QUICK).fit(frame, y)
    one = model.distil(frame, n_made=30)
    assert np.mean(one.predict(frame) == model.predict(frame)) > 0.95


def test_classes_missing_values_and_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[::7, 1] = np.nan
    model = SoftForestClassifier(**QUICK).fit(X, np.array(list("abc"))[y])
    assert model.oob_score_ > 0.9
    assert model.predict_spread(X).shape == (150, 3)
    assert model.predict_set(X).any(axis=1).all()
    save(model, tmp_path / "forest.softwood")
    again = load(tmp_path / "forest.softwood")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.oob_score_ == model.oob_score_
    assert again.prune_to(2).n_trees_ == 2


def test_probabilities_are_averaged_if_asked(numbers):
    X, y = numbers[0], numbers[1] > 150
    model = SoftForestClassifier(**QUICK, mix="probability").fit(X, y)
    mean = np.mean([tree.predict(X) for tree, _ in split_trees(model.tree_)], axis=0)
    assert model.predict_proba(X) == pytest.approx(mean)


def test_an_interrupt_leaves_the_trees_so_far(monkeypatch, numbers):
    begin = ForestGrower.begin

    def interrupted(self, number):
        if number == 2:
            raise KeyboardInterrupt
        return begin(self, number)

    monkeypatch.setattr(ForestGrower, "begin", interrupted)
    with pytest.raises(KeyboardInterrupt):
        SoftForestRegressor(**QUICK).fit(*numbers)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = SoftForestRegressor(**QUICK, keep_on_interrupt=True).fit(*numbers)
    assert model.n_trees_ == 2


def test_the_search_runs_once(monkeypatch, numbers):
    calls = []
    learn = forest_learn.learn_joint_from
    monkeypatch.setattr(forest_learn, "learn_joint_from", lambda *args: calls.append(1) or learn(*args))
    SoftForestRegressor(**QUICK).fit(*numbers)
    assert calls == [1]


def test_bad_parameters_are_refused(numbers):
    with pytest.raises(ValueError, match="n_trees must be an integer >= 1"):
        SoftForestRegressor(n_trees=0).fit(*numbers)
    with pytest.raises(TypeError, match="needs rows in memory"):
        SoftForestRegressor().fit("rows.parquet", "y")


def test_one_class_is_one_leaf():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SoftForestClassifier().fit(np.zeros((4, 1)), np.zeros(4))
    assert model.tree_.n_nodes == 1
    assert np.isnan(model.oob_score_)


@pytest.mark.parametrize("n_rows", [3, 8])
def test_few_rows_have_files_and_importances(n_rows, tmp_path):
    X = np.random.default_rng(0).normal(size=(n_rows, 2))
    model = SoftForestRegressor(n_trees=5).fit(X, X[:, 0])
    save(model, tmp_path / "few.softwood")
    again = load(tmp_path / "few.softwood")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.oob_curve_, model.oob_curve_, equal_nan=True)
    assert again.feature_importances_.sum() in (0.0, pytest.approx(1.0))


def test_trees_count_all_rows(forest, numbers):
    """Also those that a tree did not learn from, so that every child has the rows of the root."""
    count = forest.tree_.count
    assert count[:5] == pytest.approx([len(numbers[1])] * 5)
    assert "learned from 200 rows" in summary(forest)
    lines = [line.split() for line in to_text(forest).splitlines() if "tree " in line]
    assert [line[-3:-1] for line in lines] == [["200.0", "100.0%"]] * 4


def test_the_held_out_error_is_that_of_rows_out_of_bag(forest, numbers):
    X, y = numbers
    told, origin = forest.held_out_, forest.tree_.provenance.held_out
    assert told["by"] == origin.method.replace("rows", "on rows") == "on rows out of bag"
    assert told["value"] == pytest.approx(1 - 2 * forest.oob_curve_[-1]) == pytest.approx(1 - origin.value)
    assert told["value"] == pytest.approx(forest.oob_score_)  # of 4 trees one has not seen a row
    assert told["value"] < forest.score(X, y)
    two = forest.prune_to(2)
    assert two.held_out_ is None
    assert two.tree_.provenance.held_out is None
    assert np.isnan(two.oob_score_)
    classes = SoftForestClassifier(**QUICK).fit(X, y > 150)
    assert classes.held_out_ == {"measure": "log loss", "value": classes._held_out_loss, "by": "on rows out of bag"}
    assert classes.held_out_["value"] < np.log(2)


def test_sparse_rows_give_the_forest_of_dense_ones(numbers):
    X = np.where(numbers[0] > 0.03, numbers[0], 0.0)
    dense = SoftForestRegressor(**QUICK).fit(X, numbers[1])
    stored = SoftForestRegressor(**QUICK).fit(csr_array(X), numbers[1])
    assert stored.n_trees_ == 4
    assert stored.predict(csr_array(X)) == pytest.approx(dense.predict(X), rel=1e-6)
    assert stored.oob_score_ == pytest.approx(dense.oob_score_)
    assert stored.tree_.count[:5] == pytest.approx([200] * 5)


def test_every_tree_of_a_monotone_forest_is_monotone(numbers):
    signs = [0, 0, 1] + [0] * 7
    model = SoftForestRegressor(**QUICK, monotonic_cst=signs).fit(*numbers)
    assert model.monotonic_certificate_.holds
    assert all(certify(tree, signs).holds for tree, _ in split_trees(model.tree_))
    free = SoftForestRegressor(**{**QUICK, "gate": "axis", "monotonic_cst": [-1] * 10}).fit(*numbers)
    assert free.monotonic_certificate_.holds
    assert np.all(np.diff(free.predict(np.repeat(numbers[0][:1], 50, 0) + np.linspace(-0.2, 0.2, 50)[:, None])) <= 0)


def test_no_group_is_in_and_out_of_a_bag(monkeypatch, numbers):
    groups, seen = np.arange(200) // 5, []
    begin = ForestGrower.begin

    def watched(self, number):
        child = begin(self, number)
        seen.append((self.rows.sample.group, child.row))
        return child

    monkeypatch.setattr(ForestGrower, "begin", watched)
    model = SoftForestRegressor(**QUICK).fit(*numbers, groups=groups)
    assert model.n_trees_ == len(seen) == 4
    for group, row in seen:
        assert 0 < len(row) < 200
        assert not set(group[row]) & set(np.delete(group, row))


@pytest.mark.long
def test_a_large_table_counts_and_refines_on_all_rows():
    rng = np.random.default_rng(0)
    X = rng.random((24_000, 3))
    y = np.sin(6 * X[:, 0]) + (X[:, 1] > 0.5) * X[:, 2] + 0.1 * rng.normal(size=len(X))
    model = SoftForestRegressor(n_trees=2, gate="linear", leaf="constant", max_leaves=4, effort="quick").fit(X, y)
    again = clone(model).set_params(n_jobs=2).fit(X, y)
    assert model.tree_.count[:3] == pytest.approx([24_000] * 3)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert model.oob_score_ > 0.7
    assert model.score(X, y) == pytest.approx(model.oob_score_, abs=0.1)
