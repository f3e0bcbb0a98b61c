"""Every prerequisite of the README's two commands can be made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


TARGETS = ["demo", "test", "test-long", "lint", "fuzz", "mutants", "faults", "trust", "tsan", "results"]
TARGETS += [
    "readable",
    "mix",
    "effort",
    "large",
    "speed",
    "speed-check",
    "docs",
    "wheels",
    "clang",
    "x86",
    "audit",
    "pins",
    "oldest",
    "newest",
]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_every_prerequisite_has_a_rule(tmp_path: Path) -> None:
    """A dry run of all targets in a clone without an environment; an error names its target."""
    dry = ["make", "--dry-run", "--keep-going", "-C", str(ROOT), f"VENV={tmp_path / 'venv'}", *TARGETS]
    around = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # `make test` runs this
    told = subprocess.run(dry, capture_output=True, text=True, check=False, env=around)
    assert told.returncode == 0, told.stderr
