"""A killed command leaves no incomplete file: the old one, the new one, or none."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from softwood import load
from softwood.formats.replace import replace_file
from tests.cli.conftest import CHILD
from tests.warm_process import WarmProcess

# Runs the command; when half of the bytes of a file are on disk, it prints a message and waits to be killed.
HALTING = """
import sys, time
from softwood.formats import replace
class Halting:
    def __init__(self, file): self.file = file
    def __enter__(self): self.file.__enter__(); return self
    def __exit__(self, *given): return self.file.__exit__(*given)
    def writelines(self, parts):
        whole = b"".join(parts)
        self.file.write(whole[: len(whole) // 2])
        self.file.flush()
        print("WRITING", flush=True)
        time.sleep(120)
opened = replace.os.fdopen
replace.os.fdopen = lambda *given: Halting(opened(*given))
from softwood.cli import app
app(sys.argv[1:], prog_name="softwood")
"""
LINES = [
    ["fit", "people.csv", "--target", "good", "--model", "cart", "--folds", "0", "--out", "OUT"],
    ["predict", "MODEL", "people.csv", "--out", "OUT"],
    ["export", "MODEL", "--to", "python", "--out", "OUT"],
    ["export", "MODEL", "--to", "onnx", "--out", "OUT"],
    ["prune", "MODEL", "--n_leaves", "2", "--out", "OUT"],
    ["view", "MODEL", "people.csv", "--out", "OUT"],
    ["report", "MODEL", "people.csv", "--target", "good", "--out", "OUT"],
]


@pytest.mark.parametrize(
    ("how", "line"),
    [*((signal.SIGTERM, line) for line in LINES), (signal.SIGKILL, LINES[0])],
    ids=lambda one: one.name if isinstance(one, signal.Signals) else " ".join(one),
)
def test_what_is_killed_while_it_writes_leaves_the_old_file(model: str, line: list[str], how: signal.Signals) -> None:
    old = Path("out.file")
    old.write_text("the old one")
    before = sorted(Path.cwd().iterdir())
    words = [{"MODEL": model, "OUT": old.name}.get(word, word) for word in line]
    child = [sys.executable, "-c", HALTING, *words]
    with WarmProcess(child, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CHILD) as job:
        assert job.stdout is not None
        said = []
        for text in job.stdout:
            said.append(text)
            if text == b"WRITING\n":
                break
        job.send_signal(how)
        _, errors = job.communicate(timeout=60)
    assert old.read_text() == "the old one", (said, errors)
    left = set(Path.cwd().iterdir()) - set(before)
    if how == signal.SIGTERM:
        assert job.returncode == 143, errors
        assert errors == b"softwood: stopped; no incomplete file was written.\n"
        assert left == set()
    else:
        assert job.returncode == -signal.SIGKILL
        assert [path.name[:10] + path.name[-4:] for path in left] == [".out.file..tmp"]  # its name says what it is
    load(model)


def test_sigterm_is_heard_while_a_model_is_learned(folder: Path) -> None:
    rows = "\n".join(f"{i * 7919 % 10007},{i * 104729 % 9973},{i * i % 7 % 2}" for i in range(40_000))
    Path("long.csv").write_text(f"a,b,y\n{rows}\n")
    line = [sys.executable, "-m", "softwood", "fit", "long.csv", "--target", "y", "--model", "soft"]
    with WarmProcess(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CHILD, text=True) as job:
        assert job.stdout is not None
        for text in job.stdout:
            if text.startswith("inputs"):  # it has read the rows and begins to learn
                break
        job.send_signal(signal.SIGTERM)
        _, said = job.communicate(timeout=60)
    assert (job.returncode, said) == (143, "softwood: stopped; no incomplete file was written.\n")
    assert sorted(path.name for path in folder.iterdir()) == ["long.csv", "people.csv"]


def test_what_is_no_file_is_written_to_and_not_replaced(folder: Path, run: Any, model: str) -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        run("export", model, "--to", "python", "--out", "pipe")
        said, _ = reader.communicate(timeout=60)
    assert said.decode() == run("export", model, "--to", "python").stdout
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    replace_file(os.devnull, [b"nothing"])
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


# Sends a signal to itself when the package is about to import NumPy: long before a command begins.
EARLY = """
import builtins, os, sys
given = builtins.__import__
def asked(name, *rest):
    if name == "numpy":
        os.kill(os.getpid(), int(sys.argv[1]))
    return given(name, *rest)
builtins.__import__ = asked
from softwood.__main__ import main
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_the_command_begins_leaves_no_traceback(number: signal.Signals, code: int) -> None:
    line = [sys.executable, "-c", EARLY, str(int(number))]
    done = subprocess.run(line, capture_output=True, text=True, env=CHILD, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "softwood: stopped before any work.\n")


@pytest.mark.long
def test_a_signal_that_is_ignored_stays_ignored() -> None:
    ignoring = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.argv[1] = '2'\n"
    line = [sys.executable, "-c", ignoring + EARLY, "2"]
    done = subprocess.run(line, capture_output=True, text=True, env=CHILD, check=False)
    assert (done.returncode, "No such command" in done.stderr) == (2, True)
