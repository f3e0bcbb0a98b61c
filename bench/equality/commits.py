"""The run of a commit: its package built in a temporary worktree, and today's models fitted with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from bench.equality.hashes import Run

ROOT = Path(__file__).resolve().parents[2]


def run_commit(commit: str, jobs: int) -> Run:
    """Build the package of a commit beside this one, and fit all models with it."""
    with tempfile.TemporaryDirectory(prefix="softwood-equality-") as folder, _worktree(commit, Path(folder)) as tree:
        package, file = Path(folder) / "package", Path(folder) / "run.json"
        _install(tree, package)
        path = os.pathsep.join([str(package), str(ROOT)])
        command = [sys.executable, "-m", "bench.equality", "--save", str(file), "--jobs", str(jobs)]
        subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path})
        return cast(Run, json.loads(file.read_text())["run"])


@contextmanager
def _worktree(commit: str, folder: Path) -> Iterator[Path]:
    """The files of a commit; git forgets them afterwards."""
    tree = folder / "tree"
    _git("worktree", "add", "--quiet", "--detach", str(tree), commit)
    try:
        yield tree
    finally:
        _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, cwd=ROOT)


def _install(tree: Path, package: Path) -> None:
    """Build and install into a folder; ccache, if installed, recompiles only changed files."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])  # the build's own tools
    if shutil.which("ccache"):
        env |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1"}
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    how = ["install", "--no-deps", "--no-build-isolation", "--target", str(package), str(tree)]
    subprocess.run([*pip, *how], check=True, env=env)
