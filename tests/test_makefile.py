"""Every prerequisite of the README's two commands can be made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    "target",
    [
        "demo",
        "test",
        "lint",
        "fuzz",
        "mutants",
        "faults",
        "trust",
        "tsan",
        "results",
        "readable",
        "effort",
        "large",
        "speed",
        "docs",
        "wheels",
        "clang",
        "x86",
        "audit",
        "pins",
        "oldest",
        "newest",
    ],
)
def test_every_prerequisite_has_a_rule(target: str, tmp_path: Path) -> None:
    """A dry run in a clone without an environment, in which nothing is made yet."""
    dry = ["make", "--dry-run", "-C", str(ROOT), f"VENV={tmp_path / 'venv'}", target]
    around = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # `make test` runs this
    told = subprocess.run(dry, capture_output=True, text=True, check=False, env=around)
    assert told.returncode == 0, told.stderr
