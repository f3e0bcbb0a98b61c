"""Node runs the modules of the page as they are in the installed package."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import softwood.view.page

VIEWER = Path(softwood.view.page.__file__).parent / "viewer"


@pytest.fixture(scope="session")
def node() -> Callable[..., str]:
    """Run node with some arguments; what it prints."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed (apt-get install nodejs): the page's modules cannot run.")

    def run(*arguments: str | Path) -> str:
        environment = {**os.environ, "SOFTWOOD_VIEWER": VIEWER.as_uri() + "/"}
        done = subprocess.run([program, *map(str, arguments)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
