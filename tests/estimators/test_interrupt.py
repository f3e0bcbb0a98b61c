"""An interrupt is raised, or, if requested, ends the fit with the best tree so far and a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import softwood
from tests.examples import IS_LONG
from tests.interruption import Interruption

R = np.random.default_rng(0)
X = R.normal(size=(150, 2))
Y = np.sin(3 * X[:, 0]) + 0.1 * R.normal(size=150)

KEEPING: dict[str, Callable[[], Any]] = {
    "soft": lambda: softwood.SoftTreeRegressor(gate="linear", max_leaves=3),
    "curves": lambda: softwood.SoftTreeRegressor(gate="additive", leaf="linear", max_leaves=2),
    "incremental": lambda: softwood.SoftTreeRegressor(learner="incremental", max_leaves=6),
    "budding": lambda: softwood.BuddingTreeRegressor(gate="linear", leaf="constant", max_nodes=5),
    "rounded": lambda: softwood.BuddingTreeRegressor(gate="linear", leaf="constant", max_nodes=5, round_buds=True),
    "online": lambda: softwood.BuddingTreeRegressor(learner="online", max_epochs=4, max_nodes=5),
}


@pytest.fixture(params=["all rows", "screening", "validation rows"])
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Rows to fit, which a search may meet in three ways."""
    if request.param == "screening":
        monkeypatch.setattr("softwood.learners.soft.specs.MEDIUM_TABLE_MAX_ROWS", 60)
        monkeypatch.setattr("softwood.learners.soft.specs.SCREENING_ROWS_PER_INPUT", 1)
    held = {"X_val": X[100:], "y_val": Y[100:]} if request.param == "validation rows" else {}
    return {"X": X[:100], "y": Y[:100], **held} if held else {"X": X, "y": Y}


@pytest.mark.fewer
@pytest.mark.parametrize("name", KEEPING)
def test_an_interrupt_anywhere_is_raised_or_keeps_a_tree(name: str, rows: dict[str, Any]) -> None:
    KEEPING[name]().fit(**rows)
    calls = Interruption().during(lambda: KEEPING[name]().fit(**rows))
    kept = 0
    for place in np.linspace(0.02, 0.98, 9 if IS_LONG else 5):
        at = max(int(place * calls), 1)
        model = KEEPING[name]().set_params(keep_on_interrupt=True)
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                Interruption(at).during(lambda model=model: model.fit(**rows))
        except KeyboardInterrupt:  # nothing was found yet, or only the report was missing
            assert not hasattr(model, "tree_")
            continue
        assert [str(one.message) for one in told if one.category is ConvergenceWarning]
        assert np.isfinite(model.predict(X)).all()
        kept += 1
    assert kept >= (4 if IS_LONG else 2)


def test_a_loop_over_folds_stops() -> None:
    from sklearn.model_selection import cross_val_score

    model = KEEPING["soft"]()
    calls = Interruption().during(lambda: model.fit(X, Y))
    with pytest.raises(KeyboardInterrupt):
        Interruption(calls // 2).during(lambda: cross_val_score(model, X, Y, cv=2))
