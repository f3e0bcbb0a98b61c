"""The package never uses the network, runs text as code, or unpickles; its wheel lists the compiled-in libraries."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import softwood
from softwood.kernels import kernels

ROOT = Path(__file__).parents[1]
FOLDER = Path(softwood.__file__).parent
CODE = {"eval", "exec", "compile", "__import__"}  # as functions; re.compile and the like are attributes
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "subprocess", "ctypes"}
NETWORK = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "httpx", "aiohttp", "webbrowser"}
ALLOWED = {
    "engines/dask.py": {"pickle", "cloudpickle"},  # messages between the processes of one cluster, no file of ours
    "intake/options.py": {"joblib"},  # asked how many cores there are
    "view/reports/pdf.py": {"subprocess"},  # starts the browser that is installed, where a PDF is asked for
}

# Whatever is opened, asked or unpickled after this line is written down by the interpreter itself.
WATCH = """
import sys
seen = []
SOCKET = ("socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto")
WATCHED = ("urllib.Request", "pickle.find_class", *SOCKET)
sys.addaudithook(lambda event, given: seen.append(event) if event in WATCHED else None)
"""
USE = """
import numpy as np
import softwood
from softwood import CARTClassifier, SoftTreeRegressor, explain, export, summary, to_text
from softwood import from_json, load, save, to_json
X = np.random.default_rng(0).normal(size=(60, 3))
hard, soft = CARTClassifier(cv=2).fit(X, X[:, 0] > 0), SoftTreeRegressor(max_leaves=2, n_jobs=1).fit(X, X[:, 0])
for model in (hard, soft):
    model.predict(X)
    to_text(model), summary(model), explain(model, X[:2]), export(model, to="sql")
    save(model, "model.softwood")
    load("model.softwood").predict(X)
    from_json(to_json(model))
softwood.report(hard, X, X[:, 0] > 0, path="report.html")
softwood.view.view(hard, path="page.html")
print(*seen)
"""


def sources() -> list[Path]:
    return sorted(file for file in FOLDER.rglob("*.py") if "__pycache__" not in file.parts)


def called(tree: ast.AST) -> set[str]:
    """Functions that are called by a bare name."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


def imported(tree: ast.AST) -> set[str]:
    """First parts of what is imported anywhere in a file."""
    whole = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    parts = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {name.split(".")[0] for name in [*whole, *parts]}


@pytest.mark.parametrize(("text", "found"), [("eval('1')", {"eval"}), ("re.compile('a')", set())])
def test_a_call_is_found(text: str, found: set[str]) -> None:
    assert called(ast.parse(text)) & CODE == found


def test_nothing_runs_text_as_code() -> None:
    guilty = {file.name: called(ast.parse(file.read_text(encoding="utf-8"))) & CODE for file in sources()}
    assert {name: calls for name, calls in guilty.items() if calls} == {}


def test_nothing_imports_what_unpickles_starts_programs_or_asks_the_network() -> None:
    for file in sources():
        found = imported(ast.parse(file.read_text(encoding="utf-8"))) & (MODULES | NETWORK)
        assert found <= ALLOWED.get(file.relative_to(FOLDER).as_posix(), set()), file


def test_arrays_are_read_without_pickle() -> None:
    loads = [call for file in sources() for call in re.findall(r"np\.load\(.*", file.read_text(encoding="utf-8"))]
    assert [call for call in loads if "allow_pickle=False" not in call] == []


def test_no_address_is_asked_and_nothing_unpickled_from_import_to_page(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCH + USE],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(FOLDER.parent)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_the_watch_sees(tmp_path: Path) -> None:
    asks = WATCH + "import pickle, decimal, socket\npickle.loads(pickle.dumps(decimal.Decimal))\n"
    asks += "socket.socket().bind(('127.0.0.1', 0))\nprint(*seen)"
    done = subprocess.run([sys.executable, "-c", asks], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["pickle.find_class", "socket.bind"]


def test_the_tools_that_build_wheels_are_pinned_with_hashes() -> None:
    lines = (ROOT / ".ci" / "build.txt").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    pins = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    assert all(re.match(r"[a-z0-9-]+==\S+ +--hash=sha256:[0-9a-f]{64}", pin) for pin in pins)
    names = {pin.split("==")[0] for pin in pins}
    assert {"build", "cmake", "nanobind", "ninja", "scikit-build-core"} <= names


def test_an_installed_wheel_says_what_is_compiled_in() -> None:
    if kernels != "native":
        pytest.skip("the reference kernels have nothing compiled in.")
    try:
        files = importlib.metadata.files("softwood") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("softwood runs from its sources here, and has no metadata.")
    (listed,) = [file for file in files if file.as_posix().endswith(".dist-info/sboms/softwood.cdx.json")]
    told = json.loads(listed.read_text(encoding="utf-8"))
    assert told["bomFormat"] == "CycloneDX"
    assert told["metadata"]["component"]["version"] == softwood.__version__
    assert {each["name"] for each in told["components"]} == {"nanobind", "robin-map"}
    assert all(each["purl"].endswith(each["version"]) for each in told["components"])
