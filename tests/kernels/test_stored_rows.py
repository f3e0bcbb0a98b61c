"""Sparse rows of soft trees give the same sums as the reference over the same columns as an array."""

import pickle
from functools import cached_property

import numpy as np
import pytest

from softwood.kernels import make_shape, reference
from softwood.kernels.dispatch import native
from softwood.kernels.kinds import Loss, LossKind
from softwood.kernels.reference.gradient import SoftRows
from softwood.kernels.sparse.stored_rows import StoredColumns, StoredRows
from softwood.kernels.sparse.table import SparseTable


class TwinRows(StoredRows):
    """Rows whose passes are the reference's, whichever kernels run."""

    @cached_property
    def _passes(self):
        return reference.StoredPasses(self)


SLOPES = {"none": ([-1, -1, -1], 0), "shared": ([0, 0, 0], 1), "own": ([0, 1, 2], 3), "some": ([1, -1, 0], 2)}


def table(rng, n=60, columns=9):
    X = np.where(rng.random((n, columns)) < 0.7, 0.0, rng.normal(size=(n, columns)))
    X[:, 4] = 0.0
    X[rng.random(X.shape) < 0.03] = np.nan
    return X


def both(rng, outputs, loss, kind=TwinRows):
    """Stored rows and the reference's over the same columns."""
    X = table(rng)
    inputs, gone = np.array([0, 1, 3, 4, 5, 8]), np.array([1, 5])
    fill, scale, shift = rng.normal(size=6), rng.uniform(0.5, 2.0, 8), rng.normal(size=8)
    known = np.where(np.isnan(X[:, inputs]), fill, X[:, inputs])
    phi = np.column_stack([known, np.isnan(X[:, gone])]) * scale + shift
    target = rng.normal(size=(len(X), outputs))
    if loss.is_classes:
        target = np.eye(outputs + 1)[rng.integers(0, outputs + 1, len(X))][:, 1:] if outputs == 1 else np.eye(outputs)[
            rng.integers(0, outputs, len(X))
        ]  # fmt: skip
    weight = rng.uniform(0.5, 2.0, len(X))
    columns = StoredColumns.make(SparseTable.of_dense(X), inputs, fill, gone, scale, shift)
    stored = kind.make(columns, target, weight, loss, np.arange(6), 6)
    return stored, SoftRows.make(phi, target, weight, int(loss.kind), loss.parameter), known


def tree(rng, kind, outputs, columns=8):
    row, slopes = SLOPES[kind]
    shape = make_shape(np.array([1, -1, 3, -1, -1], np.int32), np.array(row, np.int32), slopes, columns, outputs)
    return shape, rng.normal(size=shape.parameters)


TASKS = [(1, Loss.SQUARED), (1, Loss.LOGISTIC), (3, Loss.SOFTMAX), (2, Loss.SQUARED)]
MIXING = [(1, Loss.LOGISTIC.mixing_answers), (3, Loss.SOFTMAX.mixing_answers)]


@pytest.mark.parametrize("rows", [StoredRows, TwinRows])
@pytest.mark.parametrize(
    ("kind", "outputs", "loss"),
    [*((kind, *task) for kind in SLOPES for task in TASKS), *(("none", *task) for task in MIXING)],
)
def test_sums_are_those_of_the_reference(kind, outputs, loss, rows):
    rng = np.random.default_rng(3)
    stored, dense, _ = both(rng, outputs, loss, rows)
    shape, numbers = tree(rng, kind, outputs)
    for mine, wanted in zip(stored.answers(shape, numbers), dense.answers(shape_of(shape), numbers), strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-11, atol=1e-11)
    value, slope = stored.gradient(shape, numbers)
    wanted_value, wanted_slope = dense.gradient(shape_of(shape), numbers)
    np.testing.assert_allclose(value, wanted_value, rtol=1e-12)
    np.testing.assert_allclose(slope, wanted_slope, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(stored.mean_reach(shape, numbers), dense.mean_reach(shape_of(shape), numbers), 1e-12)
    for node in (0, 1, 3):
        found, wanted = (
            stored.split_direction(shape, numbers, node),
            dense.split_direction(shape_of(shape), numbers, node),
        )
        for mine, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9)


def shape_of(shape):
    from softwood.kernels.reference.gradient import SoftShape

    child, row = np.array(shape.first_child, np.int32), np.array(shape.slope_row, np.int32)
    return SoftShape(child, row, shape.slopes, shape.columns, shape.outputs)


@pytest.mark.parametrize(("loss", "slopes"), [(Loss.LOGISTIC, "own"), (Loss.LOGISTIC.mixing_answers, "none")])
def test_histograms_count_rows_that_store_something(loss, slopes):
    rng = np.random.default_rng(4)
    stored, dense, known = both(rng, 1, loss)
    shape, numbers = tree(rng, slopes, 1)
    there = (known != 0.0).astype(np.uint8)
    wanted = dense.histograms(shape_of(shape), numbers, there, 2, [1, 3])
    np.testing.assert_allclose(stored.histograms(shape, numbers, None, 2, [1, 3]), wanted, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.LOGISTIC.mixing_answers])
