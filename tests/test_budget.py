"""Limits of the package: bytes on disk, modules and time of the import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import softwood

BYTES = 8_000_000  # of all files of the package, kernels included; 3.0 on ARM, x86-64 has them for three processors
IMPORT_RATIO = 4.0  # processor time of the import beyond NumPy's, in imports of NumPy; measured 0.7 to 1.5
HEAVY = ("sklearn", "pandas", "polars", "pyarrow", "matplotlib", "torch", "onnx", "typer", "scipy.stats")


def ask(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_the_package_keeps_to_its_size() -> None:
    folder = Path(softwood.__file__).parent
    files = [file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    assert sum(file.stat().st_size for file in files) < BYTES


def test_the_package_tells_checkers_of_its_types() -> None:
    assert (Path(softwood.__file__).parent / "py.typed").is_file()


def test_importing_softwood_imports_nothing_heavy() -> None:
    loaded = ask("import sys, softwood; print(*sys.modules)").split()
    assert [name for name in HEAVY if name in loaded] == []


def test_importing_softwood_is_quick() -> None:
    """Beside the import of NumPy in the same process, the least of three: no machine is too slow for that."""
    program = """
from time import process_time
begin = process_time()
import numpy
middle = process_time()
import softwood
print((process_time() - middle) / (middle - begin))
"""
    assert min(float(ask(program)) for _ in range(3)) < IMPORT_RATIO


def test_the_version_is_in_one_place() -> None:
    """The build reads it from release.py; the citation repeats it."""
    root = Path(__file__).parents[1]
    assert 'dynamic = ["version"]' in (root / "pyproject.toml").read_text(encoding="utf-8")
    if (root / "CITATION.cff").exists():
        assert f"\nversion: {softwood.__version__}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")
