"""Trees as deep as they have gates: text grows with the nodes, nothing recurses, and every export works."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from softwood import Schema, Tree, from_json, to_json, to_text
from softwood.kernels.kinds import Score, Squash
from softwood.tree.outline import DEEPER, LEVELS, outline

DEEP = 10_000


def chain(gates: int, soft: bool = False) -> Tree:
    """Every second child has the next gate: x <= 0.5, then x <= 1.5, and so on."""
    n = 2 * gates + 1
    branch = np.append(np.arange(2 * gates) % 2 == 0, False)
    return Tree(
        response=(np.arange(float(n)) % 7)[:, None],
        schema=Schema.plain(1, 1),
        first_child=np.where(branch, np.arange(n) + 1, -1),
        n_children=np.where(branch, 2, 0),
        leafness=np.where(branch, 0.0, 1.0),
        score=np.where(branch, int(Score.THRESHOLD), 0),
        squash=np.where(branch & soft, int(Squash.SIGMOID), 0),
        feature=np.where(branch, 0, -1),
        threshold=np.where(branch, np.arange(n) // 2 + 0.5, np.nan),
        softness=np.full((n, 2), 0.01) * np.where(branch & soft, 1.0, np.nan)[:, None] if soft else np.empty((0, 2)),
    )


@pytest.mark.parametrize("soft", [False, True])
def test_ten_thousand_gates_in_a_row_answer_and_are_stored(soft: bool) -> None:
    tree = chain(DEEP, soft)
    X = np.array([[0.0], [1.0], [DEEP / 2], [DEEP + 1.0]])
    wanted = [1.0, 3.0, float((DEEP + 1) % 7), float(2 * DEEP % 7)]
    np.testing.assert_allclose(tree.predict(X).ravel(), wanted, atol=1e-9)
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), from_json(to_json(tree))):
        np.testing.assert_array_equal(other.predict(X), tree.predict(X))
    assert f"depth {DEEP}" in repr(tree)


def test_gates_in_a_row_are_printed() -> None:
    gates = DEEP // 4
    tree = chain(gates)
    lines = to_text(tree).splitlines()
    assert sum("x0" in line for line in lines) == 2 * gates
    assert max(map(len, lines)) < 3 * LEVELS + 100
    rules = to_text(tree, form="rules").splitlines()
    assert sum(" < x0 ≤ " in line for line in rules) == gates - 1


def test_a_stem_shows_the_nearest_levels() -> None:
    lines = {line.node: line.stem for line in outline(chain(LEVELS + 5))}
    shallow, deep = 2 * LEVELS - 3, 2 * LEVELS + 5  # first children at depth LEVELS - 1 and LEVELS + 3
    assert lines[shallow] == "   " * (LEVELS - 2) + "├─ "
    assert lines[deep] == DEEPER + "   " * (LEVELS - 1) + "├─ "
