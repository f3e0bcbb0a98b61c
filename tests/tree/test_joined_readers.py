"""Every reader of a tree reads a mean of trees, or refuses it in words before any work."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import softwood as sw
from softwood.explain import counterfactual, curves, importance, standard_errors
from softwood.formats import to_sklearn
from softwood.formats.overview import used_inputs
from softwood.tree import join_trees, split_trees
from softwood.tree.gain import gain_importances
from softwood.tree.harden import harden
from softwood.tree.monotone import certify
from softwood.tree.wording import Wording

from ..strategies import random_joined

N_ROWS = 90
WEIGHTS = [3.0, 1.0]


def make_rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=N_ROWS), "size": rng.normal(size=N_ROWS)})
    table["town"] = pd.Categorical(rng.choice(["Oslo", "Rome", "Kyiv"], N_ROWS))
    table.loc[::9, "age"], table.loc[::13, "town"] = np.nan, None
    return table


def numbers() -> np.ndarray:
    X = make_rows()
    return np.asarray(X["size"] + np.where(X["town"] == "Rome", 2.0, 0.5 * X["age"].fillna(0.0)))


def classes() -> np.ndarray:
    return np.where(numbers() > 0.4, "yes", "no")


FAMILIES: dict[str, tuple[Callable[[], Any], Callable[[], np.ndarray]]] = {
    "cart": (lambda: sw.CARTClassifier(max_depth=2, prune=None), classes),
    "cart numbers": (lambda: sw.CARTRegressor(max_depth=2, prune=None), numbers),
    "soft": (lambda: sw.SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=2, random_state=0), classes),
    "soft numbers": (lambda: sw.SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=2, random_state=0), numbers),
}


@cache
def model_of(name: str) -> Any:
    """A fitted estimator whose tree is the mean of two: three quarters of one, one quarter of the other."""
    make, target = FAMILIES[name]
    X, y = make_rows(), target()
    models = [make().fit(X[part], y[part]) for part in (slice(0, 60), slice(30, 90))]
    trees = [one.tree_.replace(schema=models[0].tree_.schema) for one in models]
    models[0].tree_ = join_trees(trees, WEIGHTS)
    return models[0]


def rows_of(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    return make_rows(), FAMILIES[name][1]()


every_family = pytest.mark.parametrize("name", FAMILIES)


# -- numbers ---------------------------------------------------------------------------------------------------------


@every_family
def test_it_answers_the_mean_of_what_its_trees_answer(name: str) -> None:
    model, X = model_of(name), make_rows()
    parts = split_trees(model.tree_)
    want = sum(share * part.output(model.encode(X)) for part, share in parts)
    np.testing.assert_allclose(model.tree_.output(model.encode(X)), want, rtol=1e-12, atol=1e-12)
    assert model.get_n_leaves() == sum(part.n_leaves for part, _ in parts)
    assert model.get_depth() == 1 + max(part.depth for part, _ in parts)
    assert set(used_inputs(model.tree_)) == {f for part, _ in parts for f in used_inputs(part)}


@every_family
@pytest.mark.parametrize("method", ["exact", "sampling"])
def test_contributions_are_the_mean_of_those_to_its_trees(name: str, method: str) -> None:
    model, X = model_of(name), make_rows()
    rows = np.asarray(model.encode(X), np.float64)
    told = sw.explain(model.tree_, rows[:8], rows[:40], method=method)
    np.testing.assert_allclose(told.base + told.contributions.sum(axis=1), told.output, rtol=1e-9, atol=1e-9)
    if told.method == "exact":
        parts = [(sw.explain(part, rows[:8], rows[:40], method=method), w) for part, w in split_trees(model.tree_)]
        want = sum(share * part.contributions for part, share in parts)
        np.testing.assert_allclose(told.contributions, want, rtol=1e-9, atol=1e-9)


def test_importances_count_each_tree_by_its_weight() -> None:
    tree = model_of("cart").tree_
    own = [(gain_importances(part) * part.gain.sum(), share) for part, share in split_trees(tree)]
    want = sum(share * gains for gains, share in own)
    np.testing.assert_allclose(gain_importances(tree), want / want.sum(), rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_constant_shares_are_the_part_of_a_row_that_comes_to_a_tree(seed: int) -> None:
    tree = random_joined(seed)
    roots = list(tree.children(0))
    np.testing.assert_array_equal(tree.constant_share[roots], tree.fraction[roots])
    for root in roots:
        assert set(tree.constant_share[list(tree.walk(root))]) == {tree.fraction[root]}


@pytest.mark.parametrize("sign", [1, -1])
def test_the_mean_is_monotone_where_every_tree_is(sign: int) -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60.0)
    up = sw.CARTRegressor(max_depth=2, prune=None, monotonic_cst=[1, 0]).fit(X, X[:, 0] + 0.1 * X[:, 1]).tree_
    other = sw.CARTRegressor(max_depth=2, prune=None).fit(X, X[:, 1] + np.sin(3 * X[:, 0]) + 0 * y).tree_
    assert certify(join_trees([up, up.replace(response=2 * up.response)]), [sign, 0]).holds == (sign > 0)
    assert not certify(join_trees([up, other]), [sign, 0]).holds


@every_family
def test_hardening_hardens_every_tree(name: str) -> None:
    tree = model_of(name).tree_
    X = np.asarray(model_of(name).encode(make_rows()), np.float64)
    want = sum(share * harden(part).output(X) for part, share in split_trees(tree))
    np.testing.assert_allclose(harden(tree).output(X), want, rtol=1e-12, atol=1e-12)


# -- files -----------------------------------------------------------------------------------------------------------


@every_family
def test_files_and_json_keep_it(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    sw.save(model, tmp_path / "mean.softwood")
    assert sw.load(tmp_path / "mean.softwood").tree_ == model.tree_
    assert sw.from_json(sw.to_json(model)) == model.tree_
    assert '"version": 3' in sw.to_json(model)
    assert '"version": 2' in sw.to_json(split_trees(model.tree_)[0][0])


def test_a_module_of_torch_answers_as_it_does() -> None:
    torch = pytest.importorskip("torch")
    module_of = pytest.importorskip("softwood.torch").SoftTree.from_tree
    model = model_of("soft")
    module, X = module_of(model), np.asarray(model.encode(make_rows()), np.float64)
    np.testing.assert_allclose(module(torch.tensor(X)).detach().numpy(), model.tree_.output(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(module.reach(torch.tensor(X)).detach().numpy(), model.tree_.reach(X), atol=1e-12)
    assert module.to_tree() == model.tree_


# -- words, pictures, pages ------------------------------------------------------------------------------------------

READERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "str": lambda model, X, y: str(model.tree_),
    "to_text": lambda model, X, y: sw.to_text(model),
    "to_text exact": lambda model, X, y: sw.to_text(model, digits=None, width=None, surrogates=True),
    "rules": lambda model, X, y: sw.to_text(model, form="rules"),
    "summary": lambda model, X, y: sw.summary(model),
    "explain in words": lambda model, X, y: sw.explain(model, X[:3], X[:30]).to_text(1),
    "dot": lambda model, X, y: sw.export(model, "dot"),
    "mermaid": lambda model, X, y: sw.export(model, "mermaid"),
    "page": lambda model, X, y: sw.view(model, X, y).html,
}


@every_family
@pytest.mark.parametrize("reader", READERS)
def test_words_name_the_mean_and_its_trees(name: str, reader: str) -> None:
    text = READERS[reader](model_of(name), *rows_of(name))
    wanted = {
        "summary": "mean of 2 trees",
        "explain in words": "tree 1 of 2",
        "page": "weighted mean of 2 trees: 75.0%, 25.0%",
    }
    assert wanted.get(reader, "weighted mean of 2 trees: 75.0%, 25.0%") in text
    assert "nan" not in text.lower().replace("finance", "")[: 20_000 if reader == "page" else None]


def _first_gate(tree: sw.Tree) -> int:
    return int(np.flatnonzero(tree.n_children)[1])


def test_a_report_names_the_mean() -> None:
    assert "weighted mean of 2 trees" in sw.report(model_of("cart"), *rows_of("cart")).html


DRAWN: dict[str, Callable[[Any, Any, Any], Any]] = {
    "plot_tree": lambda model, X, y: sw.plot_tree(model, X, y),
    "plot_tree without rows": lambda model, X, y: sw.plot_tree(model),
    "plot_row": lambda model, X, y: sw.plot_row(model, X),
    "plot_gate": lambda model, X, y: sw.plot_gate(model, X, y, node=_first_gate(model.tree_)),
    "plot_curves": lambda model, X, y: sw.plot_curves(model, X),
    "plot_importance": lambda model, X, y: sw.plot_importance(model, X, y),
    "plot_surface": lambda model, X, y: sw.plot_surface(model, X, y, inputs=["age", "size"]),
    "plot_reasons": lambda model, X, y: sw.plot_reasons(sw.explain(model, X[:3], X[:30])),
}


@pytest.mark.parametrize("name", ["cart", "soft numbers"])
@pytest.mark.parametrize("picture", DRAWN)
def test_pictures_are_drawn(name: str, picture: str) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    drawn = DRAWN[picture](model_of(name), *rows_of(name))
    figure = next(iter(np.ravel(np.asarray(drawn, object)))).get_figure()
    told = " ".join(text.get_text() for ax in figure.axes for text in ax.texts)
    if picture == "plot_tree":
        assert "tree 1 of 2 75%" in told
        assert "tree 2 of 2 25%" in told
    plt.close("all")


def test_a_picture_of_many_trees_shows_the_first_and_counts_the_others() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    tree = join_trees([split_trees(model_of("cart").tree_)[0][0]] * 40)
    told = {text.get_text() for text in sw.plot_tree(tree).texts}
    plt.close("all")
    assert "… 34 more trees" in told
    assert any(text.startswith("tree 6 of 40") for text in told)
    assert not any(text.startswith("tree 7 of 40") for text in told)


@every_family
def test_explanations_of_all_rows_are_made(name: str) -> None:
    model, (X, y) = model_of(name), rows_of(name)
    is_classifier = hasattr(model, "classes_")
    goal = (
        ("no" if model.predict(X[:1])[0] == "yes" else "yes")
        if is_classifier
        else (float(model.predict(X[:1])[0]) + 0.05, 50.0)
    )
    found = counterfactual(model, X[:1], goal)
    assert found is not None
    assert len(curves(model, X)) > 0
    assert len(importance(model, X, y)) > 0
    assert len(standard_errors(model, X, y)) > 0
    other = copy.deepcopy(model).calibrate(X, y)
    asked = other.predict_set(X) if is_classifier else other.predict_interval(X)
    assert len(asked) == N_ROWS
    assert str(sw.compare_models(model, FAMILIES[name][0]().fit(X, y), X, y))


# -- refusals --------------------------------------------------------------------------------------------------------


def test_what_needs_one_tree_refuses_a_mean_of_them() -> None:
    model, (X, y) = model_of("cart"), rows_of("cart")
    with pytest.raises(ValueError, match="points of one tree, and this model is a mean of 2"):
        sw.scorecard(model)
    with pytest.raises(ValueError, match="makes one decision tree, and this model is a mean of 2 trees"):
        to_sklearn(model)
    with pytest.raises(ValueError, match="only single trees can be softened; this model is a mean of 2 trees"):
        sw.soften(model, X, y)
    with pytest.raises(ValueError, match="is the mean of 2 trees"):
        sw.plot_gate(model, X, y, node=0)
    with pytest.raises(ValueError, match="steps of CARTClassifier cannot be derived from its tree"):
        sw.plot_growth(model)


def test_words_of_equal_shares() -> None:
    tree = join_trees([part for part, _ in split_trees(model_of("cart").tree_)])
    words = Wording(tree)
    assert words.gate(0).pieces == ["mean of 2 trees, 50.0% each"]
    assert [words.rule(child) for child in tree.children(0)] == ["tree 1 of 2", "tree 2 of 2"]
    assert words.when_missing(1) == ""
