"""The page as a file: whole, small, and deaf to what names try to do."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softwood
from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, from_json
from softwood.tree.node_numbers import node_numbers
from softwood.view.page import embed, script
from softwood.view.rows import MOST_CELLS
from tests.strategies import random_tree

X = np.column_stack([np.arange(40.0), np.arange(40.0) % 7])
MODEL = CARTRegressor(random_state=0).fit(X, X[:, 0] > 12)


def data_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_holds_the_tree_itself(tmp_path: Path) -> None:
    page = softwood.view(MODEL, X, path=tmp_path / "tree.html")
    assert page.path.read_text(encoding="utf-8") == page.html
    assert from_json(json.dumps(data_of(page.html)["model"])) == MODEL.tree_


def test_the_page_asks_for_nothing_from_outside(tmp_path: Path) -> None:
    text = softwood.view(MODEL, X, path=tmp_path / "tree.html").html
    code = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
    assert re.findall(r"https?://[^\s\"')]+", code) == ["http://www.w3.org/2000/svg"]  # a name, never fetched
    assert not re.search(r"^import |^export |\bfetch\(|XMLHttpRequest|\bsrc=|@import|innerHTML", code, re.MULTILINE)


def test_a_tree_of_31_nodes_with_many_inputs_is_below_300_kb(tmp_path: Path) -> None:
    rows = load_breast_cancer(as_frame=True)
    model = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=16, random_state=0)
    model.fit(rows.data, rows.target_names[rows.target])
    page = softwood.view(model, rows.data, rows.target, tmp_path / "tree.html")
    assert page.path.stat().st_size < 300_000
    tree = CARTClassifier(max_leaves=16, prune=None).fit(rows.data, np.arange(len(rows.data)) % 3)
    assert tree.tree_.n_nodes == 31
    assert softwood.view(tree, rows.data, path=tmp_path / "tree.html").path.stat().st_size < 300_000


def test_of_a_long_table_some_rows_are_kept_evenly(tmp_path: Path) -> None:
    many = np.column_stack([np.linspace(0, 39, 20_000), np.zeros(20_000)])
    rows = data_of(softwood.view(MODEL, many, path=tmp_path / "tree.html").html)["rows"]
    assert len(rows["number"]) * 2 <= MOST_CELLS
    assert rows["number"][0] == 0
    assert rows["number"][-1] == 19_999
    np.testing.assert_allclose(np.array(rows["cells"]), many[rows["number"]])


def test_frames_of_any_library_give_the_same_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": [1.0, np.nan, 3.0, 9.0] * 5, "colour": ["red", None, "blue", "red"] * 5})
    model = CARTClassifier(random_state=0).fit(frame, [0, 1, 1, 0] * 5)
    told = [
        data_of(softwood.view(model, table, path=tmp_path / "tree.html").html)["rows"]["cells"]
        for table in (frame, frame[["colour", "size"]], pl.from_pandas(frame), frame.to_numpy().tolist())
    ]
    assert told[0][:3] == [[1.0, 1.0], [None, None], [3.0, 0.0]]
    assert told[1] == told[0]
    assert told[2] == told[0]
    assert told[3] == told[0]


def test_embedded_json_cannot_end_its_element() -> None:
    names = ["</script>", "<!--", "<script>", "\u2028", "\ud800", "🌲", "&amp;"]
    text = embed(names)
    assert "<" not in text
    text.encode("utf-8")
    assert json.loads(text) == names


def test_every_module_is_in_the_page_once_with_names_of_its_own() -> None:
    names = re.findall(r"^(?:async )?(?:function|class) (\w+)|^const (\w+)", script(), re.MULTILINE)
    flat = ["".join(pair) for pair in names]
    assert len(flat) == len(set(flat)) > 100


def test_a_notebook_shows_the_page_in_a_frame(tmp_path: Path) -> None:
    page = softwood.view(MODEL, path=tmp_path / "tree.html")
    frame = page._repr_html_()
    inner = re.search(r'srcdoc="(.*?)"', frame, re.DOTALL)
    assert inner is not None
    assert html.unescape(inner[1]) == page.html


def test_without_a_path_a_temporary_file_is_written() -> None:
    page = softwood.view(MODEL)
    assert page.path.suffix == ".html"
    page.path.unlink()


def test_pipelines_are_looked_into(tmp_path: Path) -> None:
    model = make_pipeline(StandardScaler(), CARTRegressor(random_state=0)).fit(X, X[:, 0] > 12)
    data = data_of(softwood.view(model, X, path=tmp_path / "tree.html").html)
    assert data["words"]["title"] == "CARTRegressor"
    scaled = model[:-1].transform(X)[data["rows"]["number"]]
    np.testing.assert_allclose(np.array(data["rows"]["cells"], float), scaled, rtol=1e-9)


def test_wrong_input_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(
        TypeError, match="view needs a Tree or a fitted softwood estimator, got CARTRegressor; call fit"
    ):
        softwood.view(CARTRegressor())
    with pytest.raises(ValueError, match="y without X"):
        softwood.view(MODEL, y=[1.0])
    with pytest.raises(ValueError, match=r"X must have shape \(rows, 2\), a column for each input"):
        softwood.view(MODEL, X[:, :1])
    with pytest.raises(ValueError, match="y must have a value for each of 40 rows, got 3"):
        softwood.view(MODEL, X, [1, 2, 3])
    with pytest.raises(ValueError, match="X has no rows"):
        softwood.view(MODEL, X[:0])


def test_the_room_can_be_called_as_the_function(tmp_path: Path) -> None:
    import softwood.view as room

    assert room(MODEL, path=tmp_path / "tree.html").path.exists()


@pytest.mark.parametrize("seed", range(12))
def test_the_cards_of_the_page_have_the_numbers_of_the_tree(seed: int, tmp_path: Path) -> None:
    """Label, bar and colour are read from `arrives`; what nodes add to a row sums up to its output."""
    tree = random_tree(seed, 1 + seed % 7)
    words = data_of(softwood.view(tree, path=tmp_path / "tree.html").html)["words"]
    numbers = node_numbers(tree)
    np.testing.assert_allclose(words["arrives"], numbers.arrives)
    adds = np.array(words["adds"], float)
    np.testing.assert_allclose(adds, numbers.adds)
    assert words["isSummed"] == (not tree.is_whole and numbers.unit != "probability")
    for node in range(tree.n_nodes):
        assert (words["added"][node] == "") == (not tree.leafness[node] > 0) or not words["isSummed"]
    for rule in data_of(softwood.view(tree, path=tmp_path / "tree.html").html)["rules"]:
        if tree.slope_row[rule["node"]] >= 0:
            assert "=" in rule["adds"]  # a linear response is never told as a constant
