"""The long runs of `make trust`, short."""

from __future__ import annotations

import numpy as np
import pytest

from bench.trust import load, memory, sizes, stream


def test_memory_is_read_at_each_tenth() -> None:
    assert len(memory.fit_again_and_again(10)) == 11
    assert len(memory.answer_again_and_again(40)) == 11


def test_a_stream_has_late_classes_gaps_and_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "CHUNK", 100)
    (early, before), (X, y), (late, after) = (stream.make_chunk(at, 10_000) for at in (0, 1_000, 5_000))
    assert 2 not in before
    assert 2 in y
    assert np.isnan(X).any()
    assert np.mean(before == (early[:, 0] + early[:, 1] > 0)) == 1
    two = after < 2
    assert np.all(after[two] == (late[two, 0] + late[two, 1] <= 0))
    told = stream.learn(stream.fresh(), 0, 300, 10_000)
    assert [line[0] for line in told] == [0, 100, 200]


def test_the_page_has_the_examples_that_are_served() -> None:
    assert "save(" in load.example("python")
    assert "@app.post" in load.example("fastapi")


@pytest.mark.parametrize("table", sizes.TABLES)
def test_tables_are_made_and_measured(table: str) -> None:
    told = sizes.measure(table, "CART, 255 bins", 0.002)
    assert told["fit s"] >= 0
    assert told["leaves"] >= 1
