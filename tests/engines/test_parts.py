"""Cached batches are built once; an interrupted pass leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from softwood.engines.parts import BatchParts


class Rows(NamedTuple):
    value: np.ndarray
    weight: np.ndarray


@dataclass
class Sum:
    seen: list[float] = field(default_factory=list)
    stop_after: int = 99

    def take(self, rows: Rows) -> None:
        self.seen.append(float(rows.value.sum()))
        if len(self.seen) == self.stop_after:
            raise KeyboardInterrupt

    def merge(self, other: Sum) -> None:
        self.seen += other.seen


@pytest.mark.parametrize(("are_few", "in_file", "read"), [(True, False, 2), (False, True, 2), (False, False, 4)])
def test_remembered_parts_are_read_until_one_pass_is_whole(are_few: bool, in_file: bool, read: int) -> None:
    walked, told = [], []

    def batches() -> Iterator[Rows]:
        walked.append(1)
        for n in (3, 2, 1):
            yield Rows(np.arange(float(n)) + 1, np.ones(n))

    parts = BatchParts(batches, told.append).remember(are_few, in_file)
    with pytest.raises(KeyboardInterrupt):
        parts.collect(Sum(stop_after=2))
    assert [parts.collect(Sum()).seen for _ in range(3)] == [[6.0, 3.0, 1.0]] * 3
    assert len(walked) == read
    assert told == ([3, 5, 6] * 2 if read == 2 else [])
