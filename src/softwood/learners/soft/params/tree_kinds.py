"""Which kinds of trees a search tries: the basis of the gates and the slopes of the leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.params.params import Slopes

Gate = Literal["auto", "axis", "linear", "quadratic", "additive"]
Leaf = Literal["auto", "constant", "linear"]

CURVE = (0.7, 0.35, 0.23, 0.18, 0.14, 0.12)  # scales of curves by frequency: as 1/k, so that the penalty grows as k^2
ADDITIVE = BasisSpec(normal_score=0.7, curve=CURVE, quadratic=0.35)
# Ramps of a number where rows are many, and the spread of their sum. 16 and 1, 32 and 3 were no better on adult and
# flights, 64 and 3 were no better on adult.
N_RAMPS, RAMP = 32, 2.0
LOCAL = replace(ADDITIVE, curve=CURVE[:2], ramp=RAMP, n_ramps=N_RAMPS)
MANY_ROWS = 6_000  # beyond which there are so many, and kinds are screened on some of the rows
ROWS_BY_RAMP = 250  # up to there, of all rows; 180 had a hundredth more error with 4,000 rows, in a tenth more time
SOME_ROWS = 250  # from which curves with ramps are tried, too
FEW_ROWS = 3_000  # up to which there are five folds (dataset.py), which tell of ramps input by input,
FEW_RAMPS = 16  # so many, beside all cosines; 8 were worse on made tables of 500 and 1,000 rows, 24 hardly better
BESIDE = replace(ADDITIVE, ramp=RAMP, n_ramps=FEW_RAMPS)
MOST_LOCAL, LEAST_RAMPS = 1024, 8  # columns that ramps may make; and how many each number has, else there are none
ROWS_BY_LOCAL = 2.0  # rows for each of these columns, at least,
ROWS_BY_SLOPE = 0.5  # and for each of their slopes, of which a class has its own
BASIS_SPECS: dict[Gate, tuple[BasisSpec, ...]] = {
    "axis": (BasisSpec(),),
    "linear": (BasisSpec(),),
    "quadratic": (BasisSpec(square=0.5),),
    "additive": (ADDITIVE,),
    "auto": (BasisSpec(), ADDITIVE),
}
WIDE = 256  # columns; where curves would give more, they get fewer frequencies,
LEAST_CURVED = 3  # but a normal score and two curves at least (and the quadratic), without which wide tables lose much
MOST_CURVED, FEW_CELLS = (
    256,
    1_000_000,
)  # inputs, values of all rows, up to which that is so; beyond, all are linear
OWN_SLOPES = 4  # outputs up to which each leaf has its own slopes; beyond, the leaves share them


def basis_specs_for(gate: Gate, n_inputs: int, n_rows: int, outputs: int = 1) -> tuple[BasisSpec, ...]:
    """Columns to try; where inputs are many, curves have fewer frequencies, and where outputs are, fewer ramps."""
    least = LEAST_CURVED if n_inputs <= MOST_CURVED or n_inputs * n_rows <= FEW_CELLS else 0
    room = max(WIDE // max(n_inputs, 1) - 1, least)  # beside the linear column
    specs = [_within(basis_spec, room) for basis_spec in BASIS_SPECS[gate]]
    local = _with_ramps(n_inputs, n_rows, outputs, room)
    if local.n_ramps >= LEAST_RAMPS and ADDITIVE in BASIS_SPECS[gate]:
        specs.append(local)
    return tuple(dict.fromkeys(specs))


def _with_ramps(n_inputs: int, n_rows: int, outputs: int, room: int) -> BasisSpec:
    """Curves with as many ramps as the rows are for: beside all that smooth curves have where rows are few."""
    if n_rows < SOME_ROWS:
        return ADDITIVE
    most = MOST_LOCAL // max(n_inputs, 1)
    if n_rows <= FEW_ROWS:
        columns = n_rows / max(ROWS_BY_LOCAL, outputs * ROWS_BY_SLOPE)
        return replace(_within(BESIDE, room), n_ramps=min(FEW_RAMPS, most, int(columns / max(n_inputs, 1))))
    return replace(LOCAL, n_ramps=min(N_RAMPS if n_rows > MANY_ROWS else n_rows // ROWS_BY_RAMP, most))


def _within(basis_spec: BasisSpec, room: int) -> BasisSpec:
    """So many columns beside the linear one: the normal score, then curves; quadratic and point mass come on top."""
    score, curve = (basis_spec.normal_score if room > 0 else 0.0), basis_spec.curve[: max(0, room - 1)]
    return replace(basis_spec, normal_score=score, curve=curve, quadratic=basis_spec.quadratic if curve else 0.0)


def slopes_for(leaf: Leaf, outputs: int, is_monotone: bool = False) -> tuple[Slopes, ...]:
    """Kinds of responses to try.

    With monotone inputs, slopes that leaves share go with gates that look at these inputs, own ones with gates that do
    not (monotone_refine.py): both are tried.
    """
    if is_monotone:
        of_linear: tuple[Slopes, ...] = ("shared", "own") if outputs <= OWN_SLOPES else ("shared",)
        return {"constant": ("none",), "linear": of_linear, "auto": ("none", *of_linear)}[leaf]
    linear: Slopes = "own" if outputs <= OWN_SLOPES else "shared"
    kinds: dict[Leaf, tuple[Slopes, ...]] = {"constant": ("none",), "linear": (linear,), "auto": ("none", linear)}
    return kinds[leaf]
