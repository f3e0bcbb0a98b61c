"""Binned rows: native sums and codes equal the reference to the bit, for any layout and number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels.contracts.bin_tree import BinnedRows, BinTree
from softwood.kernels.reference.bin_tree import bin_codes, sum_bins


def random_tree(rng: np.random.Generator, n_gates: int, n_inputs: int, n_bins: int) -> BinTree:
    """Every gate splits one of the existing leaves."""
    first, feature = np.full(2 * n_gates + 1, -1, np.int32), np.full(2 * n_gates + 1, -1, np.int32)
    for gate in range(n_gates):
        leaf = int(rng.choice(np.flatnonzero(first[: 2 * gate + 1] < 0)))
        first[leaf], feature[leaf] = 2 * gate + 1, rng.integers(n_inputs)
    return BinTree(first, feature, rng.integers(0, 2, (len(first), n_bins + 1)).astype(np.int8))


def random_rows(rng: np.random.Generator, n_bins: int, n_classes: int, n_targets: int = 1) -> BinnedRows:
    code = rng.integers(0, n_bins + 1, (3000, 4)).astype(np.uint8 if n_bins < 256 else np.uint16)
    y: Any = rng.integers(0, n_classes, 3000) if n_classes else rng.normal(size=(3000, n_targets))
    weight = rng.random(3000) * (rng.random(3000) > 0.2)
    return BinnedRows(np.asfortranarray(code), n_bins, y, weight, n_classes)


@pytest.mark.parametrize(("n_bins", "n_classes", "n_targets"), [(5, 3, 1), (255, 0, 1), (300, 2, 1), (300, 0, 3)])
def test_native_sums_are_those_of_the_reference(n_bins: int, n_classes: int, n_targets: int) -> None:
    rng = np.random.default_rng(n_bins + n_classes)
    rows, tree = random_rows(rng, n_bins, n_classes, n_targets), random_tree(rng, 6, 4, n_bins)
    leaves = np.flatnonzero(tree.first_child < 0)[1:]  # one leaf is left out
    place = np.full(len(tree.first_child), -1, np.int32)
    place[leaves] = rng.permutation(len(leaves))
    origin = rng.normal(size=(len(leaves), n_targets))
    wanted = sum_bins(rows, tree, place, origin)
    assert wanted[..., 0].sum() > 0
    for code in (rows.code, np.ascontiguousarray(rows.code), np.repeat(rows.code, 2, axis=1)[:, ::2]):
        for n_threads in (1, 3):
            found = kernels.sum_bins(rows._replace(code=code), tree, place, origin, n_threads)
            np.testing.assert_array_equal(found, wanted)
    nobody = BinnedRows(rows.code[:0], n_bins, rows.y[:0], rows.weight[:0], n_classes)
    assert not kernels.sum_bins(nobody, tree, place, origin, 1).any()


@pytest.mark.parametrize("n_bins", [9, 255, 400])
def test_native_codes_are_those_of_the_reference(n_bins: int) -> None:
    rng = np.random.default_rng(n_bins)
    X = np.round(rng.normal(size=(2000, 3)), 1)  # many values lie at an edge
    X[:, 2] = rng.integers(0, 9, 2000)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:2, 0] = np.inf, -np.inf
    edge = [np.unique(np.round(rng.normal(size=n_bins - 1), 1)), np.zeros(0), np.zeros(0)]
    levels = np.array([0, 0, 9], np.int32)
    wanted = bin_codes(X, edge, levels, n_bins)
    assert wanted.dtype == (np.uint8 if n_bins < 256 else np.uint16)
    for same in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        found = kernels.bin_codes(same, edge, levels, n_bins, 2)
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype


@pytest.mark.skipif(kernels.sum_bins is sum_bins, reason="NumPy looks at its own indices")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"first_child": [0, -1, -1]}, "two children must come after their gate"),
        ({"first_child": [2, -1, -1]}, "two children must come after their gate"),
        ({"feature": [4, -1, -1]}, "feature must name a column of code"),
        ({"child": np.full((3, 10), 2)}, "child must be 0 or 1"),
        ({"child": np.zeros((3, 9))}, "child of every bin"),
        ({"place": [-1, 0, 2]}, "place must be -1 or a row of origin"),
        ({"n_bins": 8, "child": np.zeros((3, 9))}, r"code must hold bins 0 .. n_bins"),
        ({"y": np.full(3000, 3)}, "y must be codes of classes"),
        ({"weight": np.ones(5)}, "weight and place do not fit"),
    ],
)
def test_what_would_be_read_out_of_bounds_is_refused(change: dict[str, Any], words: str) -> None:
    rows = random_rows(np.random.default_rng(1), 9, 3)
    parts: dict[str, Any] = {"first_child": [1, -1, -1], "feature": [0, -1, -1], "child": np.zeros((3, 10)),
                             "place": [-1, 0, 1], **rows._asdict(), **change}  # fmt: skip
    tree = BinTree(np.array(parts["first_child"]), np.array(parts["feature"]), np.array(parts["child"]))
    given = BinnedRows(**{name: parts[name] for name in rows._asdict()})
    with pytest.raises(ValueError, match=words):
        kernels.sum_bins(given, tree, np.array(parts["place"]), np.zeros((2, 1)), 1)
