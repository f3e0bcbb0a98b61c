"""Part of `make fuzz` at every `make test`: as many of the first seeds as go into two minutes, and not one finding."""

from __future__ import annotations

import time

import pytest

from tests.fuzz.findings import by_signature
from tests.fuzz.lanes import run_seeds

CASES, LEAST, SECONDS = 400, 20, 60.0


@pytest.mark.slow
def test_no_finding_among_the_first_seeds() -> None:
    start, done, found = time.monotonic(), 0, []
    for _, told in run_seeds(range(CASES), 1, 60.0, lambda: time.monotonic() - start < SECONDS):
        done += 1
        found += told
    assert not found, f"python -m tests.fuzz --seed SEED --one\n{by_signature(found)}"
    assert done >= LEAST
