"""Tables of linear columns are built all at once, with the same bits as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.learners.soft.columns import piecewise
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec

R = np.random.default_rng(0)
X = np.c_[
    R.standard_cauchy((200, 2)), R.normal(1e7, 1e6, 200), R.integers(0, 3, 200), np.full(200, 3.0), R.normal(size=200)
]
X[::9, 1] = X[::7, 5] = np.nan


@pytest.mark.parametrize("spec", [BasisSpec(), BasisSpec(square=0.5), BasisSpec(normal_score=1.0, curve=(0.5,))])
def test_all_at_once_has_the_bits_of_one_by_one(spec: BasisSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    design = build_design(X, [0, 0, 0, 3, 0, 0], np.ones(len(X)), spec)
    together = piecewise.expansion_of(design, X.shape[1])
    monkeypatch.setattr(piecewise, "_tables", lambda made: lambda f: piecewise._piecewise_table(made, f))
    apart = piecewise.expansion_of(design, X.shape[1])
    for name, table in vars(together).items():
        assert np.asarray(table).tobytes() == np.asarray(getattr(apart, name)).tobytes(), name
