"""A child process that examines cases one after the other; its parent reports if it crashes or is too slow.

The limit is on processor time, not wall time, because the machine may be busy. At the limit, and in a crash,
faulthandler writes the location.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case
from tests.fuzz.findings import Finding
from tests.fuzz.refusals import is_softwood, place

MEMORY = 6 << 30
SLOWEST = 20  # times the processor time that a case may take by the clock


class Worker:
    """A child with the native kernels, or the reference, started on first use and restarted after a crash."""

    def __init__(self, kernels: str, seconds: float) -> None:
        self.kernels, self.seconds = kernels, seconds
        self.trace = Path(tempfile.mkstemp(prefix="fuzz-", suffix=".trace")[1])
        self.child: subprocess.Popen[bytes] | None = None
        self.pipe: Connection | None = None

    def ask(self, case: Case, task: str) -> Any:
        """The child's result for a case; a Finding if it crashes."""
        pipe = self._start()
        try:
            pipe.send((task, case))
            if pipe.poll(SLOWEST * self.seconds):
                return pipe.recv()
            reason = "no answer by the clock"
        except (EOFError, ConnectionError):
            reason = ""
        return self._dead(case, reason)

    def stop(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.wait()
        self.child = None
        self.trace.unlink(missing_ok=True)

    def _start(self) -> Connection:
        if self.child is not None and self.pipe is not None:
            return self.pipe
        self.trace.write_text("")
        self.pipe, other = Pipe()
        with other:  # closed here, so that the child's death ends the connection
            kernels = {"SOFTWOOD_KERNELS": "reference"} if self.kernels == "reference" else {}
            given = [str(other.fileno()), str(self.trace), str(self.seconds)]
            self.child = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.worker", *given],
                env={**os.environ, **kernels, **ONE_THREAD},
                pass_fds=[other.fileno()],
            )
        return self.pipe

    def _dead(self, case: Case, reason: str) -> Finding:
        assert self.child is not None
        if reason:
            self.child.kill()
        code = self.child.wait()
        self.child = None
        name = signal.Signals(-code).name if code < 0 else f"exit {code}"
        slow = name == "SIGPROF" or bool(reason)
        kind = f"more than {self.seconds:g} s" if slow else f"crash: {name}"
        trace = self.trace.read_text()
        return Finding(case.seed, case.estimator, kind, innermost(trace), trace[:1500], case.code())


ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


def innermost(trace: str) -> str:
    """The innermost function of softwood in a trace of faulthandler."""
    current = trace.find("Current thread")  # the one that crashed; at the limit, all are told alike
    for line in trace[max(current, 0) :].splitlines():
        if line.strip().startswith('File "'):
            filename, function = line.split('"')[1], line.rsplit(" in ", 1)[-1]
            if is_softwood(filename):
                return place(filename, function)
    return "outside"


def serve(connection: int, trace: str, seconds: float) -> None:
    """Examine cases until the parent closes the connection."""
    from tests.fuzz.examine import answers_of, examine

    with Path(trace).open("w") as file, Connection(connection) as pipe:
        faulthandler.enable(file)
        faulthandler.register(signal.SIGPROF, file, all_threads=True, chain=True)
        if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # its shadow memory is larger than any limit
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        while True:
            try:
                task, case = pipe.recv()
            except (EOFError, ConnectionError):
                return
            signal.setitimer(signal.ITIMER_PROF, seconds)
            told = examine(case) if task == "examine" else answers_of(case)
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send(told)


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
