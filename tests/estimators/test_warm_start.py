"""A warm start continues in the units of the new rows, for any number of iterations."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import SoftTreeRegressor

R = np.random.default_rng(0)
X = R.normal(size=(40, 2))
Y = np.sin(2 * X[:, 0]) + X[:, 1]


@pytest.mark.parametrize("max_iter", [1, 3])
@pytest.mark.parametrize("leaf", ["constant", "linear"])
@pytest.mark.parametrize("unit", [1e-30, 1e20, 1e100])
def test_a_warm_start_knows_other_units(unit: float, leaf: str, max_iter: int) -> None:
    model = SoftTreeRegressor(warm_start=True, max_iter=max_iter, max_leaves=3, gate="linear", leaf=leaf).fit(X, Y)
    model.fit(X, unit * Y)
    assert model.score(X, unit * Y) > 0.3
    assert model.fit(X, Y).score(X, Y) > 0.3


def test_inputs_beyond_the_spreads_before_are_refused_by_name() -> None:
    model = SoftTreeRegressor(warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match=r"warm_start=True keeps .* 'x1' now holds .*e\+80"):
        model.fit(X * [1.0, 1e80], Y)
    assert model.fit(X * [1.0, 1e3], Y).score(X * [1.0, 1e3], Y) > 0.3
