"""Rules made from a C4.5 tree."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from softwood import C45Classifier, to_text
from softwood.formats.rules import rules_to_text
from softwood.parts.pessimism import pessimistic_errors

DATA = {"iris": load_iris(return_X_y=True), "cancer": load_breast_cancer(return_X_y=True)}


@pytest.fixture(params=sorted(DATA))
def fitted(request: pytest.FixtureRequest) -> tuple[Any, Any, Any]:
    X, y = DATA[request.param]
    return C45Classifier(rules=True).fit(X, y), X, y


def test_coverage_and_errors_are_those_of_the_rows(fitted: tuple[Any, Any, Any]) -> None:
    model, X, y = fitted
    assert len(model.rules_) > 0
    for rule in model.rules_:
        holds = rule.holds(X)
        assert rule.coverage == holds.sum()
        assert rule.errors == (y[holds] != rule.answer).sum()


def test_no_condition_can_be_dropped_without_a_higher_pessimistic_error(fitted: tuple[Any, Any, Any]) -> None:
    model, X, y = fitted
    for rule in model.rules_:
        kept = pessimistic_errors(rule.coverage, rule.errors, 0.25) / rule.coverage
        for condition in rule.conditions:
            if np.isfinite([condition.lower, condition.upper]).all():
                continue  # two conditions in one
            covered = np.all([c.holds(X) for c in rule.conditions if c is not condition], axis=0) | np.zeros(
                len(X), bool
            )
            without = pessimistic_errors(covered.sum(), (y[covered] != rule.answer).sum(), 0.25) / covered.sum()
            assert without > kept


def test_the_first_rule_that_holds_answers(fitted: tuple[Any, Any, Any]) -> None:
    model, X, _ = fitted
    answer = np.full(len(X), -1)
    for rule in model.rules_:
        answer[(answer < 0) & rule.holds(X)] = rule.answer
    answer[answer < 0] = model.rules_.default
    np.testing.assert_array_equal(model.predict_by_rules(X), model.classes_[answer])


def test_rules_are_fewer_than_leaves_and_about_as_good(fitted: tuple[Any, Any, Any]) -> None:
    model, X, y = fitted
    assert len(model.rules_) < model.get_n_leaves()
    assert (model.predict_by_rules(X) == y).mean() > model.score(X, y) - 0.02


def test_classes_stand_together(fitted: tuple[Any, Any, Any]) -> None:
    answers = [rule.answer for rule in fitted[0].rules_]
    assert len(set(answers)) == 1 + sum(a != b for a, b in pairwise(answers))


def test_a_missing_value_meets_no_condition(fitted: tuple[Any, Any, Any]) -> None:
    model, X, _ = fitted
    nothing = np.full((1, X.shape[1]), np.nan)
    assert model.predict_by_rules(nothing)[0] == model.classes_[model.rules_.default]


def test_weight_two_is_a_row_twice() -> None:
    X, y = DATA["iris"]
    times = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    weighted = C45Classifier(rules=True).fit(X, y, sample_weight=times)
    assert weighted.rules_ == C45Classifier(rules=True).fit(X[rows], y[rows]).rules_


def test_printed_rules() -> None:
    table = pd.DataFrame({"outlook": ["sunny", "rain"] * 20, "wind": np.repeat([1.0, 5.0], 20)})
    y = np.where((table.outlook == "sunny") & (table.wind > 2), "stay", "play")
    text = to_text(C45Classifier(rules=True).fit(table, y), form="rules")
    assert text.splitlines() == [
        "C45Classifier: 1 rule (the first that matches decides)",
        "",
        "rule  if                            then   n  errors  confidence",
        "   1  outlook = sunny and wind > 1  stay  10       0       0.917",
        "      otherwise                     play",
    ]


def test_long_rules_go_on_in_further_lines() -> None:
    X, y = DATA["cancer"]
    names = [f"a rather long name of input {i}" for i in range(X.shape[1])]
    text = to_text(C45Classifier(rules=True).fit(pd.DataFrame(X, columns=names), y), form="rules", width=80)
    assert max(map(len, text.splitlines())) <= 100
    assert any(line.strip().startswith("and ") for line in text.splitlines())


def test_errors_say_what_to_do() -> None:
    X, y = DATA["iris"]
    model = C45Classifier().fit(X, y)
    with pytest.raises(TypeError, match="fitted with rules=True"):
        rules_to_text(model)
    with pytest.raises(AttributeError, match="rules=True"):
        model.predict_by_rules(X)
    with pytest.raises(ValueError, match="form must be 'tree' or 'rules', got 'list'"):
        to_text(model, form="list")


def test_fitting_again_without_rules_forgets_them() -> None:
    X, y = DATA["iris"]
    model = C45Classifier(rules=True).fit(X, y).set_params(rules=False).fit(X, y)
    assert not hasattr(model, "rules_")


def test_a_single_leaf_is_the_default() -> None:
    model = C45Classifier(rules=True).fit([[0.0], [1.0]], ["a", "a"])
    assert len(model.rules_) == 0
    np.testing.assert_array_equal(model.predict_by_rules([[3.0]]), ["a"])
