"""The pruning table as printed: of a known set, and of one too long to print whole."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_wine, make_moons

from softwood import CARTClassifier

WINE = """\
Root error: 0.6011. Errors below are parts of it.

        alpha   leaves    error   cv error      ± se
  1    0.2518        1   1.0000     1.0000    0.0611
  2    0.2054        2   0.5047     0.4673    0.0560
  3   0.06105        3   0.1869     0.2897    0.0473
  4    0.0383        4   0.1308     0.2056    0.0410
* 5   0.02171        5   0.0935     0.1682    0.0376
  6   0.02111        6   0.0748     0.1589    0.0366
  7   0.01685        7   0.0561     0.1589    0.0366
  8   0.01096        8   0.0374     0.1682    0.0376
  9   0.01088        9   0.0280     0.1589    0.0366
 10  0.009363       11   0.0093     0.1589    0.0366
 11         0       12   0.0000     0.1589    0.0366"""


def test_the_table_of_wine() -> None:
    model = CARTClassifier().fit(*load_wine(return_X_y=True))
    assert str(model.pruning_table_) == WINE


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


def test_an_unpruned_tree_makes_its_table_when_asked() -> None:
    X, y = load_wine(return_X_y=True)
    tested, plain = (CARTClassifier(prune=prune).fit(X, y).pruning_table_ for prune in ("cv", None))
    np.testing.assert_array_equal(plain.alpha, tested.alpha)
    np.testing.assert_array_equal(plain.error, tested.error)
    assert np.isnan(plain.tested_error).all()
    assert plain.chosen == len(plain) - 1
