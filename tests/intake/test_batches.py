"""Rows in batches: the same trees as in memory, from every source, within a memory limit."""

from __future__ import annotations

import gc
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet
import pytest
from sklearn.exceptions import NotFittedError

from softwood import Batches, C45Classifier, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor
from tests.faults.learners import fingerprint
from tests.intake.batch_tables import INPUTS, SMALL, draw_samples_of, pieces, table_of

# Few iterations, with rounding still small, if there are more rows than the sample. The end of a long refinement
# depends on the last digit of a sum.
HOW = {"gate": "linear", "leaf": "constant", "max_leaves": 4, "max_iter": 8, "weight_penalty": 1e-3}
CART = {"max_leaves": 6, "missing": "direction", "prune": None}
KINDS = [(SoftTreeRegressor, "y"), (SoftTreeClassifier, "two"), (SoftTreeClassifier, "three")]


def assert_same(batched: Any, memory: Any, X: Any, tolerance: float = 1e-4) -> None:
    np.testing.assert_array_equal(batched.tree_.first_child, memory.tree_.first_child)
    np.testing.assert_allclose(
        batched.tree_.predict(batched.encode(X)), memory.tree_.predict(memory.encode(X)), atol=tolerance
    )
    np.testing.assert_allclose(batched.tree_.count, memory.tree_.count, rtol=1e-3)
    # the columns of a table in memory are given without the name of their target
    assert batched.tree_.schema == replace(memory.tree_.schema, target=batched.tree_.schema.target)
    assert batched.tree_.provenance.n_rows == memory.tree_.provenance.n_rows


