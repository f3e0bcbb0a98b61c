"""Which cases of a test marked `fewer` stay in `make test`."""

from __future__ import annotations

from itertools import product

import pytest

from tests.conftest import _choose_cases


@pytest.mark.parametrize("least", [1, 20])
def test_every_value_of_every_parameter_occurs(least: int) -> None:
    every = {
        f"{model}-{power}-{seed}": frozenset({("model", model), ("power", power), ("seed", str(seed))})
        for model, power, seed in product("abcdefg", "xyz", range(5))
    }
    kept = _choose_cases(every, least)
    assert max(7, least) <= len(kept) < 25
    told = set().union(*(every[name] for name in kept))
    assert {value for name, value in told if name == "model"} == set("abcdefg")
    assert {value for name, value in told if name == "power"} == set("xyz")
    assert kept == _choose_cases(dict(reversed(every.items())), least)  # workers collect in one order, but need not


def test_seeds_alone_are_as_many_as_are_asked_for() -> None:
    seeds = {str(seed): frozenset({("seed", str(seed))}) for seed in range(24)}
    assert len(_choose_cases(seeds, 5)) == 5
