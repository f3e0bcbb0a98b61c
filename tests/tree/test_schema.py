"""The schema: its errors, its complete JSON form, and the encoding of cells."""

from __future__ import annotations

import copy
import json
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood.tree import HeldOut, Kind, Provenance, Schema, Summary, Tree
from softwood.tree.encoding import encode_plain, encode_rows, put_in_order
from softwood.tree.labels import labels_from_dict, labels_to_dict, plain_label
from softwood.tree.provenance import json_value
from softwood.tree.summary import PROBABILITIES, summarize

LABELS = st.one_of(
    st.text(), st.integers(), st.booleans(), st.none(), st.dates(), st.datetimes(), st.binary(),
    st.floats(allow_nan=False),
)  # fmt: skip
FULL = Schema(
    ("age", "windy", "colour", "size"),
    (None, None, ("blue", "red"), (1, 2, 3)),
    ("ill", "ok"),
    "classification",
    (Kind.NUMBER, Kind.BOOLEAN, Kind.CATEGORY, Kind.ORDERED),
    (
        Summary(3.0, 1.0, (1.0, 90.0), ((0.5, 30.0),)),
        None,
        Summary(4.0, 0.0, counts=(1.0, 3.0)),
        Summary(0.0, 4.0, counts=(0.0, 0.0, 0.0)),
    ),
    ((0.0, 5.0), (1.0, 0.0)),
    "health",
)


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


# -- labels ------------------------------------------------------------------------------------------------------------


@given(st.lists(LABELS))
def test_labels_come_back_from_json_with_their_types(labels: list[Any]) -> None:
    back = labels_from_dict(through_json(labels_to_dict(labels)))
    assert back == tuple(labels)
    assert [type(label) for label in back] == [type(label) for label in labels]


def test_infinite_labels_are_json() -> None:
    assert labels_from_dict(through_json(labels_to_dict([np.inf, -np.inf]))) == (np.inf, -np.inf)


@pytest.mark.parametrize(
    ("wrapped", "plain"),
    [
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.float32(0.5), 0.5),
        (np.datetime64("2024-05-01"), date(2024, 5, 1)),
        (np.datetime64("2024-05-01T10:00:00", "ns"), datetime(2024, 5, 1, 10)),
        (pd.Timestamp("2024-05-01 10:00"), datetime(2024, 5, 1, 10)),
    ],
)
def test_wrapped_labels_are_unwrapped(wrapped: Any, plain: Any) -> None:
    assert plain_label(wrapped) == plain
    assert type(plain_label(wrapped)) is type(plain)
    assert labels_to_dict([wrapped]) == labels_to_dict([plain])


