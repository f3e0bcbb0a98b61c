"""Parallel work: in order, on demand, and not started in vain."""

from __future__ import annotations

import threading
import time

import pytest

from softwood.parts.parallel import parallel_map


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_answers_come_in_the_order_of_the_items(n_threads: int) -> None:
    def work(i: int) -> int:
        time.sleep(0.002 * (5 - i))
        return i * i

    assert list(parallel_map(work, range(5), n_threads)) == [0, 1, 4, 9, 16]
    assert list(parallel_map(work, [], n_threads)) == []


def test_two_threads_work_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=10)
    assert sorted(parallel_map(lambda _: both.wait(), range(2), 2)) == [0, 1]


@pytest.mark.parametrize("given", [0, 1])
def test_where_no_thread_can_start_the_caller_works(given: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After none was given, or one: then that one has begun, and its work is done again."""
    left, start = [given], threading.Thread.start

    def start_or_not(thread: threading.Thread) -> None:
        if not left[0]:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_or_not)
    answers = []
    for answer in parallel_map(lambda i: time.sleep(0.05) or i * i, range(5), 3):
        answers.append(answer)
    assert answers == [0, 1, 4, 9, 16]


def test_one_thread_works_when_asked() -> None:
    begun: list[int] = []
    answers = parallel_map(lambda i: begun.append(i), range(3), 1)
    next(answers)
    assert begun == [0]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_failure_is_raised_and_what_has_not_begun_never_begins(n_threads: int) -> None:
    begun: list[int] = []

    def work(i: int) -> None:
        begun.append(i)
        time.sleep(0.05 * i)
        if i == 0:
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        list(parallel_map(work, range(50), n_threads))
    assert len(begun) < 10
