"""The first mutants of `make fuzz-files`, and named kinds of invalid files."""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softwood import FileError, Schema, Tree, from_json, load, save, to_json
from softwood.formats.container import read_container, write_container
from tests import warm_process
from tests.fuzz import files
from tests.fuzz.files import FILES, mutate_header, run
from tests.strategies import random_tree

CART, STREAM, SOFT, TREE = (
    next(path for path in FILES if path.stem == name)
    for name in ("CARTClassifier", "BuddingTreeRegressor-stream", "SoftTreeClassifier", "Tree")
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(100, 1000, 100))])
def test_mutants_are_refused_or_sound(seed: int) -> None:
    found = run(100, seed)
    assert found["refused"] > 70  # the mutations do something
    assert found["loaded"] > 0  # and do not only break the hash


def test_a_case_that_never_ends_is_told_and_the_next_ones_run(tmp_path: Path) -> None:
    child = """
import sys
from pathlib import Path
from tests.fuzz import files
files.CASE_SECONDS = 0.3
def run_case(case, path):
    while case == 8:
        pass
    return "loaded"
files.run_case = run_case
files.work(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
"""

    def run_child(begin: int, end: int) -> tuple[int, Counter[str], str]:
        given = [sys.executable, "-c", child, str(begin), str(end), str(tmp_path / "note")]
        done = warm_process.run(given)
        told = json.loads((tmp_path / "note").read_text())
        assert done.returncode == (-signal.SIGPROF if told["case"] == 8 else 0), done.stderr
        return told["case"], Counter(told["found"]), "in run_case" * ("in run_case" in done.stderr)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "run_child", run_child)
        assert [*files.run_all(7, 10, jobs=2)][-1][0] == 10
        done, found, findings = files.run_chunk(7, 10)
    assert (done, found["loaded"], findings) == (10, 2, ["in run_case"])


def test_mutants_of_json_are_refused_or_sound() -> None:
    refused = 0
    for case in range(300):
        stored = json.loads(to_json(random_tree(case % 20, 4)))
        mutate_header(stored, np.random.default_rng(case))
        try:
            tree = from_json(json.dumps(stored))
        except FileError:
            refused += 1
        else:
            tree.predict(np.zeros((2, tree.n_features)))
    assert 200 < refused < 300


def test_a_chain_of_ten_thousand_gates_is_written_and_read(tmp_path: Path) -> None:
    first, branch = np.full(20_001, -1), np.append(0, np.arange(1, 19_999, 2))
    first[branch] = np.arange(1, 20_001, 2)
    gate = first > 0
    answer = np.arange(20_001.0)[:, None]
    tree = Tree(response=answer, schema=Schema.plain(1, 1), first_child=first, n_children=2 * gate,
                score=1 * gate, feature=gate - 1, threshold=np.where(gate, 1.0, np.nan))  # fmt: skip
    save(tree, tmp_path / "chain.softwood")
    assert load(tmp_path / "chain.softwood") == tree
    assert from_json(to_json(tree)) == tree


@pytest.mark.parametrize("path", [CART, STREAM, TREE], ids=lambda path: path.stem)
def test_a_file_cut_anywhere_is_one_error(path: Path, tmp_path: Path) -> None:
    stored = path.read_bytes()
    for end in [*range(0, 64), *range(64, len(stored), 97), len(stored) - 1]:
        (tmp_path / "cut").write_bytes(stored[:end])
        with pytest.raises(FileError):
            load(tmp_path / "cut")


@pytest.mark.parametrize("place", ["table", "values"])
def test_a_changed_byte_is_found(place: str, tmp_path: Path) -> None:
    stored = bytearray(CART.read_bytes())
    at = stored.index(b"max_depth") if place == "table" else len(stored) - 9
    stored[at] ^= 1
    (tmp_path / "changed").write_bytes(stored)
    with pytest.raises(FileError, match="damaged: its content does not match its hash"):
        load(tmp_path / "changed")


def rewritten(path: Path, folder: Path, change: Callable[[Any, dict[str, Any]], None]) -> Path:
    """The file with something in it changed, and hashed again."""
    header, views = read_container(path)
    arrays = {name: np.array(view) for name, view in views.items()}
    change(header, arrays)
    write_container(folder / "changed.softwood", header, arrays)
    return folder / "changed.softwood"


def put(name: str, at: int, value: float) -> Callable[[Any, dict[str, Any]], None]:
    def change(header: Any, arrays: dict[str, Any]) -> None:
        arrays[name].flat[at] = value

    return change