def test_a_label_of_another_type_says_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"label \(1, 2\) \(tuple\) cannot be written.*convert them"):
        labels_to_dict([(1, 2)])


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        (3, "must be a dict of type and values"),
        ({"type": "str"}, "must be a dict of type and values"),
        ({"type": "code", "values": ["a"]}, "must be one of str"),
        ({"type": ["int"], "values": [1, 2]}, "one for each of 2 values"),
        ({"type": "int", "values": ["1"]}, "cannot be '1'"),
        ({"type": "int", "values": [True]}, "cannot be True"),
        ({"type": "date", "values": ["today"]}, "cannot be 'today'"),
        ({"type": "bytes", "values": ["xy"]}, "cannot be 'xy'"),
        ({"type": "float", "values": ["one"]}, "cannot be 'one'"),
        ({"type": [["int"]], "values": [1]}, "must be one of str"),
    ],
)
def test_labels_that_are_none_are_refused(stored: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        labels_from_dict(stored)


# -- schema ------------------------------------------------------------------------------------------------------------


def test_a_schema_comes_back_from_json_whole() -> None:
    back = Schema.from_dict(through_json(FULL.to_dict()))
    assert back == FULL
    assert back.summaries == FULL.summaries  # these are not compared
    assert back.inputs[2].levels == ("blue", "red")
    assert back.to_dict() == FULL.to_dict()


@given(st.lists(LABELS, unique=True), st.lists(LABELS, unique=True))
def test_schemas_of_any_labels_come_back(levels: list[Any], answers: list[Any]) -> None:
    schema = Schema(("x",), (tuple(levels),), tuple(answers))
    assert Schema.from_dict(through_json(schema.to_dict())) == schema


def test_two_schemas_are_equal_whatever_rows_they_met() -> None:
    assert Schema(("x",), (None,), ("y",), summaries=(Summary(1.0, 0.0, (2.0, 2.0)),)) == Schema(
        ("x",), (None,), ("y",)
    )


def mutants(stored: Any) -> list[Any]:
    """The stored form with one thing changed: a value of another type, a key left out or added, a list cut short."""
    found: list[Any] = []

    def visit(part: Any, put: Any) -> None:
        found.extend(put(strange) for strange in (None, 7, -1.5, "?", [], {}, [None], True, {"a": 1}))
        if isinstance(part, dict):
            found.extend(put({k: v for k, v in part.items() if k != key}) for key in part)
            found.append(put({**part, "extra": 1}))
            for key in part:
                visit(part[key], lambda new, key=key: put({**part, key: new}))
        elif isinstance(part, list) and part:
            found.append(put(part[:-1]))
            found.append(put([*part, part[0]]))
            visit(part[0], lambda new: put([new, *part[1:]]))

    visit(stored, lambda new: new)
    return found


@pytest.mark.parametrize("source", [FULL, Provenance("A", {"b": 1}, "1", 5, 5.0, HeldOut("e", "cv", 0.5, 0.1), ("c",))])
def test_what_was_changed_is_refused_or_is_another_schema(source: Any) -> None:
    """No mutant makes anything but a ValueError, and one that is accepted says the same when it is written again."""
    refused = 0
    for stored in mutants(source.to_dict()):
        try:
            made = type(source).from_dict(copy.deepcopy(stored))
        except ValueError:
            refused += 1
        else:
            assert made.to_dict() == stored
    assert refused > 40


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kinds": ("number",) * 3}, "a kind for each of 4 features, got 3"),
        ({"kinds": ("number", "number", "number", "ordered")}, "feature 'colour' is a number and has categories"),
        (
            {"kinds": ("category", "boolean", "category", "ordered")},
            "feature 'age' is a category and has no categories",
        ),
        ({"kinds": ("what", "boolean", "category", "ordered")}, "'what' is not a valid Kind"),
        ({"summaries": (None,)}, "a summary .or None. for each of 4 features"),
        ({"summaries": (Summary(1.0, 0.0, counts=(1.0,)), None, None, None)}, "'age' has 0 levels, got 1 counts"),
        ({"costs": ((0.0, 1.0),)}, r"costs must have shape \(2, 2\)"),
        ({"costs": ((0.0, -1.0), (1.0, 0.0))}, "finite and >= 0"),
        ({"costs": ((0.0, np.nan), (1.0, 0.0))}, "finite and >= 0"),
        ({"costs": ((1.0, 1.0), (1.0, 0.0))}, "0 on the diagonal"),
        ({"task": "regression"}, "costs are for classification"),
        ({"unseen": "error"}, "unseen must be 'missing'"),
        ({"target": 3}, "target must be text, the name of the target, got 3"),
    ],
)
def test_a_schema_that_contradicts_itself_is_refused(changes: dict[str, Any], said: str) -> None:
    names = ("features", "categories", "answers", "task", "kinds", "summaries", "costs", "target", "unseen")
    parts = {name: getattr(FULL, name) for name in names}
    with pytest.raises(ValueError, match=said):
        Schema(**parts | changes)


# -- cells -------------------------------------------------------------------------------------------------------------


def test_cells_become_numbers() -> None:
    rows = [[31, True, "red", 3], [np.nan, None, "pink", 9], {"colour": "blue", "age": np.float32(2.5)}]
    wanted = [[31.0, 1.0, 1.0, 2.0], [np.nan] * 4, [2.5, np.nan, 0.0, np.nan]]
    np.testing.assert_array_equal(FULL.encode(rows), wanted)


@pytest.mark.parametrize(
    "row",
    [[31, True, "red", 3], [2.5, None, None, None], [None, False, "blue", 1], {"age": np.float64(7)}, [0, 1, "red", 2]],
)
def test_plain_cells_are_read_at_once_and_as_all_others_are(row: Any) -> None:
    table = put_in_order(FULL.features, [row])
    quick = encode_plain(table, FULL._codes)
    assert quick is not None
    np.testing.assert_array_equal(quick, encode_rows(FULL.features, FULL.categories, table))