@pytest.mark.parametrize(("kind", "target"), KINDS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_batches_learn_the_tree_of_memory(kind: Any, target: str, weight: str | None) -> None:
    table = table_of()
    X = table.select(INPUTS)
    source = Batches(pieces(table), memory=SMALL, columns=INPUTS)
    batched = kind(**HOW).fit(source, target, sample_weight=weight)
    memory = kind(**HOW).fit(X, table[target], sample_weight=None if weight is None else table[weight])
    assert memory.tree_.n_nodes > 1
    assert_same(batched, memory, X)
    if target != "y":
        np.testing.assert_array_equal(batched.classes_, memory.classes_)


@pytest.mark.fewer
@pytest.mark.parametrize(("kind", "target"), KINDS)
@pytest.mark.parametrize("weight", [None, "w", "part"])
def test_rows_that_are_all_in_the_sample_give_the_tree_of_memory_bit_for_bit(
    kind: Any, target: str, weight: str | None
) -> None:
    """Refined by 200 iterations, which amplify any difference; some rows occur two or three times, in any order."""
    table = table_of()
    table = pa.concat_tables([table, table.slice(0, 300), table.slice(100, 200)])
    rng = np.random.default_rng(1)
    table = table.append_column("part", pa.array(rng.uniform(0.1, 2.1, len(table))))
    how = {**HOW, "max_iter": 200}
    X, w = table.select(INPUTS), None if weight is None else table[weight]
    memory = kind(**how).fit(X, table[target], sample_weight=w)
    shuffled = table.take(rng.permutation(len(table)))
    for rows, size in ((table, 700), (shuffled, 333)):
        source = Batches(pieces(rows, size), memory=SMALL, columns=INPUTS)
        batched = kind(**how).fit(source, target, sample_weight=weight)
        assert fingerprint(batched) == fingerprint(memory)


@pytest.mark.parametrize(("kind", "target"), KINDS[:2])
def test_the_sample_of_many_rows_is_that_of_memory(kind: Any, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_samples_of(1000, monkeypatch)
    table = table_of()
    X = table.select(INPUTS)
    batched = kind(**HOW).fit(Batches(pieces(table), memory=SMALL, columns=INPUTS), target)
    memory = kind(**HOW).fit(X, table[target])
    assert_same(batched, memory, X)
    backwards = table.take(np.arange(len(table))[::-1])
    again = kind(**HOW).fit(Batches(pieces(backwards, 333), memory=SMALL, columns=INPUTS), target)
    assert_same(again, memory, X)


def test_class_weights_and_validation_rows_are_heeded() -> None:
    table, held = table_of(), table_of(500, seed=1)
    how = {**HOW, "class_weight": {"high": 3.0}}
    batched = SoftTreeClassifier(**how).fit(
        Batches(pieces(table), memory=SMALL, columns=INPUTS), "two", X_val=held.select(INPUTS), y_val=held["two"]
    )
    memory = SoftTreeClassifier(**how).fit(
        table.select(INPUTS), table["two"], X_val=held.select(INPUTS), y_val=held["two"]
    )
    assert_same(batched, memory, table.select(INPUTS))


def sources(table: pa.Table, folder: Path) -> dict[str, Any]:
    """The same rows in every kind of source."""
    table = table.select([*INPUTS, "y"])
    pa.parquet.write_table(table, folder / "rows.parquet", row_group_size=300)
    pa.feather.write_feather(table, folder / "rows.feather", chunksize=400)
    pa.csv.write_csv(table, folder / "rows.csv")
    (folder / "many").mkdir()
    for part in range(5):
        pa.parquet.write_table(table.slice(part * 500, 500), folder / "many" / f"{part}.parquet")
    return {
        "Parquet": str(folder / "rows.parquet"),
        "Arrow": folder / "rows.feather",
        "CSV": folder / "rows.csv",
        "folder": str(folder / "many"),
        "list of files": [folder / "many" / f"{part}.parquet" for part in range(5)],
        "dataset": pa.dataset.dataset(folder / "many"),
        "lazy frame": pl.scan_parquet(folder / "rows.parquet"),
        "function": Batches(pieces(table)),
        "frames of polars": Batches([pl.from_arrow(each) for each in pieces(table)()]),
        "frames of pandas": Batches([each.to_pandas() for each in pieces(table)()]),
        "a frame": Batches(table),
    }


def test_every_source_gives_one_tree(tmp_path: Path) -> None:
    table = table_of(1000)
    memory = SoftTreeRegressor(**HOW).fit(table.select(INPUTS), table["y"])
    for name, source in sources(table, tmp_path).items():
        found = SoftTreeRegressor(**HOW).fit(source, "y")
        assert_same(found, memory, table.select(INPUTS))
        assert found.feature_names_in_.tolist() == INPUTS, name


def test_memory_maps_and_batches_with_their_own_answers(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, (3000, 3))
    X[:] = rng.normal(size=X.shape)
    y = np.tanh(2 * X[:, 0]) + X[:, 1]
    weight = rng.integers(1, 3, len(X)).astype(float)
    memory = SoftTreeRegressor(**HOW).fit(np.array(X), y, sample_weight=weight)
    mapped = SoftTreeRegressor(**HOW, engine="batches").fit(X, y, sample_weight=weight)
    assert_same(mapped, memory, X)
    own = Batches(lambda: ((X[at : at + 800], y[at : at + 800], weight[at : at + 800]) for at in range(0, 3000, 800)))
    assert_same(SoftTreeRegressor(**HOW).fit(own), memory, X)


def test_how_a_source_is_cut_does_not_matter_bit_for_bit() -> None:
    table = table_of(1000)
    trees = [
        SoftTreeRegressor(**HOW).fit(Batches(pieces(table, size), memory=SMALL, columns=INPUTS), "y").tree_
        for size in (97, 400, 1000)
    ]
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.response, trees[0].response)
        np.testing.assert_array_equal(tree.weight, trees[0].weight)


def test_readable_and_one_class_and_a_warm_start() -> None:
    table = table_of(1200)
    source = Batches(pieces(table), memory=SMALL, columns=INPUTS)
    readable = SoftTreeRegressor(**{**HOW, "gate": "axis"}, readable=True).fit(source, "y")
    assert readable.tree_.n_nodes > 1
    single = table.append_column("one", pa.array(["only"] * len(table)))
    with pytest.warns(UserWarning, match="y has one class, .only.: the tree is a single leaf"):
        sure = SoftTreeClassifier(**HOW).fit(Batches(pieces(single), columns=INPUTS), "one")
    assert sure.tree_.n_nodes == 1
    assert sure.classes_.tolist() == ["only"]
    warm = SoftTreeRegressor(**HOW, warm_start=True).fit(source, "y")
    assert warm.fit(source, "y").tree_.n_nodes >= 3


def test_verbose_says_which_engine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pa.parquet.write_table(table_of(300).select([*INPUTS, "y"]), tmp_path / "rows.parquet")
    SoftTreeRegressor(**HOW, verbose=True).fit(tmp_path / "rows.parquet", "y")
    assert "engine: batches, Batches(" in capsys.readouterr().out


def test_verbose_tells_every_pass_from_the_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("softwood.intake.parts.scan.PROGRESS_SECONDS", -1.0)
    frames = [table_of(100, seed).to_pandas()[["a", "b", "y"]] for seed in range(3)]
    CARTRegressor(max_leaves=2, prune=None, missing="direction", verbose=True).fit(Batches(frames), "y")
    lines = [line.split(",")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("pass")]
    assert lines[:4] == ["pass 1: 100 rows", "pass 1: 200 rows", "pass 1: 300 rows", "pass 2: 100 of 300 rows"]
    assert len({line.split(":")[0] for line in lines}) > 3


def test_a_sample_of_the_rows_for_learners_that_need_them_in_memory() -> None:
    table = table_of()
    some = Batches(pieces(table)).sample(400)
    assert some.num_rows == 400
    assert some.column_names == table.column_names
    C45Classifier().fit(some.select(INPUTS), some["two"])
    pairs = Batches([(np.ones((5, 2)), np.arange(5)), (np.zeros((5, 2)), np.arange(5))])
    X, y = pairs.sample(7)
    assert X.shape == (7, 2)
    assert len(y) == 7


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "y", "words"),
    [
        ("no/such.parquet", "y", "the file or folder 'no/such.parquet'"),
        (Batches(pieces(table_of(50)), columns=INPUTS), "z", "has no column 'z'; it has a, b, c"),
        (Batches(pieces(table_of(50))), np.ones(50), "y must name a column.*not an array of values"),
        (Batches([(np.ones((2, 2)), [0, 1])]), "y", "include y"),
        (Batches([]), "y", "gives no batches"),
        (Batches(iter([table_of(50)])), "y", "allows one pass only"),
        (Batches([np.ones((3, 2))]), "y", r"a batch must be a data frame, \(X, y\)"),
        (
            Batches([(np.ones((2, 2)), [0, 1]), (np.ones((2, 3)), [0, 1])]),
            None,
            "batch 1 of .*its columns are x0, x1, x2",
        ),
        (Batches([(np.ones((2, 2)), [0, 1], [0.0, 0.0])]), None, "no row of weight > 0"),
        (Batches([(np.ones((2, 2)), [0, 1], [1.0, -1.0])]), None, "sample_weight must be >= 0"),
        (Batches([(np.array([[1.0], [np.inf]]), [0, 1])]), None, "batch 0 of .*contains infinity"),
    ],
)
def test_bad_input_is_refused_in_words(source: Any, y: Any, words: str) -> None:
    model = SoftTreeRegressor(**HOW)
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=words):
        model.fit(source, y)
    with pytest.raises(NotFittedError):
        model.predict([[0.0, 0.0]])


