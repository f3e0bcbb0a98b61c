"""The pruning table as printed: of a known set, and of one too long to print whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine, make_moons

from softwood import CARTClassifier

GOLDEN = Path(__file__).parent


def test_the_table_of_wine() -> None:
    model = CARTClassifier().fit(*load_wine(return_X_y=True))
    assert str(model.pruning_table_) + "\n" == (GOLDEN / "wine.pruning.txt").read_text(encoding="utf-8")


def test_a_long_table_shows_the_small_trees_and_the_chosen_one() -> None:
    X, y = make_moons(3000, noise=0.6, random_state=0)
    table = CARTClassifier(criterion="entropy").fit(X, y).pruning_table_
    lines = str(table).splitlines()
    assert len(table) > 40 > len(lines)
    assert any(line.startswith("*") for line in lines)
    assert any("more" in line for line in lines)


def test_the_table_tells_what_it_says() -> None:
    X, y = load_wine(return_X_y=True)
    table = CARTClassifier().fit(X, y).pruning_table_
    assert table.error[0] == np.mean(y != 1)  # the root answers the largest class
    assert table.n_leaves[0] == 1
    assert (np.diff(table.n_leaves) > 0).all()
    assert (np.diff(table.alpha) < 0).all()
    assert (np.diff(table.error) <= 1e-12).all()
