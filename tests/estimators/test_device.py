"""Soft trees whose rows a device of PyTorch sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import SoftTreeClassifier, SoftTreeRegressor

pytest.importorskip("torch", reason="PyTorch is an extra: pip install 'softwood[torch]'")

X = np.random.default_rng(0).normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)
SOFT = [(SoftTreeClassifier, Y), (SoftTreeRegressor, X[:, 0] + np.tanh(3 * X[:, 1]))]


@pytest.mark.parametrize(("kind", "y"), SOFT)
def test_a_device_of_pytorch_learns_the_same_tree(kind: Any, y: Any, capsys: pytest.CaptureFixture[str]) -> None:
    how = {"gate": "linear", "leaf": "constant", "max_iter": 20}
    there = kind(**how, device="cpu", verbose=True).fit(X, y)
    assert "engine: torch on cpu\n" in capsys.readouterr().out
    here = kind(**how).fit(X, y)
    np.testing.assert_array_equal(there.tree_.first_child, here.tree_.first_child)
    np.testing.assert_allclose(there.tree_.output(X), here.tree_.output(X), atol=1e-3)
    asked = kind(**how, engine="torch", device="cpu").fit(X, y)
    np.testing.assert_array_equal(asked.tree_.response, there.tree_.response)


def test_a_readable_tree_on_a_device() -> None:
    model = SoftTreeClassifier(readable=True, device="cpu", max_iter=20).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.9


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"engine": "memory", "device": "cpu"}, "device='cpu' needs engine='torch'"),
        ({"device": "gpu"}, "device must be a PyTorch device such as 'cpu', 'cuda' or 'mps', got 'gpu'"),
        ({"device": "cpu", "learner": "incremental"}, "engine='torch' needs learner='joint'"),
    ],
)
def test_devices_that_do_not_fit_are_refused(how: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SoftTreeClassifier(**how).fit(X, Y)