def write_files(folder: Path, kind: str, tables: list[pa.Table]) -> Path:
    writers = {
        "parquet": pyarrow.parquet.write_table, "csv": pyarrow.csv.write_csv, "feather": pyarrow.feather.write_feather
    }  # fmt: skip
    folder.mkdir()
    for number, table in enumerate(tables):
        writers[kind](table, folder / f"{number}.{kind}")
    return folder


@pytest.mark.parametrize("kind", ["parquet", "csv", "feather"])
def test_files_that_differ_in_their_columns_are_refused(kind: str, tmp_path: Path) -> None:
    """A column used to be missing, or dropped, without a message."""
    whole = table_of(300).select(["a", "b", "c", "y"])
    less, model = whole.drop_columns("b"), CARTRegressor(**CART)
    for name, tables, words in [
        ("later", [whole, less], r"1\.\w+' has no column 'b', unlike the first: its columns are a, c, y, those"),
        (
            "first",
            [less, whole],
            r"1\.\w+' has a column 'b', unlike the first: its columns are a, b, c, y, those",
        ),
    ]:
        folder = write_files(tmp_path / name, kind, tables)
        with pytest.raises(ValueError, match=words):
            model.fit(folder, "y")
        with pytest.raises(ValueError, match=words):
            model.fit(sorted(folder.iterdir()), "y")
        assert model.fit(Batches(folder, columns=["c", "a"]), "y").feature_names_in_.tolist() == ["c", "a"]
    turned = write_files(tmp_path / "turned", kind, [whole, whole.select(["y", "c", "b", "a"])])
    twice = write_files(tmp_path / "twice", kind, [whole, whole])
    assert model.fit(turned, "y").tree_ == model.fit(twice, "y").tree_


