"""The tools that run exports; if one is not installed, its tests are skipped with a message."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from softwood import Schema, Tree
from softwood.kernels.kinds import Score
from tests.formats.exports.cases import Case, far_cases, learned_cases, random_cases

SOME, MANY = (52, 16), (150, 60)  # random trees, and those asked far out; 39 have every kind with every number of gates
AWKWARD = ('"""\nraise SystemExit\n"""', "*/ #error", "a\\", "`${x}`", "</script>", "\r\n?>", "@TABLES@", "??/")


@pytest.fixture(scope="session")
def awkward() -> Tree:
    """A tree whose inputs, levels and classes have names with quotes, ends of comments and ends of lines."""
    schema = Schema(AWKWARD, (AWKWARD, *[None] * (len(AWKWARD) - 1)), AWKWARD[:2], "classification")
    gate = {"score": [Score.CATEGORY, 0, 0], "feature": [0, -1, -1], "group_begin": [0, 8, 8, 8], "group": [0, 1] * 4}
    shape = {"first_child": [1, -1, -1], "n_children": [2, 0, 0]}
    return Tree(response=[[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]], schema=schema, **gate, **shape)  # type: ignore[arg-type]


@pytest.fixture(scope="session", autouse=True)
def _one_worker() -> None:
    """Models that are learned once (`learned_cases`) serve every test of this folder."""


@pytest.fixture(scope="session", params=[SOME, pytest.param(MANY, marks=pytest.mark.long)], ids=["some", "many"])
def cases(request: pytest.FixtureRequest) -> list[Case]:
    """Random trees of every kind and a learned model of every family, on usual rows and far out."""
    n_random, n_far = request.param
    return [*random_cases(n_random), *learned_cases(), *far_cases(n_far)]


def tool(name: str, package: str) -> Callable[..., str]:
    """Run a program with some arguments; what it prints."""
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed (apt-get install {package}): what it would run is not tested.")

    def run(*arguments: str | Path, text: str | None = None) -> str:
        done = subprocess.run([program, *map(str, arguments)], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def node() -> Callable[..., str]:
    return tool("node", "nodejs")


@pytest.fixture(scope="session")
def gcc() -> Callable[..., str]:
    return tool("gcc", "gcc")


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[[str], str]]:
    """Run SQL on a private PostgreSQL server, which listens only on a socket in a folder."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres")) or sorted(
        Path(path).resolve() for path in [shutil.which("postgres")] if path
    )
    if not found or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql): its SQL is not tested.")
    programs, root = found[-1].parent, os.geteuid() == 0
    user = ["runuser", "-u", "postgres", "--"] if root else []  # the server refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="softwood-pg-", dir="/tmp"))  # a socket's path must be short
    if root:
        shutil.chown(folder, "postgres")
    start = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    try:
        _run([*user, programs / "initdb", "-D", folder / "data", "-E", "UTF8", "--no-locale", "-A", "trust"])
        _run([*user, programs / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", start, "start"])
        try:
            yield lambda sql: _run(
                [*user, "psql", "-qX", "-v", "ON_ERROR_STOP=1", "-h", folder, "-d", "postgres"], text=sql
            )
        finally:
            _run([*user, programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str | Path], text: str | None = None) -> str:
    done = subprocess.run([*map(str, command)], input=text, capture_output=True, text=True, cwd="/tmp")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
