"""Laws of the text report that golden files do not cover."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from softwood import Schema, Tree, to_text
from softwood.kernels.kinds import Score
from softwood.tree.summary import Summary


def two_classes(**fields: object) -> Tree:
    given = {
        "response": [[0.5, 0.5], [0.7, 0.3], [0.2, 0.8]], "first_child": [1, -1, -1], "n_children": [2, 0, 0],
        "schema": Schema(("x",), (None,), ("no", "yes"), "classification"), "score": [Score.THRESHOLD, 0, 0],
        "feature": [0, -1, -1], "threshold": [2.5, np.nan, np.nan], "count": [10.0, 6.0, 4.0]}  # fmt: skip
    return Tree(**{**given, **fields})  # type: ignore[arg-type]  # values of many kinds


def line_of(text: str, node: int) -> str:
    return next(line for line in text.splitlines() if line.strip().startswith(f"{node} "))


def test_an_estimator_prints_as_its_tree_but_for_its_name() -> None:
    tree = two_classes()
    assert to_text(SimpleNamespace(tree_=tree)) == to_text(tree).replace("Tree:", "SimpleNamespace:", 1)


def test_costs_choose_the_class_of_least_expected_cost() -> None:
    costs = ((0.0, 1.0), (5.0, 0.0))  # predicting no for a yes costs five
    dear = two_classes(schema=Schema(("x",), (None,), ("no", "yes"), "classification", costs=costs))
    assert " yes " in line_of(to_text(dear), 1)
    assert " no " in line_of(to_text(two_classes()), 1)


def test_a_tree_without_counts_has_no_count_columns() -> None:
    assert "share" not in to_text(two_classes(count=[np.nan] * 3))


def test_weights_that_are_not_whole_keep_a_decimal() -> None:
    assert " 3.5 " in line_of(to_text(two_classes(count=[9.5, 6.0, 3.5])), 2)


def test_missing_values_can_be_left_out() -> None:
    assert "missing" in to_text(two_classes())
    assert "missing" not in to_text(two_classes(), missing=False)


def test_wide_names_are_kept_whole() -> None:
    name = "a name of a feature that somebody exported from a warehouse with every join in it " * 2
    tree = two_classes(schema=Schema((name,), (None,), ("no", "yes"), "classification"))
    assert f"{name} ≤ 2.5" in to_text(tree)


def test_other_feature_names_are_printed_but_must_be_one_per_feature() -> None:
    assert "age ≤ 2.5" in to_text(two_classes(), feature_names=["age"])
    with pytest.raises(ValueError, match="must have 1 names, one per feature, got 2"):
        to_text(two_classes(), feature_names=["age", "income"])


@pytest.mark.parametrize("thing", [SimpleNamespace(), "a string", None])
def test_what_is_not_a_fitted_tree_is_refused_in_words(thing: object) -> None:
    with pytest.raises(TypeError, match=r"needs a Tree or a fitted softwood estimator.*call fit first"):
        to_text(thing)


@pytest.mark.parametrize("width", range(30, 100, 7))
def test_an_operator_of_the_sum_of_a_row_stays_with_its_number(width: int) -> None:
    inputs = Schema(("x",), (None,), ("y",), summaries=(Summary(9.0, 0.0, (-1.0, 1.0), ((0.5, -0.2),)),))
    soft = {"squash": [1, 0, 0], "threshold": [0.0, np.nan, np.nan], "softness": [[1.0, 1.0], [0, 0], [0, 0]]}
    tree = two_classes(schema=inputs, response=[[0.0], [-2.0], [4.0]], **soft)
    text = to_text(tree, width=width)
    told = text[text.index("The row of medians") :]
    assert told.replace("\n ", "").endswith("y: 60.0% × −2.00 + 40.0% × +4.00 = +0.40 → 0.4")
    for line in told.splitlines():
        assert line.split()[0] != "×"
        assert line.split()[-1] not in ("×", "+", "=", "→")
