"""Every invariant, broken once: the error names the node and says what is wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import Basis, Schema, Surrogates, Tree, TreeError
from softwood.kernels.kinds import Link, Missing, Score, Squash, Term

NAN, INF = np.nan, np.inf

# Node 0 asks x0 <= 1, node 1 the category of x1 (three children), node 2 a linear gate, node 5 the interval of x2.
#
#     0 ── 1 ── 3 4 5 ── 8 9 10
#       └─ 2 ── 6 7
SOUND: dict[str, Any] = {
    "response": np.arange(11.0)[:, None],
    "schema": Schema(("x0", "x1", "x2"), (None, ("a", "b", "c"), None), ("y",)),
    "first_child": [1, 3, 6, -1, -1, 8, -1, -1, -1, -1, -1],
    "n_children": [2, 3, 2, 0, 0, 3, 0, 0, 0, 0, 0],
    "leafness": [0, 0.5, 0, 1, 1, 0, 1, 1, 1, 1, 1],
    "score": [Score.THRESHOLD, Score.CATEGORY, Score.LINEAR, 0, 0, Score.INTERVAL, 0, 0, 0, 0, 0],
    "squash": [Squash.RAMP, 0, Squash.SIGMOID, 0, 0, 0, 0, 0, 0, 0, 0],
    "feature": [0, 1, -1, -1, -1, 2, -1, -1, -1, -1, -1],
    "threshold": [1.0] + [NAN] * 10,
    "softness": [[0.5, 0.25]] + [[0, 0]] * 10,
    "missing": [Missing.SURROGATE, Missing.FRACTION] + [Missing.DIRECTION] * 9,
    "default": [1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0],
    "fraction": [NAN, NAN, NAN, 0.2, 0.3, 0.5, NAN, NAN, NAN, NAN, NAN],
    "group_begin": [0, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3],
    "group": [0, 2, -1],
    "cut_begin": [0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2],
    "cut": [-1.0, 1.0],
    "bias": [0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0],
    "weight_begin": [0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    "weight_column": [0, 2],
    "weight": [1.0, -2.0],
    "basis": Basis([Term.IDENTITY, Term.CATEGORY, Term.HINGE], [0, 1, 2], [0.0, 1.0, 0.5], [0.0, 0.0, 0.0]),
    "slope_row": [-1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1],
    "slope": np.ones((1, 3, 1)),
}
SURROGATES: dict[str, Any] = {
    "begin": [0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    "feature": [1, 2],
    "threshold": [NAN, 0.5],
    "flip": [False, True],
    "group_begin": [0, 3, 3],
    "group": [0, 1, -1],
    "agreement": [0.9, 0.8],
    "adjusted": [0.7, 0.4],
}


def sound() -> dict[str, Any]:
    return SOUND | {"surrogates": Surrogates(**SURROGATES)}


def changed(name: str, at: Any, value: Any) -> np.ndarray:
    array = np.array(SOUND[name], dtype=np.float64 if isinstance(value, float) else None)
    array[at] = value
    return array


def test_the_sound_tree_is_sound() -> None:
    tree = Tree(**sound())
    assert tree.output([[0.0, 0.0, 0.0]]).shape == (1, 1)


BROKEN = [
    # structure
    ("n_children", 0, 1, "node 0: n_children is 1; it must be 0 or at least 2"),
    ("n_children", 5, -3, "node 5: n_children is -3"),
    ("first_child", 3, 4, "node 3 is a leaf, so first_child must be -1, got 4"),
    ("leafness", 4, 0.5, r"node 4 is a leaf, so leafness must be 1, got 0\.5"),
    ("leafness", 1, 1.5, r"node 1: leafness must be in \[0, 1\], got 1\.5"),
    ("leafness", 1, -0.1, r"node 1: leafness must be in \[0, 1\]"),
    ("first_child", 2, 2, "node 2: children from 2 on must come after it"),
    ("first_child", 2, -5, "node 2: children from -5 on"),
    ("first_child", 5, 9, "node 5: children from 9 on must come after it and below 11"),
    ("first_child", 2, 5, "node 5 has 2 parents; it must have one"),
    ("first_child", 2, 8, "node 6 has no parent|node 8 has 2 parents"),
    # gates
    ("score", 0, 9, r"node 0: score 9 is not one of 0\.\.5"),
    ("score", 3, Score.LINEAR, "node 3 is a leaf, so score must be NONE, got LINEAR"),
    ("score", 2, Score.NONE, "node 2 has children but no gate"),
    ("squash", 0, 7, r"node 0: squash 7 is not one of 0\.\.2"),
    ("squash", 1, Squash.RAMP, "node 1: a CATEGORY gate cannot have squash RAMP"),
    ("squash", 2, Squash.RAMP, "node 2: a LINEAR gate cannot have squash RAMP"),
    ("squash", 5, Squash.SIGMOID, "node 5: a INTERVAL gate cannot have squash SIGMOID"),
    ("feature", 0, 3, r"node 0: feature 3 is outside 0\.\.2"),
    ("feature", 5, -1, r"node 5: feature -1 is outside 0\.\.2"),
    ("feature", 0, 1, "node 0: a THRESHOLD gate on 'x1', which is a category"),
    ("feature", 1, 2, "node 1: a CATEGORY gate on 'x2', which is a number"),
    ("threshold", 0, NAN, "node 0: threshold must be finite, got nan"),
    ("threshold", 0, INF, "node 0: threshold must be finite, got inf"),
    ("softness", (0, 1), -1.0, "node 0: softness of a ramp must be finite and >= 0"),
    ("softness", (0, 0), INF, "node 0: softness of a ramp must be finite"),
    ("squash", 0, Squash.SIGMOID, r"node 0: softness of a sigmoid must be > 0, the same on both sides, got 0\.5"),
    ("group", 0, 3, r"node 1: category slots must be -1\.\.2"),
    ("group", 0, -2, r"node 1: category slots must be -1\.\.2"),
    ("cut", 0, 1.0, "node 5: cuts of an interval gate must be finite and rise"),
    ("cut", 1, INF, "node 5: cuts of an interval gate must be finite"),
    ("weight_column", 1, 3, r"node 2: weight columns must be 0\.\.2"),
    ("weight_column", 1, 0, "node 2: weight columns must rise"),
    ("weight", 0, NAN, "node 2: weights must be finite"),
    ("bias", 2, INF, "node 2: bias must be finite, got inf"),
    # missing values
    ("missing", 0, 4, r"node 0: missing 4 is not one of 0\.\.3"),
    ("default", 0, 2, r"node 0: default must be a child slot 0\.\.1, got 2"),
    ("default", 5, -1, r"node 5: default must be a child slot 0\.\.2, got -1"),
    ("fraction", 4, 0.4, "node 1: fractions of the children must be >= 0 and sum to 1"),
    ("fraction", 4, NAN, "node 1: fractions of the children"),
    # answers
    ("response", 7, NAN, "node 7: response must be finite"),
    ("slope_row", 6, 1, r"node 6: slope_row must be -1\.\.0, got 1"),
    ("slope_row", 6, -2, r"node 6: slope_row must be -1\.\.0, got -2"),
    ("slope", (0, 0, 0), INF, "slope must be finite"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "at", "value", "message"), BROKEN)
def test_a_broken_invariant_is_named(name: str, at: Any, value: Any, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Tree(**sound() | {name: changed(name, at, value)})


MISSHAPEN = [
    ({"score": [0]}, "score must have one entry for each of 11 nodes"),
    ({"softness": np.zeros((11, 3))}, r"softness must have shape \(11, 2\)"),
    ({"group_begin": [0] * 11}, "group_begin must rise from 0 to 3 in 12 entries"),
    ({"cut_begin": [1] + [2] * 11}, "cut_begin must rise from 0 to 2"),
    ({"weight_begin": [0, 2, 0, *[2] * 9]}, "weight_begin must rise"),
    ({"weight_column": [0, 1, 2]}, "weight_column and weight must have one length, got 3 and 2"),
    ({"mean": np.zeros((10, 1))}, r"mean must have shape \(11, 1\), or be empty, got \(10, 1\)"),
    ({"arrived": np.zeros((10, 1))}, r"arrived must have shape \(11, 1\), or be empty, got \(10, 1\)"),
    ({"arrived": np.where(np.arange(11) == 4, NAN, 1.0)[:, None]}, "node 4: arrived must be finite"),
    ({"mean": np.where(np.arange(11) == 4, NAN, 1.0)[:, None]}, "node 4: mean must be finite"),
    ({"weight_effect": [1.0]}, r"weight_effect must have shape \(2,\), or be empty"),
    ({"weight_effect": [1.0, INF]}, "weight_effect must be finite"),
    ({"slope_effect": np.ones((2, 3, 1))}, r"slope_effect must have shape \(1, 3, 1\)"),
    ({"slope": np.ones((1, 2, 1))}, r"slope must have shape \(rows, 3, 1\)"),
    ({"basis": Basis([0, 0, 0], [0, 1, 3], [0.0] * 3, [0.0] * 3)}, r"basis column 2: feature 3 is outside 0\.\.2"),
    ({"basis": Basis([0, 3, 0], [0, 1, 2], [0.0, 3.0, 0.0], [0.0] * 3)}, r"basis column 1: category code 3 is outside"),
    ({"group_begin": [0, 1, 3] + [3] * 9}, "node 0 must have a slot for each of 0 categories, got 1"),
    ({"group_level": [0, 1]}, "group_level must have an entry for each of 3 slots, or none, got 2"),
    ({"group_level": [[0, 1, 2]]}, "group_level must be flat"),
    ({"group_level": [0, 2, 2]}, r"node 1: the levels that slots are of must rise, within 0\.\.2"),
    ({"group_level": [0, 1, 3]}, r"node 1: the levels that slots are of must rise, within 0\.\.2"),
    ({"group_level": [-1, 1, 2]}, r"node 1: the levels that slots are of must rise, within 0\.\.2"),
    ({"cut_begin": [0] * 6 + [1] + [2] * 5}, "node 5 must have 2 cuts, got 1"),
    ({"weight_begin": [0, 0, 1, *[2] * 9]}, "node 1 has weights but is not a LINEAR gate"),
    ({"link": Link.SOFTMAX, "schema": Schema(("x0", "x1", "x2"), (None, ("a", "b", "c"), None), ("y", "z"))},
     "the schema names 2 answers, 1 outputs with link SOFTMAX need 1"),
    ({"link": Link.SIGMOID}, "the schema names 1 answers, 1 outputs with link SIGMOID need 2"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), MISSHAPEN)
def test_a_misshapen_field_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Tree(**sound() | changes)


SURROGATE_TROUBLE = [
    ({"begin": [0, 2]}, "surrogates.begin must have 12 entries or none, got 2"),
    ({"feature": [1, 3]}, r"node 0: a surrogate's feature is outside 0\.\.2"),
    ({"begin": [0, 0, 2, *[2] * 9]}, "node 1 has surrogates, which need two children"),
    ({"feature": [0, 2]}, "node 0: a surrogate needs a slot for every category"),
    ({"group": [0, 2, 0]}, "node 0: slots of a surrogate must be -1, 0 or 1"),
    ({"group_level": [0, 1, 3]}, "node 0: a surrogate's levels must rise, within those of its feature"),
    ({"group_level": [0, 0, 1]}, "node 0: a surrogate's levels must rise, within those of its feature"),
    ({"threshold": [NAN, NAN]}, "node 0: a surrogate's threshold must be finite"),
]


@pytest.mark.parametrize(("changes", "message"), SURROGATE_TROUBLE)
def test_a_broken_surrogate_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Tree(**SOUND | {"surrogates": Surrogates(**SURROGATES | changes)})


def test_linear_and_threshold_gates_have_two_children() -> None:
    stump = {"response": np.zeros((4, 1)), "schema": Schema.plain(1, 1), "first_child": [1, -1, -1, -1]}
    for score in (Score.THRESHOLD, Score.LINEAR):
        with pytest.raises(TreeError, match=f"node 0: a {score.name} gate has two children, got 3"):
            Tree(**stump, n_children=[3, 0, 0, 0], score=[score, 0, 0, 0], feature=[0, -1, -1, -1])


def test_a_step_at_infinity_asks_whether_the_value_is_there() -> None:
    tree = Tree(
        response=[[0.0], [1.0], [2.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
        score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[INF, NAN, NAN], default=[1, 0, 0],
    )  # fmt: skip
    assert tree.output([[5.0], [NAN], [INF]]).ravel().tolist() == [1.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (lambda: Basis([9], [0], [0.0], [0.0]), "basis column 0: term 9"),
        (lambda: Basis([0], [0], [NAN], [0.0]), "basis column 0: parameter and when_missing must be finite"),
        (lambda: Basis([0, 0], [0], [0.0], [0.0]), "four flat arrays of one length"),
        (lambda: Surrogates(**SURROGATES | {"flip": [True]}), "flip must have 2 entries"),
        (lambda: Surrogates(**SURROGATES | {"group_begin": [0, 2, 1]}), "group_begin must rise"),
        (
            lambda: Surrogates(**SURROGATES | {"group_level": [0]}),
            "level for each slot, or none, got 1 levels of 3 slots",
        ),
        (lambda: Surrogates(**SURROGATES | {"group_level": [[0, 1, 2]]}), "group_level must be flat"),
        (lambda: Schema(("a",), (), ("y",)), "for each of 1 features, got 0"),
        (lambda: Schema(("a",), (None,), ("y",), "ranking"), "task must be"),
        (lambda: Tree(response=[1.0], schema=Schema.plain(1, 1)), r"response must have shape \(nodes, outputs\)"),
    ],
)
def test_side_tables_check_themselves(table: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        table()


def test_a_dtype_that_would_lose_values_is_refused() -> None:
    with pytest.raises(TypeError, match="feature holds values that int32 cannot"):
        Tree(**sound() | {"feature": changed("feature", 0, 0.5)})
