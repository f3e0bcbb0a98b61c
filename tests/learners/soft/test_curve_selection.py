"""Curves with or without ramps: selected by roots in large tables; trees of both are tried in smaller ones."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels.kinds import Loss
from softwood.learners.soft.learn import make_search, training_rows
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.curve_selection import select_curves
from softwood.learners.soft.search.trials import Trials


def trials_of(n: int, y_of: str) -> Trials:
    """Steps, or a smooth sum; of three inputs."""
    rng = np.random.default_rng(3)
    X = rng.random((n, 3))
    f = np.floor(6.0 * X[:, 0]) + 3.0 * (np.abs(X[:, 1] - 0.37) < 0.05) if y_of == "steps" else 4.0 * X[:, 0] ** 2
    y = f + 0.2 * rng.normal(size=n)
    how = JointOptions()
    return make_search(
        training_rows(Dataset(X, y[:, None], np.ones(n), [0] * 3, Loss.SQUARED), how), None, how, None
    ).trials


def curved(trials: Trials) -> list[bool]:
    """Of every spec with curves, whether it has ramps."""
    return [spec.basis_spec.n_ramps > 0 for spec in trials.specs if spec.basis_spec.curve]


@pytest.mark.parametrize(("n", "kept"), [(4_000, [False, True]), (8_000, [True])])
def test_steps_keep_ramps_and_smooth_curves_too_where_trees_are_to_tell(n: int, kept: list[bool]) -> None:
    trials = trials_of(n, "steps")
    assert curved(trials) == [False, True]
    select_curves(trials)
    assert curved(trials) == kept
    assert trials.smooth_curves is not None
    assert trials.smooth_curves.basis_spec.n_ramps == 0


@pytest.mark.parametrize("n", [4_000, 8_000])
def test_smooth_sums_keep_smooth_curves(n: int) -> None:
    trials = trials_of(n, "smooth")
    select_curves(trials)
    assert curved(trials) == [False]