@pytest.mark.parametrize(
    "row", [["31", True, "red", 3], [np.inf, True, "red", 3], [1, True, "pink", 3], [1, True, np.nan, 3], [10**400] * 4]
)
def test_other_cells_are_looked_at(row: Any) -> None:
    assert encode_plain([row], FULL._codes) is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["old", True, "red", 1], "input 'age' is a number, got 'old'"),
        ([np.inf, True, "red", 1], "input 'age' must be finite or missing, got inf"),
        ([1, True, 4, 1], "column 'colour' had categories like 'blue' at fit and holds 4 now"),
        ([1, True, "red"], "a row must have 4 cells"),
        ("four", "a row must have 4 cells"),
        ({"agee": 3}, r"the row has \['agee'\], which are not inputs"),
    ],
)
def test_cells_that_cannot_be_read_are_refused(row: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        FULL.encode([row])


def test_a_tree_answers_with_labels_of_their_own_type() -> None:
    for labels, dtype in [(("no", "yes"), "<U3"), ((3, 7), "int64"), ((False, True), "bool"), (("a", 1), "O")]:
        tree = Tree(response=[[0.2, 0.8]], schema=Schema(("x",), (None,), labels, "classification"))
        given = tree.classify([[0.0], [1.0]])
        assert (given.tolist(), given.dtype) == ([labels[1]] * 2, np.dtype(dtype))
    with pytest.raises(ValueError, match="no classes"):
        Tree(response=[[0.2]], schema=Schema.plain(1, 1)).classify([[0.0]])


# -- decisions ---------------------------------------------------------------------------------------------------------


def test_decisions_are_those_of_least_expected_cost() -> None:
    chance = np.random.default_rng(0).dirichlet(np.ones(2), 50)
    expected = np.stack([chance[:, 1] * 1.0, chance[:, 0] * 5.0], axis=1)
    assert FULL.decide(chance).tolist() == expected.argmin(axis=1).tolist()


def test_a_tree_of_numbers_decides_nothing() -> None:
    with pytest.raises(ValueError, match="no classes to decide for"):
        Tree(response=[[1.0]], schema=Schema.plain(1, 1)).decide([[0.0]])


# -- summaries ---------------------------------------------------------------------------------------------------------


def table(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 3)).astype(float) * [1.0, 0.25, 1.0]
    X[rng.random(X.shape) < 0.2 * (seed % 2)] = np.nan
    return X, rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize("seed", range(8))
def test_a_summary_counts_a_row_of_weight_two_twice_in_any_order(seed: int) -> None:
    X, weight = table(seed)
    one = summarize(X, weight, [0, 0, 4])
    order = np.random.default_rng(1).permutation(len(X))
    assert summarize(X[order], weight[order], [0, 0, 4]) == one
    twice = np.repeat(np.arange(len(X)), weight.astype(int))
    assert summarize(X[twice], np.ones(len(twice)), [0, 0, 4]) == one


@pytest.mark.parametrize("seed", range(4))
def test_quantiles_are_those_of_the_inverse_distribution(seed: int) -> None:
    X, _ = table(seed, 77)
    found = summarize(X, np.ones(77), [0, 0, 0])
    for column, summary in zip(X.T, found, strict=True):
        known = column[~np.isnan(column)]
        wanted = np.quantile(known, PROBABILITIES, method="inverted_cdf")
        assert [value for _, value in summary.quantiles] == wanted.tolist()
        assert summary.range == (known.min(), known.max())
        assert (summary.known, summary.missing) == (len(known), 77 - len(known))


