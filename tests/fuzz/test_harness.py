"""The fuzzer itself: cases are determined by their seeds, violations are found, workers restart."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pytest

import softwood
from tests.fuzz.cases import Case, draw_case
from tests.fuzz.findings import Finding
from tests.fuzz.laws import CHEAP, REFIT, Fitted, fit_case, kernels_agree, on_border, probes
from tests.fuzz.parameters import LEARNERS
from tests.fuzz.refusals import told_badly
from tests.fuzz.tables import Table
from tests.fuzz.worker import Worker, innermost

ORDINARY = Table({"size": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}, ["a", "a", "a", "b", "b", "b"], None, "float64")
CASE = Case(0, "CARTClassifier", {"prune": None}, ORDINARY, held=False, refit="again")


def test_a_case_follows_from_its_seed() -> None:
    for seed in range(50):
        assert repr(draw_case(seed)) == repr(draw_case(seed))
    assert repr(draw_case(0)) != repr(draw_case(1))


def test_every_estimator_and_container_is_drawn() -> None:
    cases = [draw_case(seed) for seed in range(600)]
    every = {name for name in softwood.__all__ if name.endswith(("Classifier", "Regressor"))}
    assert {case.estimator for case in cases} == every == set(LEARNERS)
    assert len({case.table.container for case in cases}) == 18


def test_groups_are_drawn_for_every_estimator_that_takes_them() -> None:
    cases = [draw_case(seed) for seed in range(1200)]
    grouped = {case.estimator for case in cases if case.table.group is not None}
    assert grouped == {name for name in LEARNERS if "groups" in signature(getattr(softwood, name).fit).parameters}


def test_the_options_are_those_of_the_estimator() -> None:
    for name, learners in LEARNERS.items():
        known = getattr(softwood, name)().get_params()
        for learner in learners:
            assert {*learner.options, *learner.always} <= set(known), name


@pytest.mark.parametrize("seed", range(6))
def test_the_code_of_a_case_runs(seed: int) -> None:
    case = replace(draw_case(seed), estimator="CARTClassifier", parameters={"prune": None}, held=False)
    case = case.with_table(replace(case.table, columns={"a": [1.0] * len(case.table)}, container="pandas", weight=None))
    case = case.with_table(replace(case.table, y=[str(label) for label in case.table.y]))
    scope: dict[str, Any] = {}
    exec(case.code(), scope)
    assert scope["model"].tree_ == fit_case(case).tree_


@pytest.mark.long
def test_a_worker_that_dies_or_is_slow_is_a_finding_and_is_replaced() -> None:
    worker = Worker("native", 10.0)
    try:
        assert worker.ask(CASE, "examine")[0] == []
        assert worker.child is not None
        worker.child.kill()
        dead = worker.ask(CASE, "examine")
        assert isinstance(dead, Finding)
        assert dead.kind == "crash: SIGKILL"
        assert worker.ask(CASE, "examine")[0] == []
        worker.stop()
        worker.seconds = 0.001
        slow = worker.ask(CASE, "examine")
        assert isinstance(slow, Finding)
        assert slow.kind == "more than 0.001 s"
    finally:
        worker.stop()


def test_the_innermost_function_of_softwood_is_told() -> None:
    trace = (
        'Fatal Python error: Segmentation fault\n  File "/x/numpy/a.py", line 1 in one\n'
        '  File "/x/site-packages/softwood/learners/grow.py", line 7 in grow\n'
        '  File "/x/src/softwood/a.py", line 1 in b\n'
    )
    assert innermost(trace) == "learners/grow.py:grow"


def refusal(raiser: Any) -> str | None:
    with pytest.raises(Exception) as told:
        raiser()
    return told_badly(told.value, ["prune"])


def test_refusals_are_in_words() -> None:
    X, y = [[1.0], [2.0]], [0, 1]
    assert refusal(lambda: softwood.CARTClassifier(prune="no").fit(X, y)) is None
    assert refusal(lambda: softwood.CARTClassifier().fit(X, [0, None])) is None
    assert refusal(lambda: softwood.CARTClassifier().fit([[1.0, 2.0], [3.0]], y)) is not None  # NumPy's own words
    assert refusal(lambda: [][0]) == "not a ValueError or TypeError"
    assert refusal(lambda: np.zeros(3) + np.zeros(2)) == "raised by an accident, not by a check"


class Lying(softwood.CARTClassifier):
    """A model that breaks one law."""

    lie = ""

    def predict_proba(self, X: Any) -> Any:
        good = super().predict_proba(X)
        made = {"answers_are_finite": good * np.nan, "chances_sum_to_one": good * 2}
        return made.get(self.lie, good + (self.lie == "one_row_is_answered_as_among_all") * 1e-3 * len(good))

    def predict(self, X: Any) -> Any:
        return super().predict(X)[:1] if self.lie == "answers_have_one_row_each" else super().predict(X)

    def apply(self, X: Any) -> Any:
        return super().apply(X) + 99 * (self.lie == "every_row_has_a_leaf")

    @property
    def feature_importances_(self) -> Any:
        return super().feature_importances_ + (self.lie == "importances_are_parts")

    def __reduce__(self) -> Any:
        tree = softwood.CARTClassifier(max_depth=0).fit([[1.0]], ["a"])
        return (_same, (tree if self.lie == "a_pickle_is_the_same" else fit_case(CASE),))

    def __sklearn_clone__(self) -> Any:
        return Lying(cv=99) if self.lie == "a_clone_has_the_parameters" else super().__sklearn_clone__()

    def prune_to(self, *, alpha: float | None = None, n_leaves: int | None = None) -> Any:
        return self if self.lie == "every_size_answers" else super().prune_to(alpha=alpha, n_leaves=n_leaves)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return "" if self.lie == "text_is_printed" else "Lying()"


def _same(model: Any) -> Any:
    return model


@pytest.mark.parametrize("law", [law for law in CHEAP if law != "a_file_is_the_same"])
def test_every_law_can_be_broken(law: str) -> None:
    model = Lying(prune=None)
    model.fit(ORDINARY.X, ORDINARY.y)
    fitted = Fitted(CASE, model, probes(CASE))
    assert CHEAP[law](fitted) is None
    model.lie = law
    assert CHEAP[law](fitted) is not None


def test_the_law_of_files_can_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = Fitted(CASE, fit_case(CASE), probes(CASE))
    assert CHEAP["a_file_is_the_same"](fitted) is None
    monkeypatch.setattr(softwood, "load", lambda path: softwood.CARTClassifier().fit([[1.0]], ["a"]))
    assert CHEAP["a_file_is_the_same"](fitted) is not None


class Wobbly(softwood.CARTClassifier):
    """A model that changes at every second fit."""

    fits = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Any:
        Wobbly.fits += 1
        self.max_depth = Wobbly.fits % 2
        return super().fit(X, y, sample_weight, X_val, y_val)


@pytest.mark.parametrize("law", [law for law in REFIT if law != "soften"])
def test_every_law_of_two_fits_can_be_broken(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(softwood, "Wobbly", Wobbly, raising=False)
    steady, wobbly = CASE, replace(CASE, estimator="Wobbly")
    assert REFIT[law](Fitted(steady, fit_case(steady), probes(steady))) is None
    assert REFIT[law](Fitted(wobbly, fit_case(wobbly), probes(wobbly))) is not None


def test_answers_that_differ_are_told() -> None:
    one, other = np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-6])
    assert kernels_agree([one], [one], 0.0) is None
    assert kernels_agree([one], [other], 1e-5) is None
    assert kernels_agree([one], [other], 1e-9) is not None
    assert kernels_agree([one], [np.array([1.0, np.nan])], 1.0) is not None
    assert kernels_agree([np.array([1e-17])], [np.array([0.0])], 1e-9) is not None
    assert kernels_agree([np.array([1e-17])], [np.array([0.0])], 1e-9, largest=3.0) is None


def test_rows_on_a_border_are_not_asked() -> None:
    X, y = np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]]), ["a", "a", "b", "b"]
    model = softwood.LinearDiscriminantTreeClassifier(prune=None).fit(X, y)
    assert on_border(model.tree_, np.r_[X, [[0.5, -0.5]]]).tolist() == [False] * 4 + [True]
