"""Examine a case: fit it, or check the refusal, then check the laws."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.cases import Case
from tests.fuzz.findings import Finding
from tests.fuzz.laws import CHEAP, REFIT, Broken, Fitted, fit_case, probes
from tests.fuzz.refusals import place_of, place_of_stack, told_badly

# Intended warnings are UserWarnings (or scikit-learn's, which derive from it).
ACCIDENTS = (RuntimeWarning, DeprecationWarning, FutureWarning, SyntaxWarning, ResourceWarning)


def examine(case: Case) -> tuple[list[Finding], list[Any] | None]:
    """The broken laws, and the predictions of the model (None without a model)."""
    found: list[Finding] = []

    def tell(kind: str, where: str, text: str) -> None:
        found.append(Finding(case.seed, case.estimator, kind, where, text, case.code()))

    fitted = _fit(case, tell)
    if fitted is None:
        return found, None
    for name, law in CHEAP.items():
        _ask(name, law, fitted, tell)
    if case.refit in REFIT and _is_promised(case):
        _ask(REFIT[case.refit].__name__, REFIT[case.refit], fitted, tell)
    with _watch(lambda *_: None):
        return found, None if found else fitted.settled(fitted.model)


def answers_of(case: Case) -> list[Any]:
    """The predictions of the model of a case."""
    with _watch(lambda *_: None):
        model = fit_case(case)
        return Fitted(case, model, probes(case)).answers(model)


def _fit(case: Case, tell: Callable[[str, str, str], None]) -> Fitted | None:
    rows = probes(case)
    try:
        with _watch(tell):
            return Fitted(case, fit_case(case), rows)
    except Exception as error:
        name, where = type(error).__name__, place_of(error.__traceback__)
        why = told_badly(error, list(case.parameters))
        if why is not None:
            tell(name, where, f"{why}: {error}")
        elif not case.excuses():
            tell("an ordinary table is refused", where, str(error))
        return None


def _ask(name: str, law: Callable[[Fitted], Broken], fitted: Fitted, tell: Callable[[str, str, str], None]) -> None:
    try:
        with _watch(tell):
            broken = law(fitted)
    except Exception as error:
        excused = told_badly(error, list(fitted.case.parameters)) is None and fitted.case.excuses()
        if not excused:
            tell(f"{name}, {type(error).__name__}", place_of(error.__traceback__), str(error))
        return
    if broken is not None:
        tell(name, "", broken)


def _is_promised(case: Case) -> bool:
    """Not for the online learner, which takes the rows in their order, nor for weights of very different size."""
    as_given = case.parameters.get("shuffle") is False and case.parameters.get("learner") == "online"
    return case.refit not in ("order", "twice", "zero") or (case.has_digits and not as_given)


@contextlib.contextmanager
def _watch(tell: Callable[[str, str, str], None]) -> Iterator[None]:
    """Reports unintended warnings with their location; printed output is discarded."""
    heard: dict[tuple[str, str], str] = {}

    def hear(message: Any, category: type[Warning], *_: Any) -> None:
        if issubclass(category, ACCIDENTS):
            heard[category.__name__, place_of_stack()] = str(message)

    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("always")
        warnings.showwarning = hear  # type: ignore[assignment]
        yield
    for (kind, where), text in heard.items():
        tell(kind, where, text)
