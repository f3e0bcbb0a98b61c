"""Ablation importance."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.engines.memory import from_columns
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.params.params import Slopes, SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search import ablation
from softwood.learners.soft.search.ablation import _losses


def make_tree(rng: np.random.Generator, columns: int, outputs: int, slopes: Slopes) -> SoftTreeParams:
    """A tree of five nodes, every number at random."""
    own_columns = np.array([0, 2] if slopes == "mixed" else [], np.int32)
    tree = SoftTreeParams.root(rng.normal(size=outputs), columns, slopes, own_columns=own_columns)
    for leaf in (0, 2):
        tree = tree.split(leaf, rng.normal(size=columns + 1), rng.normal(size=outputs), rng.normal(size=outputs))
    return tree.with_parameters(rng.normal(size=len(tree.parameters)))


@pytest.mark.parametrize("slopes", ["none", "shared", "own", "mixed"])
@pytest.mark.parametrize("loss", [Loss.SQUARED, Loss.LOGISTIC, Loss.SOFTMAX, Loss.POISSON, Loss.ABSOLUTE])
def test_losses_are_those_of_columns_that_stand_still(loss: Loss, slopes: Slopes) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 3)), rng.integers(0, 3, 60), np.full(60, 2.0)])
    X[rng.random(X.shape) < 0.1] = np.nan
    outputs = 3 if loss == Loss.SOFTMAX else 1
    target = np.eye(3)[rng.integers(0, 3, 60)] if loss == Loss.SOFTMAX else rng.integers(0, 2, (60, 1)).astype(float)
    rows = Dataset(X, target, rng.random(60), [0, 0, 0, 3, 0], loss)
    design = build_design(X, rows.n_levels, rows.weight, BasisSpec(curve=(0.7, 0.35)))
    tree = make_tree(rng, len(design), outputs, slopes)
    phi, share = design.make(X), rows.weight / rows.weight.sum()
    inputs = np.unique(design.feature)
    still = [np.where(design.feature == f, share @ phi, phi) for f in inputs]
    wanted = [tree.loss(from_columns(made, target, rows.weight, loss, single=False)) for made in (phi, *still)]
    found = list(_losses(tree, design, rows))
    assert len(found) == 1 + len(inputs)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert np.ptp(found) > 1e-3


def test_of_many_inputs_the_terms_of_each_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And twice where there is no room to keep them, with the same bits."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 8))
    rows = Dataset(X, X[:, :1] - X[:, 1:2], np.ones(30), [0] * 8, Loss.SQUARED)
    design = build_design(X, rows.n_levels, rows.weight, BasisSpec(curve=(0.7, 0.35)))
    tree, made, of_input = make_tree(rng, len(design), 1, "own"), [], DesignMatrix.of_input
    monkeypatch.setattr(DesignMatrix, "of_input", lambda *given: (made.append(1), of_input(*given))[1])
    kept = list(_losses(tree, design, rows))
    assert len(made) == 8
    monkeypatch.setattr(ablation, "MAX_NUMBERS_AT_ONCE", 0)
    assert list(_losses(tree, design, rows)) == kept
    assert len(made) == 8 + 2 * 8
