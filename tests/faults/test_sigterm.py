"""SIGTERM, as sent by systemd and Docker: a file is the old one or the new one, a fit resumes from its checkpoint."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from softwood import load, save
from tests import warm_process
from tests.faults.learners import CHILD, fingerprint, make, rows
from tests.warm_process import WarmProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system has no SIGTERM")
PATIENCE = 120

SAVES = """
import sys
from softwood import load, save
models = [load(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for model in models:
        save(model, sys.argv[1])
"""

FITS = """
import sys
from softwood import save
from softwood.engines.journal import Journal
from tests.faults.test_sigterm import fit
write = Journal._write

def told(journal, name, body):
    write(journal, name, body)
    print("pass", flush=True)

Journal._write = told
save(fit(sys.argv[1]), sys.argv[2])
"""


def fit(checkpoint: str | None) -> object:
    """A small fit by batches, the same each time."""
    from softwood import Batches, SoftTreeRegressor
    from softwood.learners.soft.training import batched_rows, training_rows

    X, y = rows("SoftTreeRegressor", 1500)
    model = SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=3, max_iter=30, weight_penalty=1e-3)
    pieces = [(X[at : at + 500], y[at : at + 500]) for at in range(0, 1500, 500)]
    with pytest.MonkeyPatch.context() as patch:
        for module in (batched_rows, training_rows):
            patch.setattr(module, "SAMPLE_ROWS", 700)  # more rows are passed over once for every step
        return model.fit(Batches(lambda: iter(pieces), memory="64 KiB", checkpoint=checkpoint))


def stop(line: list[str], after: int) -> int:
    """Run the program, send SIGTERM after this number of lines and return how it ended."""
    with WarmProcess(line, env=CHILD, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for _ in range(after):
            child.stdout.readline()
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=PATIENCE)
    return child.returncode


def test_a_file_that_is_written_again_and_again_is_always_whole(tmp_path: Path) -> None:
    models = [make("CARTClassifier", max_leaves=n).fit(*rows("CARTClassifier", 400)) for n in (2, 40)]
    paths = [str(tmp_path / f"{n}.softwood") for n in range(2)]
    for model, path in zip(models, paths, strict=True):
        save(model, path)
    file = str(tmp_path / "model.softwood")
    save(models[0], file)
    for _ in range(2):
        assert stop([sys.executable, "-c", SAVES, file, *paths], after=1) == -signal.SIGTERM
        assert fingerprint(load(file)) in map(fingerprint, models)


def test_a_fit_by_batches_goes_on_and_ends_with_the_same_tree(tmp_path: Path) -> None:
    whole, checkpoint, model = fit(None), str(tmp_path / "notes"), tmp_path / "model.softwood"
    line = [sys.executable, "-c", FITS, checkpoint, str(model)]
    assert stop(line, after=3) == -signal.SIGTERM
    assert Path(checkpoint).exists()
    assert not model.exists()
    warm_process.run(line, check=True, timeout=PATIENCE)
    assert fingerprint(load(model)) == fingerprint(whole)
    assert not Path(checkpoint).exists()
