"""Standard errors of leaves and curves: those of a mean in a hard tree, with correct coverage in a soft one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor, to_text
from softwood.explain import standard_errors
from softwood.explain.linear_form import LinearForm
from softwood.explain.standard_errors import read_target
from softwood.explain.tree_errors import fit_errors
from softwood.tree.spelling import spell_number


def test_in_a_hard_tree_it_is_the_error_of_a_mean() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300) * (1 + (X[:, 0] > 0))
    model = CARTRegressor(max_leaves=5, min_samples_leaf=5, prune=None).fit(X, y)
    table, leaf = standard_errors(model, X, y), model.apply(X)
    assert table.node.tolist() == np.flatnonzero(model.tree_.n_children == 0).tolist()
    for line in table.itertuples():
        mine = y[leaf == line.node]
        assert line.rows == len(mine)
        assert line.value == pytest.approx(mine.mean())
        assert line.error == pytest.approx(mine.std() / np.sqrt(len(mine)) * np.sqrt(300 / 295))
        assert line.low < line.value < line.high


def test_shares_of_classes_are_binomial() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    y = np.where(rng.random(400) < 0.5 + 0.3 * (X[:, 0] > 0), "yes", "no")
    model = CARTClassifier(max_depth=1, prune=None).fit(X, y)
    table, leaf = standard_errors(model, X, y), model.apply(X)
    for line in table[table.what == "probability of yes"].itertuples():
        p, n = np.mean(y[leaf == line.node] == "yes"), np.sum(leaf == line.node)
        assert line.error == pytest.approx(np.sqrt(p * (1 - p) / n) * np.sqrt(400 / 398))


def test_of_a_single_row_nothing_is_known() -> None:
    X, y = np.arange(5.0)[:, None], np.array([0.0, 0.1, 0.0, 0.1, 9.0])
    table = standard_errors(CARTRegressor(max_depth=1, prune=None).fit(X, y), X, y)
    assert np.isfinite(table.error[0])
    assert table[["error", "low", "high"]].iloc[1].isna().all()


def test_a_row_of_weight_two_is_the_row_twice() -> None:
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(100, 2)), rng.integers(1, 4, 100)
    y = X[:, 0] > rng.normal(size=100)
    model = SoftTreeClassifier(gate="linear", leaf="constant", weight_penalty=0.01).fit(X, y)
    twice = np.repeat(np.arange(100), weight)
    one, other = standard_errors(model, X, y, sample_weight=weight), standard_errors(model, X[twice], y[twice])
    np.testing.assert_allclose(one.error, other.error, rtol=1e-6)


@pytest.mark.parametrize("leaf", ["constant", "linear"])
def test_intervals_about_the_answers_of_a_given_tree_cover(leaf: str) -> None:
    """Targets are drawn around a soft tree's predictions; refitted levels vary as the standard errors state."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-2, 2, (400, 2))
    noise = 0.3 + 0.5 * (X[:, 0] > 0)
    how: dict[str, Any] = {"gate": "linear", "leaf": leaf, "weight_penalty": 0.003, "max_leaves": 3}
    tree = SoftTreeRegressor(**how).fit(X, np.tanh(2 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=400)).tree_
    truth, grid = tree.output(X)[:, 0], rng.uniform(-2, 2, (30, 2))
    form = LinearForm.of(tree, X)
    Z, at = form.columns(X, 0), form.columns(grid, 0)
    inverse, estimates, told = np.linalg.pinv(Z, rcond=1e-10), [], []
    for _ in range(200):
        y = truth + noise * rng.normal(size=400)
        estimates.append(at @ (inverse @ (y - truth)))
        told.append(fit_errors(form, X, y[:, None], np.ones(400), 0).of_sums(at))
    ratio = np.mean(told, axis=0) / np.std(estimates, axis=0)
    assert 0.85 < ratio.mean() < 1.15


def test_wrong_targets_are_refused_in_words() -> None:
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    model = CARTClassifier(prune=None).fit(X, y)
    with pytest.raises(ValueError, match="y has the label 6"):
        standard_errors(model, X, y + 6)
    with pytest.raises(ValueError, match="they must agree"):
        standard_errors(model, X[:5], y)
    with pytest.raises(ValueError, match="y must have 1 targets"):
        read_target(CARTRegressor(prune=None).fit(X, y).tree_, np.zeros((3, 2)))


def test_curves_are_drawn_with_their_errors() -> None:
    """For a step, the mean of either side has the standard error of its leaf."""
    pytest.importorskip("matplotlib").use("agg")
    from softwood import plot_curves

    rng = np.random.default_rng(3)
    X = rng.uniform(size=(200, 1))
    y = (X[:, 0] > 0.5) + rng.normal(size=200)
    model = CARTRegressor(max_depth=1, prune=None, min_samples_leaf=20).fit(X, y)
    (panel,) = plot_curves(model, X, y, errors=True).child_axes
    low, high = (line.get_ydata() for line in panel.lines if line.get_linestyle() == "--")
    table = standard_errors(model, X, y)
    assert {*np.round(low, 9)} == {*np.round(table.low, 9)}
    assert {*np.round(high, 9)} == {*np.round(table.high, 9)}
    with pytest.raises(ValueError, match="errors=True needs y"):
        plot_curves(model, X, errors=True)