def test_an_empty_batch_is_no_rows() -> None:
    frame = table_of(300).to_pandas()[[*INPUTS, "y"]]
    for kind, how in ((CARTRegressor, CART), (SoftTreeRegressor, HOW)):
        whole = kind(**how).fit(Batches([frame]), "y").tree_
        assert kind(**how).fit(Batches([frame[:0], frame, frame[:0]]), "y").tree_ == whole
    with pytest.raises(ValueError, match="has no row of weight > 0"):
        CARTRegressor(**CART).fit(Batches([frame[:0]]), "y")


def test_temporary_files_are_closed() -> None:
    frame = pl.from_arrow(table_of(300).select(["a", "b", "y"])).lazy()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        CARTRegressor(**CART).fit(frame, "y")
        with pytest.raises(ValueError, match="has no column 'z'"):
            CARTRegressor(**CART).fit(frame, "z")
        gc.collect()
    assert not [str(told.message) for told in heard if told.category is ResourceWarning]


def test_the_file_of_a_query_goes_with_its_batches() -> None:
    batches = Batches(pl.from_arrow(table_of(300).select(["a", "b", "y"])).lazy())
    CARTRegressor(**CART).fit(batches, "y")
    kept = batches._kept
    assert kept is not None
    assert kept.exists()
    del batches
    gc.collect()
    assert not kept.parent.exists()


def test_a_column_is_numbers_or_categories_in_all_batches() -> None:
    frames = [pa.table({"a": [1.0, 2.0], "y": [0.0, 1.0]}), pa.table({"a": ["x", "z"], "y": [0.0, 1.0]})]
    with pytest.raises(ValueError, match="column 'a' holds numbers in some batches and text"):
        SoftTreeRegressor(**HOW).fit(Batches(frames), "y")


def test_a_source_that_changes_between_passes_is_noticed() -> None:
    passes = []

    def read() -> Any:
        passes.append(1)
        yield np.random.default_rng(0).normal(size=(100 + len(passes), 2)), np.arange(100.0 + len(passes))

    with pytest.raises(ValueError, match="gave 101 rows in the first pass and 102 in another"):
        SoftTreeRegressor(**HOW).fit(Batches(read))


def test_options_that_need_rows_in_memory_say_so() -> None:
    source = Batches(pieces(table_of(50)), columns=INPUTS)
    with pytest.raises(ValueError, match="learner='incremental' needs individual rows in memory: use"):
        SoftTreeRegressor(learner="incremental").fit(source, "y")
    with pytest.raises(ValueError, match="engine='memory' takes rows in memory, and X is Batches"):
        SoftTreeRegressor(engine="memory").fit(source, "y")
    with pytest.raises(TypeError, match="X_val must be rows in memory"):
        SoftTreeRegressor().fit(source, "y", X_val=source, y_val="y")
    with pytest.raises(ValueError, match="memory must be bytes"):
        Batches("rows.parquet", memory="a lot")
