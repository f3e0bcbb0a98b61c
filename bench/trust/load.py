"""The FastAPI example of docs/serving.md behind uvicorn, with many concurrent clients."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from bench.trust.process import held, n_threads

REQUESTS, CLIENTS = 10_000, 32
PAGE = Path(__file__).parents[2] / "docs" / "serving.md"


def example(kind: str) -> str:
    """The first block of this kind on the page."""
    return str(re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[0])


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(port: int, n: int, seed: int, spans: list[float], wrong: list[str]) -> None:
    """One client: a number of requests of one to five rows, one after the other over one connection."""
    rng = np.random.default_rng(seed)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for _ in range(n):
        rows = [
            {"age": None if rng.random() < 0.1 else int(rng.integers(18, 80)), "income": 31_000, "town": "Rome"}
            for _ in range(int(rng.integers(1, 6)))
        ]
        begin = time.perf_counter()
        try:
            line.request("POST", "/predict", json.dumps(rows), {"Content-Type": "application/json"})
            reply = line.getresponse()
            body = json.loads(reply.read())
            if reply.status != 200 or len(body) != len(rows):
                wrong.append(f"{reply.status} {body!r:.200}")
        except (OSError, http.client.HTTPException, ValueError) as problem:
            wrong.append(repr(problem))
            line.close()
        spans.append(time.perf_counter() - begin)


def wait_for(port: int) -> None:
    """Until the server listens."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the server did not come up within a minute.")


def serve(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """A server of the example's model, in its folder."""
    around = os.environ | {"PYTHONPATH": os.pathsep.join(str(Path(place).resolve()) for place in sys.path if place)}
    (folder / "server.py").write_text(example("fastapi"))
    subprocess.run([sys.executable, "-c", example("python")], cwd=folder, env=around, check=True)
    line = [sys.executable, "-m", "uvicorn", "server:app", "--port", str(port), "--log-level", "warning"]
    return subprocess.Popen(line, cwd=folder, env=around)


def run(scale: float) -> None:
    """Print the times of requests, errors, and the server's memory."""
    each = max(1, int(REQUESTS * scale) // CLIENTS + 1)
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = serve(Path(folder), port)
        try:
            wait_for(port)
            for turn in ("warm up", "first", "second"):
                spans, wrong = list[float](), list[str]()
                before, begin = held(server.pid), time.perf_counter()
                clients = [
                    threading.Thread(
                        target=ask, args=(port, each if turn != "warm up" else each // 10 + 1, seed, spans, wrong)
                    )
                    for seed in range(CLIENTS)
                ]
                for client in clients:
                    client.start()
                for client in clients:
                    client.join()
                wall = time.perf_counter() - begin
                p50, p99, most = np.quantile(spans, [0.5, 0.99, 1.0]) * 1000
                print(
                    f"{turn}: {len(spans):,} requests by {CLIENTS} clients, {len(spans) / wall:.0f} a second, "
                    f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, longest {most:.1f} ms, {len(wrong)} errors, server "
                    f"{before:.1f} -> {held(server.pid):.1f} MiB, {n_threads(server.pid)} threads"
                )
                print(*wrong[:3], sep="\n", end="")
        finally:
            server.terminate()
            server.wait(30)
