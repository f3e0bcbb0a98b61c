"""The law of exports: the same predictions and classes as the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.formats.program import make_program
from tests.formats.exports.cases import Case

TOLERANCE = 1e-12  # relative, or absolute below 1: another exponential function may differ in its last digit


def check(case: Case, answers: Any, labels: Any = None, tolerance: float = TOLERANCE) -> None:
    """Predictions are equal to the last digit without an exponential function or sum over paths, else nearly equal."""
    got = np.asarray(answers, np.float64).reshape(case.answers.shape)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(got, case.answers, rtol=tolerance, atol=tolerance, err_msg=case.name)
    if is_exact(case) and tolerance == TOLERANCE:
        np.testing.assert_array_equal(got, case.answers, err_msg=case.name)
    if labels is not None:
        assert list(labels) == case.labels, case.name


def is_exact(case: Case) -> bool:
    """Whether a row's prediction is the constant of one node, without an exponential function."""
    program = make_program(case.model)
    constant = not any(node.slopes for node in program.nodes)
    return program.takes_one_path and constant and program.link.name == "IDENTITY"
