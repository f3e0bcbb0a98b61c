"""`callback`: every learner that grows in steps passes them, the last is `tree_`; the learned tree does not change."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

import softwood as sw
from softwood.tree import Schema, Tree
from softwood.tree.splits import growth_of, split_order

X, Y = make_moons(80, noise=0.3, random_state=0)
CLASSIFIERS = {
    "cart": sw.CARTClassifier(prune=None),
    "c45": sw.C45Classifier(),
    "discriminant": sw.LinearDiscriminantTreeClassifier(prune=None),
    "omnivariate": sw.OmnivariateTreeClassifier(random_state=0),
    "soft": sw.SoftTreeClassifier(gate="linear", leaf="constant", random_state=0),
    "incremental": sw.SoftTreeClassifier(learner="incremental", max_leaves=3, random_state=0),
    "budding": sw.BuddingTreeClassifier(gate="linear", leaf="constant", random_state=0),
    "online": sw.BuddingTreeClassifier(learner="online", max_epochs=5, random_state=0),
}
REGRESSORS = {
    "cart": sw.CARTRegressor(prune=None, max_leaves=5),
    "discriminant": sw.LinearDiscriminantTreeRegressor(max_depth=3),
    "soft": sw.SoftTreeRegressor(gate="axis", leaf="constant", weight_penalty=0.01, random_state=0),
    "budding": sw.BuddingTreeRegressor(gate="linear", leaf="constant", weight_penalty=0.01, random_state=0),
}


def steps_of(model: Any, X: Any, y: Any) -> tuple[Any, list[Tree]]:
    steps: list[Tree] = []
    return clone(model).fit(X, y, callback=steps.append), steps


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_callback_gets_the_steps_and_changes_nothing(name: str) -> None:
    model, steps = steps_of(CLASSIFIERS[name], X, Y)
    alone = clone(CLASSIFIERS[name]).fit(X, Y)
    assert sw.to_json(model.tree_) == sw.to_json(alone.tree_)
    assert len(steps) > 2
    assert steps[-1] is model.tree_
    assert all(isinstance(step, Tree) and step.schema.answers == model.tree_.schema.answers for step in steps)
    if name != "online":  # its first step is the first epoch
        assert steps[0].n_nodes == 1


@pytest.mark.parametrize("name", REGRESSORS)
def test_steps_answer_in_the_units_of_the_target(name: str) -> None:
    target = 1000.0 + 50.0 * X[:, 0]
    model, steps = steps_of(REGRESSORS[name], X, target)
    assert steps[-1] is model.tree_
    assert np.mean(steps[0].predict(X)) == pytest.approx(target.mean(), abs=25.0)
    assert np.mean((steps[-1].predict(X)[:, 0] - target) ** 2) < 0.5 * np.mean(
        (steps[0].predict(X)[:, 0] - target) ** 2
    )


def test_a_step_of_a_hard_tree_has_one_split_more() -> None:
    _, steps = steps_of(CLASSIFIERS["cart"], X, Y)
    assert [step.n_leaves for step in steps] == list(range(1, len(steps) + 1))
    loss = [np.mean(step.classify(X) != Y) for step in steps]
    assert loss[0] > loss[-1] == 0.0


def test_splits_come_in_order_of_gain() -> None:
    tree = clone(CLASSIFIERS["cart"]).fit(X, Y).tree_
    order = split_order(tree)
    assert sorted(order) == np.flatnonzero(tree.n_children).tolist()
    for at, node in enumerate(order):
        assert node == 0 or tree.parent[node] in order[:at]
        open_then = [m for m in order[at:] if m == 0 or tree.parent[m] in order[:at]]
        assert tree.gain[node] == max(tree.gain[m] for m in open_then)


def test_growth_of_a_leaf_is_the_leaf() -> None:
    leaf = Tree(response=[[0.5]], schema=Schema.plain(1, 1))
    assert [step.n_nodes for step in growth_of(leaf)] == [1]


def test_gates_of_a_soft_tree_move_from_step_to_step() -> None:
    _, steps = steps_of(CLASSIFIERS["soft"], X, Y)
    gates = [tuple(step.weight) for step in steps if step.n_nodes == 3]
    assert len(set(gates)) > 5


def test_leafness_falls_from_where_buds_begin() -> None:
    _, steps = steps_of(CLASSIFIERS["budding"], X, Y)
    leafness = [float(step.leafness[0]) for step in steps if step.n_nodes > 1]
    assert 0.3 in leafness
    assert len({value for value in leafness if 0 < value < 1}) > 3


def test_steps_of_columns_in_another_order_read_the_columns_of_the_user() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"b": X[:, 0], "a": X[:, 1]})
    _, steps = steps_of(CLASSIFIERS["soft"], frame, Y)
    assert all(step.schema.features == ("b", "a") for step in steps)
    late, swapped, last = steps[-2].predict(X), steps[-2].predict(X[:, ::-1]), steps[-1].predict(X)
    assert np.abs(late - last).mean() < 0.3 * np.abs(swapped - last).mean()


def test_the_callback_is_in_no_copy_and_no_file(tmp_path: Any) -> None:
    model, steps = steps_of(CLASSIFIERS["cart"], X, Y)
    n = len(steps)
    sw.save(model, tmp_path / "model.softwood")
    for other in (pickle.loads(pickle.dumps(model)), sw.load(tmp_path / "model.softwood")):
        other.fit(X, Y)
    model.fit(X, Y)
    assert len(steps) == n
    assert "callback" not in model.get_params()


def test_a_callback_that_fails_leaves_the_estimator_as_it_was() -> None:
    model = clone(CLASSIFIERS["cart"])

    def fail(tree: Tree) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        model.fit(X, Y, callback=fail)
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_what_cannot_be_called_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match="callback must be a function that takes a tree, got list"):
        clone(CLASSIFIERS[name]).fit(X, Y, callback=[])


def test_rows_beyond_memory_are_refused() -> None:
    batches = sw.Batches([(X, Y)])
    with pytest.raises(ValueError, match="callback needs rows in memory, got engine='batches'"):
        sw.CARTClassifier().fit(batches, callback=print)


@pytest.mark.parametrize(
    "model",
    [sw.MixtureOfExpertsClassifier(), sw.SoftenedTreeClassifier(), sw.SoftenedClassifier(sw.CARTClassifier())],
    ids=lambda model: type(model).__name__,
)
def test_learners_without_steps_refuse_in_words(model: Any) -> None:
    with pytest.raises(TypeError, match=f"{type(model).__name__}.fit does not support callback"):
        model.fit(X, Y, callback=print)


def test_partial_fit_says_where_its_steps_are() -> None:
    with pytest.raises(TypeError, match="For partial_fit, keep tree_ after each call"):
        sw.BuddingTreeClassifier().partial_fit(X, Y, classes=[0, 1], callback=print)
