"""Surrogates as rpart documents them, on a table small enough for paper and pencil.

Therneau & Atkinson, "An Introduction to Recursive Partitioning Using the RPART Routines", section 5: a surrogate
imitates the primary split over the rows whose primary value is known; agree is the part of those rows it sends the
same way; adj = (agree - majority) / (1 - majority), where majority is the part that "everybody goes with the larger
side" gets right. Only surrogates better than that rule are kept, in order of agreement. A row without primary value
asks them in turn; if all its surrogates are missing too it goes with the majority.

    row    a    b    c    y        primary: a <= 4.5 parts y without error
     1     1    1    9    0
     2     2    2    9    0        b imitates by b <= 4 and errs on rows 4 and 9:       agree 8/10
     3     3    3    8    0
     4     4    9    -    0        c imitates the other way round, c > 6.5 goes left;
     5     5    5    1    1        row 4 has no c, which does not agree:                agree 9/10
     6     6    6    2    1
     7     7    7    3    1        majority: 6 of the 10 rows go right:                       6/10
     8     8    8    4    1        adj of c: (0.9 - 0.6) / 0.4 = 0.75
     9     9   1.5   5    1        adj of b: (0.8 - 0.6) / 0.4 = 0.50
    10    10   10    3    1
    11     -    2    2    1        a missing: c = 2 says right, although b = 2 says left
    12     -    3    -    0        a and c missing: b = 3 says left
    13     -    -    -    1        all missing: right, where most went
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import CARTClassifier, to_text

GONE = np.nan
TABLE = np.array(
    [
        [1, 1, 9, 0],
        [2, 2, 9, 0],
        [3, 3, 8, 0],
        [4, 9, GONE, 0],
        [5, 5, 1, 1],
        [6, 6, 2, 1],
        [7, 7, 3, 1],
        [8, 8, 4, 1],
        [9, 1.5, 5, 1],
        [10, 10, 3, 1],
        [GONE, 2, 2, 1],
        [GONE, 3, GONE, 0],
        [GONE, GONE, GONE, 1],
    ]
)
X, y = TABLE[:, :3], TABLE[:, 3].astype(int)


@pytest.fixture
def model() -> Any:
    return CARTClassifier(missing="surrogate", prune=None, max_depth=1).fit(X, y)


def test_the_primary_split(model: Any) -> None:
    assert model.tree_.feature[0] == 0
    assert model.tree_.threshold[0] == 4.5


def test_agreement_and_adjusted_agreement(model: Any) -> None:
    table = model.tree_.surrogates
    assert table.feature.tolist() == [2, 1]
    assert table.threshold.tolist() == [6.5, 4.0]
    assert table.flip.tolist() == [True, False]
    np.testing.assert_allclose(table.agreement, [0.9, 0.8], rtol=1e-12)
    np.testing.assert_allclose(table.adjusted, [0.75, 0.5], rtol=1e-12)


def test_surrogates_in_order_then_the_majority(model: Any) -> None:
    left, right = model.apply(X[:1])[0], model.apply(X[5:6])[0]
    assert model.apply(X[10:]).tolist() == [right, left, right]
    assert model.tree_.count.tolist() == [13.0, 5.0, 8.0]


def test_rows_at_fit_go_the_way_they_go_at_predict(model: Any) -> None:
    leaf = model.apply(X)
    for node in set(leaf.tolist()):
        share = np.bincount(y[leaf == node], minlength=2) / np.sum(leaf == node)
        np.testing.assert_allclose(model.tree_.response[node], share)


def test_the_text_shows_them(model: Any) -> None:
    lines = [line.split() for line in to_text(model, surrogates=True).splitlines()]
    first = lines.index(["│", "x2", ">", "6.5", "0.900", "0.750"])
    assert lines[first + 1] == ["│", "x1", "≤", "4", "0.800", "0.500"]


def test_no_surrogate_is_kept_that_is_no_better_than_the_majority() -> None:
    """A feature that says nothing of the primary split: agree 6/10 by going right always, adj 0."""
    noise = np.array([1, 2, 1, 2, 1, 1, 2, 2, 1, 2], float)
    rows = np.column_stack([TABLE[:10, 0], noise])
    fitted = CARTClassifier(prune=None, max_depth=1).fit(rows, y[:10])
    assert len(fitted.tree_.surrogates) == 0


def test_fewer_surrogates_on_request() -> None:
    fitted = CARTClassifier(prune=None, max_depth=1, max_surrogates=1).fit(X, y)
    assert fitted.tree_.surrogates.feature.tolist() == [2]
    left, right = fitted.apply(X[:1])[0], fitted.apply(X[5:6])[0]
    assert fitted.apply(X[10:]).tolist() == [right, right, right] != [left] * 3  # row 12 has no surrogate left
