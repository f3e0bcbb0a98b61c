"""The kinds of trees that a search tries: the basis of the gates and the slopes of the leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.params.params import Slopes
from softwood.learners.soft.regimes import MAX_CURVED_VALUES

Gate = Literal["auto", "axis", "linear", "quadratic", "additive"]
Leaf = Literal["auto", "constant", "linear"]

CURVE_SCALES = (0.7, 0.35, 0.23, 0.18, 0.14, 0.12)  # for frequency k: 1/k, so that the penalty grows as k^2
ADDITIVE = BasisSpec(normal_score=0.7, curve=CURVE_SCALES, quadratic=0.35)
EVIDENCE = BasisSpec(evidence=True)
BASIS_SPECS: dict[Gate, tuple[BasisSpec, ...]] = {
    "axis": (BasisSpec(),),
    "linear": (BasisSpec(),),
    "quadratic": (BasisSpec(square=0.5),),
    "additive": (ADDITIVE, EVIDENCE),
    "auto": (BasisSpec(), ADDITIVE, EVIDENCE),
}
MAX_CURVE_COLUMNS = 256  # for all inputs together; with many inputs, curves have fewer frequencies,
# but a normal score and two cosines (and the quadratic), which wide tables need; inputs are linear only if they are
# more than MAX_CURVE_COLUMNS, and their values more than MAX_CURVED_VALUES.
MIN_CURVES = 3
MAX_OUTPUTS_WITH_OWN_SLOPES = 4  # per leaf; with more outputs, leaves share their slopes


def basis_specs_for(gate: Gate, n_inputs: int, n_rows: int) -> tuple[BasisSpec, ...]:
    """Columns to try; with many inputs, curves have fewer frequencies."""
    may_curve = n_inputs <= MAX_CURVE_COLUMNS or n_inputs * n_rows <= MAX_CURVED_VALUES
    room = max(MAX_CURVE_COLUMNS // max(n_inputs, 1) - 1, MIN_CURVES if may_curve else 0)  # beside the linear column
    return tuple(dict.fromkeys(_within(basis_spec, room) for basis_spec in BASIS_SPECS[gate]))


def _within(basis_spec: BasisSpec, room: int) -> BasisSpec:
    """At most `room` columns beside the linear one: the normal score, then cosines; others are extra."""
    score, curve = (basis_spec.normal_score if room > 0 else 0.0), basis_spec.curve[: max(0, room - 1)]
    return replace(basis_spec, normal_score=score, curve=curve, quadratic=basis_spec.quadratic if curve else 0.0)


def slopes_for(leaf: Leaf, outputs: int, is_monotone: bool = False) -> tuple[Slopes, ...]:
    """Kinds of responses to try.

    With monotone inputs, shared slopes go with gates on these inputs, own slopes with gates without them
    (monotone_refine.py): both are tried.
    """
    if is_monotone:
        of_linear: tuple[Slopes, ...] = ("shared", "own") if outputs <= MAX_OUTPUTS_WITH_OWN_SLOPES else ("shared",)
        return {"constant": ("none",), "linear": of_linear, "auto": ("none", *of_linear)}[leaf]
    linear: Slopes = "own" if outputs <= MAX_OUTPUTS_WITH_OWN_SLOPES else "shared"
    kinds: dict[Leaf, tuple[Slopes, ...]] = {"constant": ("none",), "linear": (linear,), "auto": ("none", linear)}
    return kinds[leaf]
