"""Folds: five times two halves and one test third, no row in two places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from softwood.datasets import DataSet, folds, load


def made(y: np.ndarray, task: str) -> DataSet:
    return DataSet("made", "MAD", task, np.zeros((len(y), 1)), y, ("x",))


def test_published_folds_are_those_of_the_file(folder: Path) -> None:
    ten = folds("boston", folder=folder)
    assert all(fold.published for fold in ten)
    assert [ten[0].train.tolist(), ten[0].validation.tolist(), ten[0].test.tolist()] == [[1, 2], [3, 4], [0, 5]]
    assert [ten[9].train.tolist(), ten[9].validation.tolist()] == [[1, 2], [3, 4]]


def test_a_split_file_of_another_set_is_refused(folder: Path) -> None:
    (folder / "splits" / "glass.csv.gz").write_bytes((folder / "splits" / "boston.csv.gz").read_bytes())
    with pytest.raises(ValueError, match=r"must have the columns test, rep1, .* and 90 rows"):
        folds("glass", folder=folder)


@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_seeded_folds_part_the_rows(task: str) -> None:
    y = np.random.default_rng(0).integers(0, 3, 100)
    ten = folds(made(y, task))
    assert len(ten) == 10
    for fold in ten:
        assert sorted(np.r_[fold.train, fold.validation, fold.test]) == list(range(100))
        np.testing.assert_array_equal(fold.test, ten[0].test)
        assert not fold.published
    for one, other in zip(ten[::2], ten[1::2], strict=True):
        np.testing.assert_array_equal(one.train, other.validation)
    assert len({tuple(fold.train) for fold in ten}) == 10


def test_seeded_folds_keep_the_shares_of_the_classes(folder: Path) -> None:
    data = load("glass", folder=folder)
    for fold in folds(data):
        for rows in (fold.train, fold.validation, fold.test):
            assert np.ptp(np.bincount(data.y[rows])[1:]) <= 1


def test_a_seed_is_a_deal() -> None:
    data = made(np.arange(60) % 2, "binary")
    assert folds(data, seed=1)[0].train.tolist() == folds(data, seed=1)[0].train.tolist()
    assert folds(data, seed=1)[0].test.tolist() != folds(data, seed=0)[0].test.tolist()
