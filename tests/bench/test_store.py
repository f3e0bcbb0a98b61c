"""Results on disk: nothing is lost, for any number of writers."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.papers import store
from bench.papers.store import COLUMNS, Task, put, read_all, read_method, remove
from tests.bench.conftest import make_result

FOLDS = range(10)


def put_all(results: Path, name: str) -> None:
    for fold in FOLDS:
        put(results, make_result("cart", name, fold, 50.0 + fold))


def test_every_value_comes_back_as_it_was(results: Path) -> None:
    odd = make_result("cart", "glass", 3, 100 / 3, log_loss=0.1 + 0.2, brier=5e-324, commit="1e5+", options="a='x,\"y'")
    put(results, odd)
    assert read_method(results, "cart") == [odd]
    assert repr(read_method(results, "cart")) == repr([odd])  # 1.0 is not 1


def test_rows_are_sorted_and_the_last_one_stands(results: Path) -> None:
    for name, fold in (("glass", 1), ("boston", 9), ("glass", 0), ("boston", 2), ("glass", 1)):
        put(results, make_result("cart", name, fold, 0.5))
    put(results, make_result("cart", "boston", 2, 0.25))
    put(results, make_result("c45", "glass", 0, 60.0))
    found = [(one.method, one.set, one.fold) for one in read_all(results)]
    assert found == [
        ("c45", "glass", 0),
        ("cart", "boston", 2),
        ("cart", "boston", 9),
        ("cart", "glass", 0),
        ("cart", "glass", 1),
    ]
    assert read_method(results, "cart")[0].mse == 0.25


def test_two_writers_lose_no_row_of_each_other(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread opens the folder itself, like a process; a slow write makes them overlap."""
    write = store._write

    def write_late(*what: Any) -> None:
        time.sleep(0.01)
        write(*what)

    monkeypatch.setattr(store, "_write", write_late)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(put_all, [results, results], ["glass", "ecoli"]))
    found = [(one.set, one.fold) for one in read_all(results)]
    assert found == [(name, fold) for name in ("ecoli", "glass") for fold in FOLDS]


def test_a_writer_that_dies_leaves_the_file_as_it_was(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_all(results, "glass")
    before = (results / "cart.csv").read_bytes()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", die)
        with pytest.raises(KeyboardInterrupt):
            put_all(results, "ecoli")
    assert (results / "cart.csv").read_bytes() == before
    assert len(list(read_all(results))) == len(FOLDS)
    put_all(results, "ecoli")  # neither the lock nor the part stands in the way
    assert len(list(read_all(results))) == 2 * len(FOLDS)
    assert [path.name for path in results.iterdir()] == ["cart.csv"]


def test_what_is_removed_is_what_was_named(results: Path) -> None:
    put_all(results, "glass")
    remove(results, {Task(0, "cart", "glass"), Task(1, "cart", "boston"), Task(0, "c45", "glass")})
    assert [one.fold for one in read_all(results)] == list(FOLDS)[1:]


def test_a_result_knows_whether_it_is_of_the_present_options() -> None:
    one = make_result("cart", "glass", 0, 60.0)
    assert one.is_current
    assert not replace(one, options="").is_current
    assert not replace(one, rows="both").is_current


@pytest.mark.parametrize("text", ["set,fold\n", "", f"{','.join(COLUMNS)}\nglass,0\n"])
def test_a_file_that_is_not_ours_is_refused_in_words(results: Path, text: str) -> None:
    results.mkdir()
    (results / "cart.csv").write_text(text)
    with pytest.raises(ValueError, match=r"cart\.csv.*(restore it from git|line 2, is not a result)"):
        read_method(results, "cart")
