"""Rules say what the gates do: read back, they send rows where the tree sends them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import Schema, Tree
from softwood.kernels.kinds import Missing, Score, Squash, Term
from softwood.tree import Basis
from softwood.tree.outline import depth_that_fits, outline
from softwood.tree.sketch import MOST_LINES
from softwood.tree.wording import Wording


def chain(thresholds: list[float], **fields: object) -> Tree:
    """Gates one under the other, all on `x`, each the first child of the one before."""
    n, branch = 2 * len(thresholds) + 1, np.arange(0, 2 * len(thresholds), 2)
    # node 2k has the children 2k + 1 (a leaf) and 2k + 2 (the next gate)
    first, threshold, score = np.full(n, -1), np.full(n, np.nan), np.zeros(n)
    first[branch], threshold[branch], score[branch] = branch + 1, thresholds, Score.THRESHOLD
    return Tree(
        response=np.arange(n, dtype=float)[:, None], schema=Schema(("x",), (None,), ("y",)), first_child=first,
        n_children=2 * (first > 0), score=score, feature=np.where(first > 0, 0, -1), threshold=threshold, **fields)  # type: ignore[arg-type]  # fmt: skip


def obeys(rule: str, x: float) -> bool:
    sign, number = re.fullmatch(r"x (≤|>) (.+)", rule).groups()  # type: ignore[union-attr]
    return x <= float(number.replace("−", "-")) if sign == "≤" else x > float(number.replace("−", "-"))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.floats(-1e6, 1e6))
def test_exact_rules_send_a_row_where_the_tree_sends_it(thresholds: list[float], x: float) -> None:
    tree = chain(thresholds)
    words = Wording(tree, None)
    reach = tree.reach([[x]])[0]
    for node in range(1, tree.n_nodes):
        if reach[tree.parent[node]]:
            assert obeys(words.rule(node), x) == bool(reach[node])


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=8, unique=True), st.integers(1, 4))
def test_different_thresholds_of_a_feature_never_look_the_same(thresholds: list[float], digits: int) -> None:
    words = Wording(chain(thresholds), digits)
    rules = [words.rule(node) for node in range(1, 2 * len(thresholds), 2)]
    assert len(set(rules)) == len(thresholds)


def test_every_node_has_one_line_in_the_order_of_walk() -> None:
    tree = chain([1.0, 2.0, 3.0])
    assert [line.node for line in outline(tree)] == list(tree.walk())


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_shown_and_hidden_nodes_add_up(depth: int) -> None:
    tree = chain([1.0, 2.0, 3.0])
    lines = list(outline(tree, depth))
    assert len(lines) + sum(line.hidden for line in lines) == tree.n_nodes


def test_a_large_tree_is_sketched_short_and_counts_the_rest() -> None:
    tree = chain(list(range(500)))
    text = str(tree)
    assert len(text.splitlines()) <= MOST_LINES + 1
    assert "nodes below" in text
    assert depth_that_fits(chain([1.0]), MOST_LINES) == 1


def test_a_gate_at_infinity_asks_for_presence_only_where_missing_values_go_right() -> None:
    right = Wording(chain([np.inf], default=[1, 0, 0]))
    assert [right.rule(1), right.rule(2), right.when_missing(1) + right.when_missing(2)] == [
        "x present",
        "x missing",
        "",
    ]
    left = Wording(chain([np.inf], default=[0, 0, 0]))
    assert [left.rule(1), left.rule(2), left.when_missing(1)] == ["x ≤ ∞", "x > ∞", "or missing"]


def test_a_category_called_missing_is_not_a_missing_value() -> None:
    tree = Tree(
        response=[[0.0], [1.0], [2.0]], schema=Schema(("kind",), (("missing", "given"),), ("y",)),
        first_child=[1, -1, -1], n_children=[2, 0, 0], score=[Score.CATEGORY, 0, 0], feature=[0, -1, -1],
        group_begin=[0, 2, 2, 2], group=[0, 1], missing=[Missing.CATEGORY, 0, 0])  # fmt: skip
    words = Wording(tree)
    assert (words.rule(1), words.when_missing(1)) == ("kind = missing", "or missing")


def test_digits_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="digits must be at least 1, or None for exact numbers, got 0"):
        Wording(chain([1.0]), 0)


def bent(weight: list[float], bias: float = 0.0, slope: list[float] | None = None) -> Tree:
    """A hard linear gate over `x`, hinges of `x` at 0, 1 and 5, `z` and its square; the first leaf may be linear."""
    term = [Term.IDENTITY, Term.HINGE, Term.HINGE, Term.HINGE, Term.IDENTITY, Term.SQUARE]
    basis = Basis(np.array(term), [0, 0, 0, 0, 1, 1], [0, 0, 1, 5, 0, 0], [2.0, 2.0, 1.0, 0.0, 3.0, 9.0])
    used = np.flatnonzero(weight)
    linear = {} if slope is None else {"slope": np.array(slope)[None, :, None], "slope_row": [-1, 0, -1]}
    return Tree(
        response=[[0.0], [1.0], [2.0]], schema=Schema(("x", "z"), (None, None), ("y",)), first_child=[1, -1, -1],
        n_children=[2, 0, 0], score=[Score.LINEAR, 0, 0], basis=basis, bias=[bias, 0, 0], weight=np.array(weight)[used],
        weight_column=used, weight_begin=[0, len(used), len(used), len(used)], **linear)  # type: ignore[arg-type]  # fmt: skip


def test_a_line_held_back_at_both_ends_is_one_term_and_means_the_same() -> None:
    tree = bent([0, 2.0, 0, -2.0, 0, 0], -4.0)
    assert Wording(tree).rule(1, 80) == "2·clip(x, 0, 5) ≥ 4"
    shifted = bent([0, 0, 2.0, -2.0, 0, 0], -4.0)
    assert Wording(shifted).rule(1, 80) == "2·clip(x, 1, 5) ≥ 6"
    x = np.linspace(-1, 7, 33)
    np.testing.assert_array_equal(shifted.apply(np.c_[x, x]) == 1, 2 * np.clip(x, 1, 5) >= 6)


def test_a_curve_of_huge_knots_has_no_squares() -> None:
    tree = bent([0.5, 2.0, -3.0, 0.5, 0.1, 0], -1.0)
    knots = replace(tree.basis, parameter=tree.basis.parameter * 1e200)
    assert Wording(tree.replace(basis=knots)).rule(1, 80) == "s(x) + 0.1·z ≥ 1"


def test_a_curve_is_one_term_and_written_out_where_there_is_room() -> None:
    tree = bent([0.5, 2.0, -3.0, 0.5, 0.1, 0], -1.0)
    assert Wording(tree).rule(1, 80) == "s(x) + 0.1·z ≥ 1"
    assert Wording(tree).rule(2) == "−3·max(0, x − 1) + 2·max(0, x) + 0.5·x + 0.5·max(0, x − 5) + 0.1·z < 1"
    assert Wording(tree, None).rule(2, 200) == Wording(tree).rule(2)  # exact numbers are never summed up
    assert Wording(tree).short_forms() == {"s"}


def test_squares_are_no_curve_and_of_two_terms_both_are_said() -> None:
    assert Wording(bent([0, 0, 0, 0, 1.5, -2.0])).rule(1, 5) == "−2·z² + 1.5·z ≥ 0"
    assert Wording(bent([1.0, 0, 0, 0, 1.5, -2.0])).rule(1, 5) == "−2·z² + … 2 more ≥ 0"


def test_a_gate_that_weighs_one_number_reads_as_a_threshold() -> None:
    up, down = bent([0, 0, 0, 0, 4.0, 0], -2.0), bent([0, 0, 0, 0, -4.0, 0], 2.0)
    assert [Wording(up).rule(slot) for slot in (1, 2)] == ["z ≥ 0.5", "z < 0.5"]
    assert [Wording(down).rule(slot) for slot in (1, 2)] == ["z ≤ 0.5", "z > 0.5"]
    assert Wording(down.replace(squash=[Squash.SIGMOID, 0, 0])).rule(2) == "z > 0.5 (softness 0.25)"
    assert Wording(down, None).rule(1) == "−4·z ≥ −2"  # exact numbers are not divided
    z = np.array([0.0, 0.5, 1.0])
    assert down.apply(np.c_[z, z]).tolist() == [1, 1, 2]


def test_a_response_says_what_it_answers() -> None:
    words = Wording(bent([1.0, 0, 0, 0, 0, 0], 0.0, [0, 0, 2.0, -2.0, 0.5, 0]))
    assert words.response(1, 0, 80) == "−1 + 2·clip(x, 1, 5) + 0.5·z"
    assert words.response(1) == "1 + 2·max(0, x − 1) − 2·max(0, x − 5) + 0.5·z"
    assert words.short_forms() == {"clip"}


def test_what_a_missing_input_counts_as_is_said_once() -> None:
    assert Wording(bent([0.5, 2.0, -3.0, 0.5, 0.1, 0.2])).fills() == ["x = 2", "z = 3", "z² = 9"]