def say(way: str, value: Any) -> Callable[[Any, dict[str, Any]], None]:
    def change(header: Any, arrays: dict[str, Any]) -> None:
        *names, last = way.split(".")
        for name in names:
            header = header[name]
        header[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "change", "told"),
    [
        (CART, put("tree/first_child", 0, 0), "node 0: children from 0 on must come after it"),
        (CART, put("tree/first_child", 0, 2**31 - 1), "node 0: children from 2147483647"),
        (CART, put("tree/response", 0, np.nan), "response must be finite"),
        (CART, put("learned/pruning_sequence_/risk", 0, np.nan), "risk of the pruning sequence must be finite"),
        (CART, say("learned._pruning_table.chosen", 10**6), "the pruning table has no row 1000000"),
        (CART, say("estimator", "os.system"), "a file holds one of"),
        (CART, say("estimator", "SoftTreeClassifier"), "parameters of SoftTreeClassifier"),
        (CART, say("parameters.strange", 1), "parameters of CARTClassifier must be of"),
        (CART, say("learned.predict", 1), "a CARTClassifier has learned"),
        (CART, say("learned.n_features_in_", 3), "n_features_in_ must be 4, got 3"),
        (CART, lambda header, arrays: arrays.update(x=np.zeros(3)), "arrays that are not part of the model: .'x'."),
        (STREAM, put("learned/_stream/state/first_child", 0, 0), "children must come after their parent"),
        (STREAM, put("learned/_stream/state/count", 0, 10**6), "a state with room for 7 nodes has 1000000"),
        (STREAM, put("learned/_stream/state/number", 0, np.nan), "number of a state must be finite"),
        (STREAM, say("learned._stream.state.columns", 10**9), "number of a state must have shape"),
        (STREAM, say("learned._stream.inputs.n_levels", [10**9, 3, 0, 0]), "levels and moments of a stream must agree"),
        (STREAM, say("learned._stream.options.rule", 0), "speed is for Adam"),
        (STREAM, say("learned._stream.options.rule", 9), "must be one of .0, 1, 2."),
        (STREAM, say("learned.history_.rows", 10**12), "must have columns of 1000000000000 rows"),
        (SOFT, put("learned/_grown/design/feature", 0, 99), "a column must be made of terms of its own input"),
        (SOFT, put("learned/_grown/tree/first_child", 0, -7), "children must come after their parent"),
        (SOFT, say("learned._grown.tree.slopes", "many"), "must be none or shared or own"),
        (TREE, lambda header, arrays: header["tree"]["schema"]["inputs"].clear(), "outside 0..-1"),
    ],
)
def test_a_hostile_value_is_refused_in_words(path: Path, change: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=told):
        load(rewritten(path, tmp_path, change))


def test_a_newer_file_says_what_to_do(tmp_path: Path) -> None:
    stored = CART.read_bytes().replace(b'"version": "1"', b'"version": "4"', 1)
    (tmp_path / "newer").write_bytes(stored)
    with pytest.raises(FileError, match="of version 4, this softwood reads up to 3; install a newer softwood"):
        load(tmp_path / "newer")


def container(table: Any, values: bytes = b"") -> bytes:
    head = table if isinstance(table, bytes) else json.dumps(table).encode()
    return len(head).to_bytes(8, "little") + head + values


METADATA = {"format": "softwood", "version": "2", "header": "{}", "sha256": "0" * 64}


def with_array(dtype: str, shape: list[int], offsets: list[int], values: bytes = b"8 bytes!", **more: Any) -> bytes:
    entry = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
    return container({"__metadata__": METADATA, "a": entry, **dict.fromkeys(more, entry)}, values)


@pytest.mark.parametrize(
    "stored",
    [
        b"", b"\x00" * 8, b"\xff" * 64, b"PK\x03\x04" * 9, container([]), container(b"[" * 10**6), container({}),
        with_array("F64", [2**61], [0, 8]), with_array("F64", [0, 2**62, 2**62], [0, 0], b""),
        with_array("F64", [1], [0, 8], b=1), with_array("V9", [1], [0, 8]), with_array("F64", [-1, -1], [0, 8]),
        with_array("F64", [1] * 100, [0, 8]), with_array("BOOL", [8], [0, 8]),
        container({"__metadata__": METADATA}, b"more"), container({"__metadata__": METADATA}),
        container(b'{"__metadata__": {"format": "softwood"}, "__metadata__": {}}'),
    ],
    ids=range(17),
)  # fmt: skip
def test_what_is_no_file_of_ours_is_one_error(stored: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(stored)
    with pytest.raises(FileError):
        load(tmp_path / "file")
