"""Python programs in processes of their own that start with scikit-learn, pandas and softwood imported.

A fresh interpreter takes two seconds of processor time for these imports. Here one process imports them and forks
(multiprocessing's fork server), so that a program starts in a few milliseconds. For tests that need a process (to kill
it, to stop it in the middle, to have a file or a terminal of its own) but not a fresh interpreter: what an import
does, what variables of the environment do to libraries and how much memory is held is tested by `subprocess`.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing import connection
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

PRELOADED = ["sklearn.model_selection", "pandas", "polars", "pydantic", "pyarrow.parquet", "pytest", "softwood.cli"]
PRELOADED += ["distributed"]  # the workers of tests/intake/test_dask.py, too
PRELOADED += [f"softwood.cli.{name}" for name in ("fit", "show", "predict", "export", "prune", "view", "report")]
PRELOADED += [
    f"softwood.estimators.{name}" for name in ("hard.cart_classifier", "soft.classifier", "budding.classifier")
]
PRELOADED += ["softwood.persistence.files"]
Line = Sequence[str]
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(PRELOADED)


class WarmProcess:
    """As subprocess.Popen of `[sys.executable, "-c", code, ...]` or `[sys.executable, "-m", module, ...]`."""

    def __init__(
        self,
        line: Line,
        *,
        env: Mapping[str, str] | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        text: bool = False,
    ) -> None:
        self.args, self.stdout, self.stderr = line, None, None
        ends: list[Any] = []
        for name, asked in (("stdout", stdout), ("stderr", stderr)):
            if asked == subprocess.PIPE:
                reader, writer = os.pipe()
                setattr(self, name, open(reader, "r" if text else "rb"))  # noqa: SIM115, PTH123  # closed by __exit__
            elif asked == subprocess.DEVNULL:
                writer = os.open(os.devnull, os.O_WRONLY)
            else:
                writer = os.dup({"stdout": 1, "stderr": 2}[name] if asked is None else asked)
            ends.append(connection.Connection(writer, readable=False))
        around = dict(os.environ if env is None else env)
        self._process = CONTEXT.Process(target=_work, args=(list(line[1:]), around, str(Path.cwd()), *ends))
        self._process.start()
        self.pid = self._process.pid
        for end in ends:
            end.close()

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        assert self.pid is not None
        os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int | None:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0.0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[Any, Any]:
        """All that is still said, and the end of the process."""
        said: dict[str, Any] = {}

        def read(name: str, file: IO[Any]) -> None:
            said[name] = file.read()

        files = {name: file for name in ("stdout", "stderr") if (file := getattr(self, name)) is not None}
        readers = [threading.Thread(target=read, args=each) for each in files.items()]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
        return said.get("stdout"), said.get("stderr")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.kill()
        self._process.join()
        for file in (self.stdout, self.stderr):
            if file is not None:
                file.close()


def run(
    line: Line,
    *,
    env: Mapping[str, str] | None = None,
    timeout: float | None = 300.0,
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    """As subprocess.run with captured text."""
    with WarmProcess(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        out, errors = job.communicate(timeout)
    done = subprocess.CompletedProcess(list(line), job.returncode or 0, out, errors)
    if check:
        assert done.returncode == 0, errors
    return done


def _work(words: list[str], env: dict[str, str], folder: str, out: Any, errors: Any) -> None:
    """In the forked process: become the program."""
    os.dup2(out.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    out.close()
    errors.close()
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    how, what, *rest = words
    sys.argv = [how, *rest]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<program>", "exec"), {"__name__": "__main__"})