def test_slopes_have_the_robust_errors_of_a_regression() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = 3.0 + X @ [2.0, -1.0] + rng.normal(size=400) * (0.5 + np.abs(X[:, 0]))
    model = SoftTreeRegressor(leaf="linear", max_leaves=1, gate="linear", random_state=0).fit(X, y)
    table = standard_errors(model, X, y, by="input").sort_values("input")
    Z = np.column_stack([np.ones(400), X])
    inverse = np.linalg.inv(Z.T @ Z)
    rest = (y - model.predict(X))[:, None] * Z
    wanted = np.sqrt(np.diag(inverse @ (rest.T @ rest) @ inverse) * 400 / 397)[1:]
    assert table["kind"].tolist() == ["slope", "slope"]
    np.testing.assert_allclose(table["error"], wanted, rtol=1e-6)
    np.testing.assert_allclose(table["value"], [2.0, -1.0], atol=0.3)
    with pytest.raises(ValueError, match="by must be 'node', 'input' or 'curve'"):
        standard_errors(model, X, y, by="leaf")


def test_the_size_of_a_curve_has_an_error_and_degrees_of_freedom() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, (500, 1))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=500)
    model = SoftTreeRegressor(max_leaves=1, random_state=0).fit(X, y)
    (line,) = standard_errors(model, X, y, by="input").to_dict("records")
    added = model.tree_.curve(0, 0, 0).centred(X[:, 0])
    assert line["kind"] == "curve"
    assert line["value"] == pytest.approx(added.std(), rel=1e-6)
    assert 0 < line["error"] < 0.1 * line["value"]
    assert 4 < line["degrees"] < 20


def waves(X: Any) -> Any:
    """What each input adds: a wave, a step, a line, nothing."""
    return np.column_stack([np.sin(6 * X[:, 0]), 1.0 * (X[:, 1] > 0.4), 2 * X[:, 2], 0 * X[:, 3]])


@pytest.mark.parametrize("classes", [False, True])
def test_bands_hold_most_of_each_curve(classes: bool) -> None:
    """A band of 95 % is for the mean over all curves: three quarters of a step of two classes of 300 rows are in it."""
    held: list[float] = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.random((300, 4))
        score = waves(X).sum(axis=1)
        y = score + 0.5 * rng.normal(size=300)
        model: Any = SoftTreeRegressor(max_leaves=1, gate="additive", leaf="linear", random_state=0)
        if classes:
            y = rng.random(300) < 1 / (1 + np.exp(-2 * (score - np.median(score))))
            model = SoftTreeClassifier(max_leaves=1, gate="additive", leaf="linear", random_state=0)
        table = standard_errors(model.fit(X, y), X, y, by="curve")
        for f in sorted({int(name[1]) for name in table["input"]}):  # the search may leave out the last one
            mine = table[table["input"] == f"x{f}"].sort_values("x")
            truth = (waves(np.tile(mine["x"].to_numpy()[:, None], 4)) - waves(X).mean(axis=0))[:, f]
            truth = truth * 2 if classes else truth
            held.append(float(np.mean((mine["low"] <= truth) & (truth <= mine["high"]))))
    assert np.mean(held) > 0.85


def test_a_band_has_levels_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(18, 80, 500), rng.integers(0, 3, 500)]).astype(float)
    y = np.sin(X[:, 0] / 10) + (X[:, 1] == 1) + 0.3 * rng.normal(size=500)
    X[rng.random(500) < 0.1, 0] = np.nan
    model = SoftTreeRegressor(max_leaves=1, categorical_features=[1], random_state=0).fit(X, y)
    table = standard_errors(model, X, y, by="curve")
    assert table[table["input"] == "x1"]["x"].tolist() == [0.0, 1.0, 2.0]
    assert table[table["input"] == "x0"]["label"].iloc[-1] == "missing"
    assert table["error"].between(0.0, 0.3, inclusive="neither").all()
    mean = table[table["input"] == "x1"]["value"] @ np.bincount(X[:, 1].astype(int))
    assert mean == pytest.approx(0.0, abs=1e-6)


def test_with_too_many_columns_the_shape_of_a_curve_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, (500, 1))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=500)
    model = SoftTreeRegressor(max_leaves=1, random_state=0).fit(X, y)
    shaped = standard_errors(model, X, y, by="curve")
    monkeypatch.setattr("softwood.explain.linear_form.MAX_COLUMNS", 5)
    given, line = standard_errors(model, X, y, by="curve"), standard_errors(model, X, y, by="input")
    np.testing.assert_allclose(given["error"], given["value"].abs() * line["error"][0] / line["value"][0], atol=1e-12)
    assert line["degrees"].tolist() == [1.0]
    assert given["error"].mean() < shaped["error"].mean()
    of_node = standard_errors(model, X, y)  # a column for the whole sum
    assert of_node["error"][0] == pytest.approx(np.std(y - model.predict(X)) / np.sqrt(500), rel=0.02)


def test_of_a_linear_leaf_it_is_the_mean_that_is_printed() -> None:
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(50, 2, 300), rng.normal(-7, 1, 300)])
    y = 100 + 2 * X[:, 0] + X[:, 1] + rng.normal(size=300)
    model = SoftTreeRegressor(max_leaves=1, leaf="linear", random_state=0).fit(X, y)
    found = standard_errors(model, X, y)
    assert found["value"][0] == pytest.approx(model.predict(X).mean())
    assert found["error"][0] == pytest.approx(np.std(y - model.predict(X)) / np.sqrt(300), rel=0.02)
    assert spell_number(found["value"][0]) in to_text(model)
