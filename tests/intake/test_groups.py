"""`groups=`: no group is in two folds, for any learner with folds."""

import itertools

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, StratifiedGroupKFold, cross_validate

import softwood
from softwood import (
    BuddingTreeClassifier,
    BuddingTreeRegressor,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeClassifier,
    LinearDiscriminantTreeRegressor,
    OmnivariateTreeClassifier,
    OmnivariateTreeRegressor,
    SoftenedTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
)
from softwood.kernels.kinds import Loss, LossKind
from softwood.learners.soft.rows.dataset import Dataset
from softwood.parts.groups import GroupFolds, deal_groups

BRIEF = {"gate": "linear", "leaf": "constant", "weight_penalty": 0.01, "max_leaves": 3}
CASES = [
    (CARTClassifier, {}),
    (CARTRegressor, {}),
    (LinearDiscriminantTreeClassifier, {}),
    (LinearDiscriminantTreeRegressor, {}),
    (OmnivariateTreeClassifier, {}),
    (OmnivariateTreeClassifier, {"prune": "cv", "cv": 3, "select": "validation"}),
    (OmnivariateTreeRegressor, {}),
    (OmnivariateTreeClassifier, {"soft": True}),
    (SoftTreeClassifier, BRIEF),
    (SoftTreeRegressor, BRIEF),
    (SoftTreeClassifier, {"learner": "incremental"}),
    (SoftenedTreeClassifier, {"n_successes": 1, "patience": 1}),
    (BuddingTreeClassifier, {"gate": "linear", "leaf": "constant", "max_nodes": 3}),
    (BuddingTreeRegressor, {"learner": "online", "max_epochs": 2, "max_nodes": 3}),
]


