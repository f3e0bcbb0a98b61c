"""Part of `make fuzz`: the first seeds in `make test`, more in `make test-long`, without findings."""

from __future__ import annotations

import pytest

from tests.fuzz.findings import by_signature
from tests.fuzz.lanes import run_seeds

SECONDS = 60.0  # of processor time, that a case may take


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 400), marks=pytest.mark.long)], ids=str)
def test_no_finding_among_the_first_seeds(seeds: range) -> None:
    found, done = [], 0
    for _, told in run_seeds(seeds, 1, SECONDS):
        done += 1
        found += told
    assert not found, f"python -m tests.fuzz --seed SEED --one\n{by_signature(found)}"
    assert done == len(seeds)
