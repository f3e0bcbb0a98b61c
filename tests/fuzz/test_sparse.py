"""Random tables as sparse matrices, from which soft trees learn without conversion, even if small."""

from dataclasses import replace

import pytest

from softwood.intake.cells import sparse_rows
from tests.fuzz.cases import draw_case
from tests.fuzz.containers import NUMBERS
from tests.fuzz.examine import examine

CASES = 12


def sparse_cases():
    """Cases of soft trees whose tables are numbers."""
    found, seed = [], 0
    while len(found) < CASES:
        case, seed = draw_case(seed), seed + 1
        curved = case.parameters.get("gate") in ("additive", "quadratic")
        if case.estimator.startswith("SoftTree") and case.table.container in NUMBERS and not curved:
            refit = "order" if case.refit == "kernels" else case.refit
            found.append(replace(case, table=replace(case.table, container="sparse"), refit=refit))
    return found


@pytest.mark.parametrize("case", sparse_cases(), ids=lambda case: str(case.seed))
def test_laws_hold_for_sparse_matrices(case, monkeypatch):
    monkeypatch.setattr(sparse_rows, "FEW_BYTES", -1)
    monkeypatch.setattr(sparse_rows, "MOST_PART", 1.0)
    assert [finding.text for finding in examine(case)[0]] == []
