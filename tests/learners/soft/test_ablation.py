"""Ablation importance: two methods."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.params.params import Slopes, SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search import ablation
from softwood.learners.soft.search.ablation import _losses_by_passes, _losses_by_sums, ablation_importance
from softwood.learners.soft.search.fold import make_sample_engine


def make_tree(rng: np.random.Generator, columns: int, outputs: int, slopes: Slopes) -> SoftTreeParams:
    """A tree of five nodes, every number at random."""
    own_columns = np.array([0, 2] if slopes == "mixed" else [], np.int32)
    tree = SoftTreeParams.root(rng.normal(size=outputs), columns, slopes, own_columns=own_columns)
    for leaf in (0, 2):
        tree = tree.split(leaf, rng.normal(size=columns + 1), rng.normal(size=outputs), rng.normal(size=outputs))
    return tree.with_parameters(rng.normal(size=len(tree.parameters)))


@pytest.mark.parametrize("slopes", ["none", "shared", "own", "mixed"])
@pytest.mark.parametrize("loss", [Loss.SQUARED, Loss.LOGISTIC, Loss.SOFTMAX, Loss.POISSON, Loss.ABSOLUTE])
def test_losses_by_sums_are_those_by_passes(loss: Loss, slopes: Slopes) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 3)), rng.integers(0, 3, 60), np.full(60, 2.0)])
    X[rng.random(X.shape) < 0.1] = np.nan
    outputs = 3 if loss == Loss.SOFTMAX else 1
    target = np.eye(3)[rng.integers(0, 3, 60)] if loss == Loss.SOFTMAX else rng.integers(0, 2, (60, 1)).astype(float)
    rows = Dataset(X, target, rng.random(60), [0, 0, 0, 3, 0], loss)
    design = build_design(X, rows.n_levels, rows.weight, BasisSpec(curve=(0.7, 0.35)))
    tree = make_tree(rng, len(design), outputs, slopes)
    engine = make_sample_engine(rows, design, single=False)
    by_sums, by_passes = (
        list(way) for way in (_losses_by_sums(tree, design, rows), _losses_by_passes(tree, design, engine))
    )
    assert len(by_sums) == 1 + len(np.unique(design.feature))
    np.testing.assert_allclose(by_sums, by_passes, rtol=1e-6)
    assert np.ptp(by_sums) > 1e-3


def test_of_many_inputs_no_pass_over_all_columns_is_made_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 rows of 50,000 inputs: as many passes over as many columns were hours."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 8))
    rows = Dataset(X, X[:, :1] - X[:, 1:2], np.ones(30), [0] * 8, Loss.SQUARED)
    design = build_design(X, rows.n_levels, rows.weight, BasisSpec())
    tree, engine = make_tree(rng, len(design), 1, "own"), make_sample_engine(rows, design, single=False)
    wanted = ablation_importance(tree, design, rows, engine)
    monkeypatch.setattr(ablation, "MAX_INPUTS_BY_PASSES", 7)
    monkeypatch.setattr(SoftTreeParams, "hold_columns", None)
    np.testing.assert_allclose(ablation_importance(tree, design, rows, engine), wanted, rtol=1e-6)


def test_of_many_inputs_the_terms_of_each_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And twice where there is no room to keep them, with the same bits."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 8))
    rows = Dataset(X, X[:, :1] - X[:, 1:2], np.ones(30), [0] * 8, Loss.SQUARED)
    design = build_design(X, rows.n_levels, rows.weight, BasisSpec(curve=(0.7, 0.35)))
    tree, made, of_input = make_tree(rng, len(design), 1, "own"), [], DesignMatrix.of_input
    monkeypatch.setattr(DesignMatrix, "of_input", lambda *given: (made.append(1), of_input(*given))[1])
    kept = list(_losses_by_sums(tree, design, rows))
    assert len(made) == 8
    monkeypatch.setattr(ablation, "MAX_KEPT_TERMS", 0)
    assert list(_losses_by_sums(tree, design, rows)) == kept
    assert len(made) == 8 + 2 * 8
