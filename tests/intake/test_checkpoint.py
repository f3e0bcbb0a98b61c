"""A fit that is killed at any moment can be resumed, and ends with the same tree."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from softwood import Batches, SoftTreeRegressor, load
from softwood.engines.journal import Journal
from tests import warm_process
from tests.intake.batch_tables import INPUTS, SMALL, draw_samples_of, pieces, table_of

HOW = {"gate": "linear", "leaf": "constant", "max_leaves": 4, "max_iter": 40, "weight_penalty": 1e-3}
CHILD = """
import os, signal, sys
from softwood import Batches, SoftTreeRegressor, save
from softwood.engines.journal import Journal
from softwood.learners.soft.training import batched_rows, training_rows

batched_rows.SAMPLE_ROWS = training_rows.SAMPLE_ROWS = 400  # more rows are passed over once for every step
rows, checkpoint, model, dies_at = sys.argv[1:]
written, write = [], Journal._write

def write_or_die(journal, name, body):
    written.append(1)
    if len(written) == int(dies_at):  # in the middle of a record
        journal.file.seek(0, os.SEEK_END)
        journal.file.write(name + body[:100])
        journal.file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    write(journal, name, body)

Journal._write = write_or_die
how = {"gate": "linear", "leaf": "constant", "max_leaves": 4, "max_iter": 40, "weight_penalty": 1e-3}
save(SoftTreeRegressor(**how).fit(Batches(rows, memory="64 KiB", checkpoint=checkpoint), "y"), model)
"""


def test_killed_in_the_middle_the_next_fit_ends_with_the_same_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_samples_of(400, monkeypatch)
    table = table_of(1000).select([*INPUTS, "y"])
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    source = str(tmp_path / "rows.parquet")
    whole = SoftTreeRegressor(**HOW).fit(Batches(source, memory=SMALL), "y")
    checkpoint, model = tmp_path / "fit.journal", tmp_path / "model.softwood"
    line = [sys.executable, "-c", CHILD, source, str(checkpoint), str(model)]
    for dies_at in (1, 8):  # so many more passes each time before it is killed
        killed = warm_process.run([*line, str(dies_at)])
        assert killed.returncode == -signal.SIGKILL
        assert checkpoint.exists()
        assert not model.exists()
    warm_process.run([*line, "0"], check=True)
    tree = load(model).tree_
    np.testing.assert_array_equal(tree.response, whole.tree_.response)
    np.testing.assert_array_equal(tree.weight, whole.tree_.weight)
    assert not checkpoint.exists()  # nothing is left to go on with


def test_passes_in_the_checkpoint_are_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_samples_of(400, monkeypatch)
    table, walked, stop = table_of(1000), [], [40]

    def read() -> object:
        walked.append(1)
        if len(walked) == stop[0]:
            raise KeyboardInterrupt
        yield from pieces(table)()

    source = Batches(read, memory=SMALL, columns=INPUTS, checkpoint=tmp_path / "fit.journal")
    with pytest.raises(KeyboardInterrupt):
        SoftTreeRegressor(**HOW).fit(source, "y")
    done = len(walked)
    stop[0] = -1
    SoftTreeRegressor(**HOW).fit(source, "y")
    whole = len(walked) - done
    walked.clear()
    SoftTreeRegressor(**HOW).fit(Batches(read, memory=SMALL, columns=INPUTS), "y")
    assert whole < len(walked) - 30


def test_the_checkpoint_of_another_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fit.journal"
    Journal(path, b"another").close()
    source = Batches(pieces(table_of(300)), columns=INPUTS, checkpoint=path)
    with pytest.raises(ValueError, match="is of another fit; delete it, or use another path"):
        SoftTreeRegressor(**HOW).fit(source, "y")
    path.write_text("a letter to my mother, whom I have not written to for a long time")
    with pytest.raises(ValueError, match="is not a journal of softwood; delete it"):
        SoftTreeRegressor(**HOW).fit(source, "y")
    assert path.read_text().startswith("a letter")


def test_a_record_that_was_not_written_to_its_end_is_cut_off(tmp_path: Path) -> None:
    path, asked = tmp_path / "journal", []

    def work() -> list[np.ndarray]:
        asked.append(1)
        return [np.arange(3.0), np.array(7)]

    journal = Journal(path, b"me")
    journal.answer(b"one", work)
    whole = path.read_bytes()
    journal.answer(b"two", work)
    journal.close()
    for cut in (len(whole) + 3, len(whole) + 40, len(path.read_bytes()) - 1):
        path.write_bytes(path.read_bytes()[:cut])
        again = Journal(path, b"me")
        assert again.replayed == 1
        np.testing.assert_array_equal(again.answer(b"one", work)[0], np.arange(3.0))
        again.answer(b"two", work)
        again.close()
    assert len(asked) == 2 + 3
