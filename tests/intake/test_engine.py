"""The choice of the engine: by the type of X, or by `engine=`, reported by `verbose`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from softwood import (
    BuddingTreeClassifier,
    BuddingTreeRegressor,
    CARTClassifier,
    CARTRegressor,
    SoftTreeClassifier,
    SoftTreeRegressor,
)

KINDS = [
    (CARTClassifier, {}),
    (CARTRegressor, {}),
    (SoftTreeClassifier, {"gate": "linear", "leaf": "constant"}),
    (SoftTreeRegressor, {"gate": "linear", "leaf": "constant"}),
    (BuddingTreeClassifier, {"gate": "linear", "leaf": "constant"}),
    (BuddingTreeRegressor, {"gate": "linear", "leaf": "constant"}),
]
X = np.random.default_rng(0).normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(("kind", "how"), KINDS)
def test_rows_in_memory_are_summed_there_and_verbose_says_so(
    kind: Any, how: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = kind(**how, engine="memory", verbose=True).fit(X, Y)
    assert "engine: memory\n" in capsys.readouterr().out
    plain = kind(**how).fit(X, Y)
    np.testing.assert_array_equal(asked.tree_.response, plain.tree_.response)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("kind", "how"), KINDS)
def test_an_engine_that_there_is_not_is_refused_before_any_work(kind: Any, how: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"engine must be one of 'auto', 'memory'.*got 'steam'"):
        kind(**how, engine="steam").fit(X, Y)


def test_without_pytorch_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("softwood.engines.torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"engine='torch' needs PyTorch: pip install 'softwood\[torch\]'"):
        SoftTreeClassifier(engine="torch").fit(X, Y)