def test_a_large_table_is_summarized_by_some_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges and weights are of all rows; quantiles near, and by the same laws."""
    monkeypatch.setattr("softwood.tree.summary.ENOUGH_ROWS", 1000)
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(5000, 2)), rng.integers(0, 3, 5000).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    found = summarize(X, weight, [0, 0])
    twice = np.repeat(rng.permutation(5000), 2)
    assert summarize(X[twice], weight[twice], [0, 0]) == tuple(
        Summary(2 * s.known, 2 * s.missing, s.range, s.quantiles) for s in found
    )
    copies = np.repeat(np.arange(5000), weight.astype(int))
    assert summarize(X[copies], np.ones(len(copies)), [0, 0]) == found
    there = X[weight > 0]
    assert [s.range for s in found] == list(zip(np.nanmin(there, axis=0), np.nanmax(there, axis=0), strict=True))
    exact = np.nanquantile(X[copies], PROBABILITIES, axis=0)
    near = np.transpose([[value for _, value in s.quantiles] for s in found])
    assert np.abs(near - exact)[2:-2].max() < 0.15
    assert (near != exact).any()


def test_nothing_known_has_no_range() -> None:
    assert summarize(np.full((3, 1), np.nan), np.ones(3), [0]) == (Summary(0.0, 3.0),)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((1.0, -1.0), "not negative"),
        ((np.nan, 0.0), "finite"),
        ((1.0, 0.0, (2.0, 1.0)), "least, largest"),
        ((1.0, 0.0, (0.0, 1.0), ((0.5, 1.0), (0.5, 2.0))), "that rise"),
        ((1.0, 0.0, (0.0, 1.0), ((1.5, 1.0),)), "between 0 and 1"),
        ((1.0, 0.0, None, (), (np.inf,)), "finite"),
    ],
)
def test_a_summary_that_cannot_be_is_refused(parts: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Summary(*parts)


# -- provenance --------------------------------------------------------------------------------------------------------


def test_a_provenance_comes_back_from_json_whole() -> None:
    origin = Provenance("A", {"b": 1, "c": [0.5, None]}, "1.0", 5, 5.5, HeldOut("error", "cv", 0.2, 0.01), ("harden",))
    assert Provenance.from_dict(through_json(origin.to_dict())) == origin


@pytest.mark.parametrize(
    "value",
    [np.nan, np.inf, np.array([1.0, np.nan]), {1: np.int64(2)}, {("a", "b"): 2}, object(), len, np.longdouble(1),
     (1, 2), date(2024, 5, 1), [np.bool_(True)]],
)  # fmt: skip
def test_any_parameter_becomes_json_and_stays_as_it_is(value: Any) -> None:
    once = through_json(json_value(value))
    assert json_value(once) == once
    assert " at 0x" not in json.dumps(once)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"estimator": 3}, "estimator must be text"),
        ({"n_rows": -1}, "n_rows must be an integer >= 0"),
        ({"weight": np.inf}, "weight must be a finite number"),
        ({"changes": (1,)}, "changes must be text"),
        ({"held_out": 0.5}, "held_out must be a HeldOut"),
        ({"parameters": {1: 2}}, "names as keys"),
    ],
)
def test_a_provenance_that_cannot_be_is_refused(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Provenance(**parts)


def test_trees_are_equal_whatever_their_provenance() -> None:
    leaf = Tree(response=[[1.0]], schema=Schema.plain(1, 1))
    known = leaf.with_provenance(Provenance("A"))
    assert known == leaf
    assert known.provenance == Provenance("A")
    assert leaf.provenance is None
    assert known.replace(response=[[2.0]]).provenance == Provenance("A")
    assert known.changed("harden").provenance == Provenance("A", changes=("harden",))
    with pytest.raises(TypeError, match="must be a Provenance or None, got str"):
        leaf.with_provenance("A")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a Provenance or None, got str"):
        leaf.replace(provenance="A")


@pytest.mark.parametrize("weight", [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.5]])
@pytest.mark.parametrize("gap", [1.0, np.nan])
def test_a_summary_does_not_know_minus_zero(weight: list[float], gap: float) -> None:
    """-0.0 and 0.0 are one value, and which of them sorting puts first is left to chance."""
    for first, second in ((0.0, -0.0), (-0.0, 0.0)):
        found = summarize(np.array([[first], [second], [first], [gap]]), np.array(weight), [0])[0]
        assert found.range is not None
        values = [*found.range, *(value for _, value in found.quantiles)]
        assert 0.0 in values
        assert not np.signbit(values).any()


@pytest.mark.parametrize("seed", range(5))
def test_columns_that_are_sorted_together_are_described_as_one_by_one(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(40, 3)).round(seed % 3), rng.choice([0.1, 0.3, 1.0, 2.7, 0.0], 40)
    together = summarize(X, weight, [0, 0, 0])
    monkeypatch.setattr("softwood.tree.summary.TOGETHER_MAX_CELLS", -1)
    assert summarize(X, weight, [0, 0, 0]) == together