def test_rows_under_a_leaf_and_refinement_are_the_reference_s(loss):
    rng = np.random.default_rng(5)
    stored, dense, _ = both(rng, 1, loss)
    shape, numbers = tree(rng, "none", 1)
    under, wanted = stored.under(shape, numbers, 3), dense.under(shape_of(shape), numbers, 3)
    np.testing.assert_allclose(under.offset, wanted.offset, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(under.arrival, wanted.arrival, rtol=1e-11)
    terms = (np.full(len(numbers), 0.1), np.zeros(len(numbers)), np.zeros(len(numbers)))
    value, place, _ = under.refine(shape, numbers, *terms, 30, 1e-9)
    wanted_value, wanted_place, _ = wanted.refine(shape_of(shape), numbers, *terms, 30, 1e-9)
    np.testing.assert_allclose(value, wanted_value, rtol=1e-7)
    np.testing.assert_allclose(place, wanted_place, atol=1e-4)


def test_rows_without_columns():
    X = SparseTable.of_dense(np.zeros((4, 3)))
    none = np.zeros(0, np.intp)
    columns = StoredColumns.make(X, none, np.zeros(0), none, np.zeros(0), np.zeros(0))
    rows = TwinRows.make(columns, np.array([[0.0], [1.0], [1.0], [1.0]]), np.ones(4), Loss.SQUARED)
    shape = make_shape(np.array([-1], np.int32), np.zeros(1, np.int32), 1, 0, 1)
    value, slope = rows.gradient(shape, np.array([0.5]))
    assert value == 0.125
    np.testing.assert_allclose(slope, [-0.25])


needs_native = pytest.mark.skipif(native is None, reason="there is no native code to compare")


@needs_native
@pytest.mark.parametrize("kind", SLOPES)
@pytest.mark.parametrize(
    ("outputs", "loss"),
    [(1, Loss.SQUARED), (1, Loss.LOGISTIC), (6, Loss.SOFTMAX), (2, Loss.SQUARED), (1, Loss(LossKind.HUBER, 0.7))],
)
def test_native_rows_sum_what_their_twin_sums(kind, outputs, loss):
    rng = np.random.default_rng(6)
    twin, quick = (both(np.random.default_rng(8), outputs, loss, rows)[0] for rows in (TwinRows, StoredRows))
    shape, numbers = tree(rng, kind, outputs)
    for rows, other in ((quick, twin), (quick.under(shape, numbers, 3), twin.under(shape, numbers, 3))):
        for mine, wanted in zip(rows.answers(shape, numbers), other.answers(shape, numbers), strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=1e-12, atol=1e-13)
        value, slope = rows.gradient(shape, numbers)
        wanted_value, wanted_slope = other.gradient(shape, numbers)
        np.testing.assert_allclose([value, rows.loss(shape, numbers)], wanted_value, rtol=1e-12)
        np.testing.assert_allclose(slope, wanted_slope, rtol=1e-11, atol=1e-13)


@needs_native
def test_native_rows_are_refined_as_their_twin_and_by_any_threads_to_the_same_bits():
    rng = np.random.default_rng(5)
    X = SparseTable.of_dense(np.where(rng.random((3000, 40)) < 0.8, 0.0, rng.normal(size=(3000, 40))))
    every, none = np.arange(40), np.zeros(0, np.intp)
    columns = StoredColumns.make(X, every, np.zeros(40), none, np.ones(40), np.full(40, -0.1))
    target = (rng.random((3000, 1)) < 0.5).astype(float)
    shape, numbers = tree(rng, "own", 1, 40)
    terms = (np.full(len(numbers), 0.01), np.zeros(len(numbers)), np.zeros(len(numbers)))
    twin, quick = (rows.make(columns, target, np.ones(3000), Loss.LOGISTIC) for rows in (TwinRows, StoredRows))
    value, place, _ = twin.refine(shape, numbers, *terms, 12, 1e-9)
    found = quick.refine(shape, numbers, *terms, 12, 1e-9)
    np.testing.assert_allclose(found[0], value, rtol=1e-8)
    np.testing.assert_allclose(found[1], place, atol=1e-3)
    for threads in (2, 5):
        again = quick.refine(shape, numbers, *terms, 12, 1e-9, threads)
        assert again[0] == found[0]
        assert again[1].tobytes() == found[1].tobytes()


@needs_native
@pytest.mark.parametrize(
    ("begin", "column", "told"),
    [([0, 1, 3], [0, 2, 1], "rise"), ([0, 2, 1], [0, 1, 1], "end"), ([0, 1, 2], [0, 3], "not there"),
     ([0, 1, 2], [0, -1], "not there"), ([0, 2], [0, 1], "same rows")],
)  # fmt: skip
def test_native_rows_that_are_none_are_refused(begin, column, told):
    stored = (np.array(begin, np.int32), np.array(column, np.int32), np.ones(len(column)), np.zeros(3))
    known = (np.zeros((2, 1)), np.full(2, 0.5), np.zeros((2, 1)), np.ones((2, 1)))
    with pytest.raises(ValueError, match=told):
        native.StoredRows.make(*stored, *known, 0, 0.0)


def test_rows_are_native_where_that_is_built():
    rows = both(np.random.default_rng(0), 1, Loss.SQUARED, StoredRows)[0]
    assert isinstance(rows._passes, reference.StoredPasses) == (native is None)


def test_a_pickle_of_rows_leaves_native_memory_out():
    rows = both(np.random.default_rng(0), 1, Loss.SQUARED, StoredRows)[0]
    shape, numbers = tree(np.random.default_rng(1), "own", 1)
    loss = rows.loss(shape, numbers)
    assert pickle.loads(pickle.dumps(rows)).loss(shape, numbers) == loss