def patients(n: int = 40, visits: int = 5, seed: int = 0):
    """Rows of a patient are nearly equal, as are their targets, which inputs partly explain."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n), visits)
    X = rng.normal(size=(n, 3))[group] + 0.01 * rng.normal(size=(n * visits, 3))
    own = rng.normal(size=n)[group]
    return X, X[:, 0] + own, group


def data_for(kind, **size):
    X, y, group = patients(**size)
    return X, ((y > 0).astype(int) if kind.__name__.endswith("Classifier") else y), group


# -- dealing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_no_group_is_in_two_folds_and_folds_are_alike(seed):
    rng = np.random.default_rng(seed)
    n, n_groups, n_folds = 400, int(rng.integers(2, 80)), int(rng.integers(2, 11))
    group, code = rng.integers(0, n_groups, n) * 7 - 3, rng.integers(0, 3, n)
    weight = rng.integers(0, 3, n).astype(float)
    fold = deal_groups(group, code, weight, n_folds, seed)
    there = weight > 0
    assert np.all((fold >= 0) == there)
    for one in np.unique(group[there]):
        assert len(np.unique(fold[there & (group == one)])) == 1
    found = len(np.unique(group[there]))
    assert fold.max() + 1 == min(n_folds, found)
    size = np.bincount(fold[there], weight[there])
    largest = np.bincount(np.unique(group, return_inverse=True)[1], weight).max()
    assert size.max() - size.min() <= max(2 * largest, 0.35 * weight.sum())


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(0)
    group, code, weight = rng.integers(0, 30, 200), rng.integers(0, 2, 200), rng.random(200)
    mixed = rng.permutation(200)
    fold = deal_groups(group, code, weight, 5, 3)
    assert np.array_equal(deal_groups(group[mixed], code[mixed], weight[mixed], 5, 3), fold[mixed])
    one, other = (deal_groups(np.arange(200), code, np.ones(200), 5, seed) for seed in (4, 5))
    assert not np.array_equal(one, other)


def test_classes_are_spread():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(100), 4)
    code = (rng.random(100) < 0.2).astype(int)[group]
    fold = deal_groups(group, code, np.ones(400), 5)
    share = [code[fold == at].mean() for at in range(5)]
    assert max(share) - min(share) < 0.06


def test_folds_are_weights():
    folds = GroupFolds(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]))
    assert [(learn.tolist(), test.tolist()) for learn, test in folds] == [
        ([0, 2, 0], [1, 0, 3]),
        ([1, 0, 3], [0, 2, 0]),
    ]


@pytest.mark.parametrize("n", [200, 4_000, 7_000])
def test_parts_of_a_dataset_divide_no_group(n):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (n, 2)).astype(float)  # many equal rows, of several groups
    group = rng.integers(0, 50, n)
    rows = Dataset(X, rng.integers(0, 2, (n, 1)).astype(float), np.ones(n), [0, 0], Loss.LOGISTIC, group=group)
    rows = rows.in_order(0)
    held = rows.held_out()
    assert len(held) >= 1
    for out in held:
        assert 0 < out.sum() < rows.total_weight
        assert not set(rows.part(out).group) & set(rows.part(rows.weight - out).group)
    learn, valid = rows.parted()
    assert not set(learn.group) & set(valid.group)


@pytest.mark.parametrize("loss", [Loss(LossKind.HUBER, 1.0), Loss.ABSOLUTE, Loss.POISSON, Loss.GAMMA])
def test_groups_of_numbers_are_dealt_by_their_weight_alone(loss):
    """Targets were taken for class codes: negative ones and far ones failed, counts changed the folds."""
    rng = np.random.default_rng(0)
    X, group = rng.normal(size=(200, 2)), rng.integers(0, 30, 200)
    y = np.exp(2 * X[:, :1]) if loss in (Loss.POISSON, Loss.GAMMA) else 10 * X[:, :1]
    one, other = (Dataset(X, y, np.ones(200), [0, 0], each, group=group).in_order(0) for each in (loss, Loss.SQUARED))
    assert np.array_equal(one.held_out(), other.held_out())


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("kind", [SoftTreeRegressor, BuddingTreeRegressor])
def test_groups_beside_negative_targets(kind, loss):
    """They were class codes below 0: "'list' argument must have no negative elements"."""
    X, y, group = patients(12)
    y[group == 0] -= 5
    model = kind(loss=loss, gate="linear", leaf="constant", weight_penalty=0.01).fit(X, y, groups=group)
    assert np.median(np.abs(model.predict(X) - y)) < 3


# -- estimators --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "how"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_every_learner_holds_groups_together(kind, how, monkeypatch):
    """Every split is made by groups: rows are never dealt by content."""
    X, y, group = data_for(kind)
    dealt = []

    def watched(group, code, weight, n_folds, seed=0):
        fold = deal_groups(group, code, weight, n_folds, seed)
        dealt.append((group, fold))
        return fold

    def refused(*args, **more):
        raise AssertionError("rows were dealt one by one")

    for room in ("hard.prune", "soft.rows.dataset", "oblique.gate_selection"):
        monkeypatch.setattr(f"softwood.learners.{room}.deal_groups", watched)
    monkeypatch.setattr("softwood.learners.hard.prune.deal_rows", refused)
    monkeypatch.setattr("softwood.learners.soft.rows.dataset.deal", refused)
    kind(**how).fit(X, y, groups=group)
    assert dealt
    for groups, fold in dealt:
        for one, other in itertools.combinations(np.unique(fold), 2):
            assert not set(groups[fold == one]) & set(groups[fold == other])


@pytest.mark.parametrize("kind", [CARTRegressor, SoftTreeRegressor])
def test_groups_keep_trees_honest(kind):
    how = {"gate": "axis", "leaf": "constant"} if kind is SoftTreeRegressor else {}
    X, y, group = patients(60)
    new, truth, _ = patients(400, 1, seed=9)
    alone, together = kind(**how).fit(X, y), kind(**how).fit(X, y, groups=group)
    assert together.get_n_leaves() <= alone.get_n_leaves()
    if kind is CARTRegressor:
        assert together.get_n_leaves() < 0.5 * alone.get_n_leaves()
        assert np.mean((together.predict(new) - truth) ** 2) < np.mean((alone.predict(new) - truth) ** 2)
        inside = [
            np.mean((truth >= ends[:, 0]) & (truth <= ends[:, 1]))
            for ends in (model.predict_interval(new) for model in (alone, together))
        ]
        assert inside[1] > max(inside[0] + 0.1, 0.8)


@pytest.mark.parametrize("kind", [CARTClassifier, LinearDiscriminantTreeClassifier, SoftTreeClassifier])
def test_order_weights_and_names_of_groups_do_not_matter(kind):
    X, y, group = data_for(kind, n=20, visits=4)
    how = BRIEF if kind is SoftTreeClassifier else {}
    plain = kind(**how).fit(X, y, groups=group)
    mixed = np.random.default_rng(1).permutation(len(y))
    named = [f"patient {one:03d}" for one in group[mixed]]
    assert np.array_equal(plain.predict_proba(X), kind(**how).fit(X[mixed], y[mixed], groups=named).predict_proba(X))
    twice = kind(**how).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2), groups=np.repeat(group, 2))
    weighted = kind(**how).fit(X, y, sample_weight=np.full(len(y), 2.0), groups=group)
    assert np.array_equal(twice.predict_proba(X), weighted.predict_proba(X))


# -- cv objects --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cv", [GroupKFold(4), StratifiedGroupKFold(3), LeaveOneGroupOut()])
def test_splitters_get_the_groups(cv, tmp_path):
    X, y, group = data_for(CARTClassifier, n=12)
    model = CARTClassifier(cv=cv).fit(X, y, groups=group)
    by_pairs = CARTClassifier(cv=list(cv.split(X, y, group))).fit(X, y)
    assert np.array_equal(model.predict_proba(X), by_pairs.predict_proba(X))
    softwood.save(model, tmp_path / "m.softwood")
    assert repr(softwood.load(tmp_path / "m.softwood").cv) == repr(cv)


@pytest.mark.parametrize("kind", [CARTClassifier, LinearDiscriminantTreeRegressor, OmnivariateTreeClassifier])
def test_pairs_may_come_from_a_generator(kind):
    X, y, _ = data_for(kind)
    given = kind(cv=KFold(4), prune="cv").fit(X, y)
    made = kind(cv=(pair for pair in KFold(4).split(X)), prune="cv").fit(X, y)
    assert np.array_equal(given.predict(X), made.predict(X))


def test_folds_that_divide_a_group_are_refused():
    X, y, group = data_for(CARTClassifier)
    with pytest.raises(ValueError, match="GroupKFold"), pytest.warns(UserWarning, match="ignored"):
        CARTClassifier(cv=KFold(5, shuffle=True, random_state=0)).fit(X, y, groups=group)


def test_metadata_routing_brings_groups():
    X, y, group = patients()
    with sklearn.config_context(enable_metadata_routing=True):
        model = CARTRegressor().set_fit_request(groups=True)
        found = cross_validate(model, X, y, cv=GroupKFold(4), params={"groups": group}, return_estimator=True)
    train, _ = next(iter(GroupKFold(4).split(X, y, group)))
    same = CARTRegressor().fit(X[train], y[train], groups=group[train])
    assert np.array_equal(found["estimator"][0].predict(X), same.predict(X))


# -- errors ------------------------------------------------------------------------------------------------------------


def test_bad_groups_are_refused_in_words():
    X, y, group = patients(10)
    with pytest.raises(ValueError, match="at least two groups"):
        CARTRegressor().fit(X, y, groups=np.zeros(len(y)))
    with pytest.raises(ValueError, match="groups"):
        CARTRegressor().fit(X, y, groups=np.where(group == 0, np.nan, group))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        CARTRegressor().fit(X, y, groups=group[1:])
    with pytest.raises(ValueError, match="rows in memory"):
        CARTRegressor(engine="batches", missing="direction").fit(X, y, groups=group)


def test_spreads_without_a_group_are_those_of_a_regression_without_it():
    from softwood.learners.conformal.spread import Ridge, members_of

    rng = np.random.default_rng(0)
    phi, target, weight = rng.normal(size=(60, 4)), rng.random(60), rng.integers(1, 4, 60).astype(float)
    phi -= weight @ phi / weight.sum()
    group = np.concatenate([np.repeat(np.arange(10), 3), np.repeat(np.arange(10, 13), 10)])
    ridge = Ridge.of(phi, target, weight)
    found = Ridge(**{**vars(ridge), "members": members_of(group)}).without(2.0)
    for one in np.unique(group):
        rest = group != one
        full = np.column_stack([np.ones(60), phi])
        penalty = np.diag([0.0, 2.0, 2.0, 2.0, 2.0])
        normal = full[rest].T @ (weight[rest, None] * full[rest]) + penalty
        answer = full @ np.linalg.solve(normal, full[rest].T @ (weight[rest] * target[rest]))
        assert np.allclose(found[~rest], answer[~rest])
    alone = Ridge(**{**vars(ridge), "members": members_of(np.arange(60))}).without(2.0)
    assert np.allclose(alone, ridge.without(2.0))
