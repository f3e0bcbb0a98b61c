"""The input of the Triton kernels, on the CPU: terms and tables give the columns' scores; gradients map back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from softwood.engines.torch import fused
from softwood.engines.torch.columns import MISSING, SQUARE, Tables, Terms, choose_columns
from softwood.engines.torch.rows import DeviceRows, load_rows
from softwood.kernels import make_shape
from softwood.kernels.contracts.expansion import Expansion, expand
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.piecewise import expansion_of

ROWS = 300
ADDITIVE = BasisSpec(normal_score=0.7, curve=(0.7, 0.35), quadratic=0.35)
FIRST_CHILD = np.array([1, 5, 3, -1, -1, -1, 7, -1, -1], np.int32)  # not breadth first


def problem(spec: BasisSpec, gaps: bool) -> tuple[np.ndarray, Expansion, DeviceRows]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 5))
    X[:, 1] = 3.0  # constant: it has no columns
    if gaps:
        X[::7, 2:4] = np.nan
    expansion = expansion_of(build_design(X, [0] * 5, np.ones(ROWS), spec), 5)
    rows = load_rows(X, expansion, np.zeros((ROWS, 1)), np.ones(ROWS), Loss.SQUARED, torch.device("cpu"), torch.float64)
    return expand(X, expansion), expansion, rows


def read_terms(columns: Terms, rows: DeviceRows) -> np.ndarray:
    """The terms as the kernel reads them, (rows, terms)."""
    found = rows.place[columns.input_of.long()]
    found = torch.where(columns.kind[:, None] == SQUARE, found * found, found)
    if rows.segment is not None:
        missing = rows.segment[columns.input_of.long()].double()
        found = torch.where(columns.kind[:, None] == MISSING, missing, found)
    return found.T.numpy()[:ROWS]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("spec", [BasisSpec(), BasisSpec(square=0.5)], ids=["linear", "quadratic"])
def test_scores_of_terms_are_those_of_columns_and_their_sums_are_the_gradient(spec: BasisSpec, gaps: bool) -> None:
    phi, expansion, rows = problem(spec, gaps)
    columns = choose_columns(rows, expansion)
    assert isinstance(columns, Terms)
    rng = np.random.default_rng(1)
    lines, by_score = rng.normal(size=(3, phi.shape[1])), rng.normal(size=(3, ROWS))
    terms = read_terms(columns, rows)
    by_term, shift = columns.spread(lines)
    np.testing.assert_allclose(terms @ by_term.T + shift, phi @ lines.T, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(columns.gather(by_score @ terms, by_score.sum(axis=1)), by_score @ phi, atol=1e-10)


@pytest.mark.parametrize(("gaps", "n_parts"), [(False, 2), (True, 2)])
def test_scores_of_tables_are_those_of_columns(gaps: bool, n_parts: int) -> None:
    phi, expansion, rows = problem(ADDITIVE, gaps)
    columns = choose_columns(rows, expansion)
    assert isinstance(columns, Tables)
    lines, width = np.random.default_rng(1).normal(size=(3, phi.shape[1])), 16
    packed = np.zeros((columns.n_terms, width))
    packed[:, :3] = columns.spread(lines)[0].T
    tables = columns.by_gate(torch.from_numpy(packed.ravel()), width).double().numpy()
    scores, columns_made = np.zeros((ROWS, width)), np.zeros((ROWS, columns.n_terms))
    for number, f in enumerate(columns.input_of.tolist()[: columns.n_inputs]):
        t, segment = rows.place[f].numpy()[:ROWS, None], rows.segment[f].numpy()[:ROWS]
        scores += tables[number, segment, :, 0] + tables[number, segment, :, 1] * t
    for part in columns.parts:
        for i, f in enumerate(part.input_of.tolist()):
            t, segment = rows.place[f].numpy()[:ROWS, None], rows.segment[f].numpy()[:ROWS]
            made = part.by_column[i].double().numpy()[segment]
            begin = part.begin + i * part.chunk
            columns_made[:, begin : begin + part.chunk] = made[:, :, 0] + made[:, :, 1] * t
    assert len(columns.parts) == n_parts
    np.testing.assert_allclose(scores[:, :3], phi @ lines.T, atol=1e-5)
    np.testing.assert_allclose(columns.gather(columns_made, np.zeros(ROWS)), phi, atol=1e-6)


@pytest.mark.parametrize(("row", "slopes"), [([-1] * 5, 0), ([0] * 5, 1), (list(range(5)), 5)])
@pytest.mark.parametrize("spec", [BasisSpec(), ADDITIVE], ids=["linear", "additive"])
def test_parameters_come_back_in_their_order(row: list[int], slopes: int, spec: BasisSpec) -> None:
    """Packed parameters, treated as the kernel's sums, give the parameters again (through the columns' mix)."""
    _, expansion, rows = problem(spec, False)
    columns = choose_columns(rows, expansion)
    assert columns is not None
    n = expansion.n_columns
    shape = make_shape(FIRST_CHILD, np.array(row, np.int32), slopes, n, 1)
    layout = fused.lay_out(shape)
    assert layout is not None
    assert layout.branches == 0b10111  # breadth first: both children of the root have children, of the next only one
    parameters = np.random.default_rng(2).normal(size=shape.parameters)
    packed = fused.pack(layout, parameters, columns).astype(np.float64)
    end = columns.n_terms * layout.width
    weights = packed[:end].reshape(columns.n_terms, layout.width).T
    if isinstance(columns, Terms):  # undo the mix, of which `gather` is the transpose and not the inverse
        columns = replace(columns, mix=np.linalg.inv(columns.mix).T, offset=np.zeros(n))
    found = fused.unpack(layout, np.concatenate([weights.ravel(), packed[end:], [0.0]]), columns)
    gates = len(layout.gate) * (n + 1)
    weight_found, weight = (part[:gates].reshape(-1, n + 1)[:, :n] for part in (found / fused.TO_BITS, parameters))
    np.testing.assert_allclose(weight_found, weight, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[gates:], parameters[gates:], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("first", "row", "slopes", "outputs"),
    [
        ([-1], [-1], 0, 1),  # no gate
        ([1, -1, -1], [-1, -1], 0, 2),  # two outputs
        ([1, -1, -1], [-1, 0], 1, 1),  # a slope for some leaves
    ],
)
def test_trees_that_go_by_operators(first: list[int], row: list[int], slopes: int, outputs: int) -> None:
    assert fused.lay_out(make_shape(np.array(first, np.int32), np.array(row, np.int32), slopes, 3, outputs)) is None


def test_rows_on_the_cpu_have_no_kernel() -> None:
    _, expansion, rows = problem(BasisSpec(), False)
    assert fused.make_fused(rows, expansion) is None
