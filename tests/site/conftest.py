"""The documentation site, built once for all workers, strictly: a warning is an error."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    folder = shared / "documentation"
    with (shared / "documentation.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
            around = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
            told = subprocess.run(command, cwd=ROOT, env=around, capture_output=True, text=True, check=False)
            assert told.returncode == 0, told.stdout + told.stderr
    return folder
